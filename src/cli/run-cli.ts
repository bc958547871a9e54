/** Runs a command line and returns the exit code. Every failure is one sentence on stderr. */
import type { Argv } from 'yargs';
import { UsageError } from '../base/error.js';
import { VERSION } from '../base/version.js';
import {
  commandIn,
  loadCommand,
  wordsOf,
  type CommandLine,
  type ListedCommand,
} from './command.js';
import { COMMANDS, COMMAND_FAMILIES } from './commands.js';
import { EXIT } from './exit-code.js';
import { terminalWidth, type Terminal } from './output/terminal.js';
import { harmlessTerminal } from './output/harmless-terminal.js';
import type { Flags } from './invoke.js';
import { normalizeArgv } from './input/normalize-argv.js';
import { normalizeSwitches } from './normalize-switches.js';
import { secretsOfEnvironment } from './environment-secrets.js';

const EPILOGUE = `jobvault COMMAND --help shows a command's flags, with examples; --help --all also those that are rarely needed; jobvault help s3 those for buckets. Each flag without "flag only" can also be set as a variable, JOBVAULT_<FLAG>, and as a key of jobvault.config.yaml.

Exit codes: 0 complete · 1 unexpected · 2 usage or configuration · 3 finished with gaps · 4 integrity · 5 service unreachable · 6 API key or permission · 7 a deletion or an erasure was refused · 8 locked · 9 storage · 130, 143 interrupted

Try it without a service: jobvault demo`;

export async function runCli(terminalOfProcess: Terminal): Promise<number> {
  const terminal = harmlessTerminal(terminalOfProcess);
  let exitCode: number = EXIT.complete;
  const { arguments: given, environment } = terminal;
  if (given.length === 1 && (given[0] === '--version' || given[0] === '-V')) {
    terminal.stdout.write(`${VERSION}\n`);
    return exitCode;
  }
  const secrets = secretsOfEnvironment(environment);
  const tree = { commands: COMMANDS, families: COMMAND_FAMILIES };
  const context = { terminal, secrets, tree };
  const asksForHelp = given.some((word) => /^(--?h|help$)/.test(word));
  const shownFlags = !asksForHelp ? 'none' : given.includes('--all') ? 'all' : 'usual';
  const width = Math.min(100, terminalWidth(terminal.stdout) ?? 100);
  const { default: yargs } = await import('yargs');
  const parser = yargs()
    // jobvault is in English only
    .detectLocale(false)
    .scriptName('jobvault')
    .usage('$0 <command>\n\nArchives the history of an AI data-analysis assistant, and proves it.')
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
    .wrap(asksForHelp ? width : null)
    .demandCommand(1, 'no command is named')
    .strict()
    .exitProcess(false)
    .fail((message: string, error: unknown) => {
      throw error instanceof Error ? error : new ParseError(message);
    })
    // yargs renders the help of every command that it runs, and most of its time goes into folding long texts
    .epilogue(asksForHelp ? EPILOGUE : '');
  const add = (to: Argv, command: ListedCommand): Argv =>
    to.command(
      command.usage
        .split(' ')
        .slice(wordsOf(command).length - 1)
        .join(' '),
      command.describe,
      async (builder) => {
        const { describeCommand } = await import('./describe-command.js');
        return describeCommand(builder, await loadCommand(command), shownFlags);
      },
      async (flags: Flags) => {
        const { invoke } = await import('./invoke.js');
        exitCode = await invoke(await loadCommand(command), flags, context);
      },
    );
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
  try {
    const words = withHelp(normalizeArgv(given));
    if (words.join(' ') === 's3 --help') {
      const { s3Help } = await import('./describe-command.js');
      terminal.stdout.write(await s3Help(width));
      return exitCode;
    }
    await parser.parseAsync(await withSwitches(words));
  } catch (error) {
    const listed = commandIn(given, COMMANDS);
    // what cannot be loaded may be what has failed: the error says so
    const command = listed && (await loadCommand(listed).catch(() => undefined));
    const { refuse } = await import('./invoke.js');
    const { parseErrorText } = await import('./input/parse-error-text.js');
    const reason =
      error instanceof Error && error.name === YARGS_ERROR
        ? new UsageError(parseErrorText(error.message, given, command, COMMANDS))
        : error;
    return refuse(reason, context, command, familyOf(given));
  }
  return exitCode;
}

/** The name of yargs' own errors: the command line is wrong. */
const YARGS_ERROR = 'YError';

/** For errors of which yargs passes only the message. */
class ParseError extends Error {
  override readonly name = YARGS_ERROR;
}

/** Loads the settings only where a switch can have a value. */
async function withSwitches(given: readonly string[]): Promise<readonly string[]> {
  if (!given.some((word) => /^--(no-|[a-z0-9-]+=)/.test(word))) return given;
  const { ALL_SETTINGS } = await import('../config/all-settings.js');
  return normalizeSwitches(given, ALL_SETTINGS);
}

function isMember(command: CommandLine, family: string): boolean {
  const [first, second] = wordsOf(command);
  return first === family && second !== undefined;
}

/** A family's word alone lists its commands. */
function withHelp(given: readonly string[]): readonly string[] {
  const isFamilyAlone =
    given.length === 1 && COMMAND_FAMILIES.some(({ word }) => word === given[0]);
  return isFamilyAlone ? [...given, '--help'] : given;
}

function familyOf([first]: readonly string[]): string[] {
  return COMMAND_FAMILIES.some(({ word }) => word === first) ? [first ?? ''] : [];
}
