/** Parses command lines, and runs the command that one names: yargs, which is told of every command and family. */
import type { Argv } from 'yargs';
import { VERSION } from '../../base/version.js';
import { wordsOf, type CommandLine, type Flags, type ListedCommand } from '../command.js';
import { COMMAND_FAMILIES } from '../command-families.js';
import { COMMANDS } from '../commands.js';
import type { ShownFlags } from './describe-command.js';

const EPILOGUE = `jobvault COMMAND --help shows a command's flags, with examples; --help --all also those that are rarely needed; jobvault help s3 those for buckets. Each flag without "flag only" can also be set as a variable, JOBVAULT_<FLAG>, and as a key of jobvault.config.yaml.

Exit codes: 0 complete · 1 unexpected · 2 usage or configuration · 3 finished with gaps · 4 integrity · 5 service unreachable · 6 API key or permission · 7 a deletion or an erasure was refused · 8 locked · 9 storage · 130, 143 interrupted

Try it without a service: jobvault demo`;

interface ParserOptions {
  /** `none` where nobody asks for help. */
  readonly shownFlags: ShownFlags;
  /** The columns of help. */
  readonly width: number;
  readonly run: (command: ListedCommand, flags: Flags) => Promise<void>;
}

/** The name of yargs' own errors: the command line is wrong. */
export const YARGS_ERROR = 'YError';

/** For errors of which yargs passes only the message. */
class ParseError extends Error {
  override readonly name = YARGS_ERROR;
}

export async function commandParser(options: ParserOptions): Promise<Argv> {
  const parser = await plainParser(options);
  const add = (to: Argv, command: ListedCommand): Argv => addCommand(to, command, options);
  for (const command of COMMANDS) if (wordsOf(command).length === 1) add(parser, command);
  for (const { word, describe: about } of COMMAND_FAMILIES) {
    const members = COMMANDS.filter((command) => isMember(command, word));
    parser.command(word, about, (builder) =>
      members
        .reduce(add, builder.usage(`$0 ${word} <command>\n\n${about}`))
        .demandCommand(1, `${word} needs one of its commands`)
        .epilogue(`jobvault ${word} COMMAND --help shows a command's flags, with examples.`),
    );
  }
  return parser;
}

async function plainParser({ shownFlags, width }: ParserOptions): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  const isHelp = shownFlags !== 'none';
  return (
    yargs()
      // jobvault is in English only
      .detectLocale(false)
      .scriptName('jobvault')
      .usage(
        '$0 <command>\n\nArchives the history of an AI data-analysis assistant, and proves it.',
      )
      .parserConfiguration({
        'camel-case-expansion': false,
        'greedy-arrays': false,
        'parse-numbers': false,
        'parse-positional-numbers': false,
      })
      .version(VERSION)
      .help()
      .alias('help', 'h')
      .alias('version', 'V')
      .wrap(isHelp ? width : null)
      .demandCommand(1, 'no command is named')
      .strict()
      .exitProcess(false)
      .fail((message: string, error: unknown) => {
        throw error instanceof Error ? error : new ParseError(message);
      })
      // yargs renders the help of every command that it runs, and most of its time goes into folding long texts
      .epilogue(isHelp ? EPILOGUE : '')
  );
}

function addCommand(to: Argv, command: ListedCommand, { shownFlags, run }: ParserOptions): Argv {
  return to.command(
    command.usage
      .split(' ')
      .slice(wordsOf(command).length - 1)
      .join(' '),
    command.describe,
    async (builder) => {
      const { describeCommand } = await import('./describe-command.js');
      return describeCommand(builder, await command.load(), shownFlags);
    },
    async (flags: Flags) => run(command, flags),
  );
}

function isMember(command: CommandLine, family: string): boolean {
  const [first, second] = wordsOf(command);
  return first === family && second !== undefined;
}
