/** Command line in, exit code out. Whatever goes wrong ends in one sentence on stderr. */
import yargs, { type Argv } from 'yargs';
import { proxyFromEnvironment, proxySecrets } from '../base/proxy.js';
import { UsageError } from '../base/usage-error.js';
import { VERSION } from '../base/version.js';
import type { Setting } from '../config/setting.js';
import { commonSettings } from '../config/settings.js';
import { commandIn, wordsOf, type Command } from './command.js';
import { COMMANDS, COMMAND_FAMILIES } from './commands.js';
import { EXIT } from './exit-code.js';
import { harmlessTerminal } from './harmless-terminal.js';
import { invoke, refuse, type Flags } from './invoke.js';
import { parseComplaint } from './input/parse-complaint.js';
import { meantWords } from './input/given-words.js';
import { spellSwitches } from './input/switch-words.js';
import type { Terminal } from './terminal.js';

const ALL_SETTINGS = [...COMMANDS.map(({ settings }) => settings), commonSettings].flatMap(
  (group) => Object.values<Setting>(group),
);

const EPILOGUE = `jobvault COMMAND --help tells a command's flags, with examples. Every flag is also a variable, JOBVAULT_<FLAG>, and a key of jobvault.config.yaml.

Exit codes: 0 complete · 1 unexpected · 2 usage or configuration · 3 finished with gaps · 4 integrity · 5 service unreachable · 6 API key or permission · 7 a deletion was refused · 8 locked · 9 storage · 130, 143 interrupted

See it work, without a service: jobvault demo`;

export async function runCli(outside: Terminal): Promise<number> {
  const terminal = harmlessTerminal(outside);
  let exitCode: number = EXIT.complete;
  const { environment } = terminal;
  const secrets = [
    environment['JOBVAULT_API_KEY'] ?? '',
    ...proxySecrets(proxyFromEnvironment(environment)),
  ];
  const parser = yargs()
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
    .wrap(Math.min(100, terminal.stdout.columns ?? 100))
    .demandCommand(1, 'no command is named')
    .strict()
    .exitProcess(false)
    .fail((message: string, error: unknown) => {
      // yargs' own errors come with or without an error object
      const isComplaint = !(error instanceof Error) || error.name === 'YError';
      const told = error instanceof Error ? error.message : message;
      throw isComplaint
        ? new UsageError(parseComplaint(told, terminal.arguments, COMMANDS))
        : error;
    })
    .epilogue(EPILOGUE);
  const add = (to: Argv, command: Command): Argv =>
    to.command(
      command.usage
        .split(' ')
        .slice(wordsOf(command).length - 1)
        .join(' '),
      command.describe,
      (builder) => describe(builder, command),
      async (flags: Flags) => {
        exitCode = await invoke(command, flags, { terminal, secrets });
      },
    );
  for (const command of COMMANDS) if (wordsOf(command).length === 1) add(parser, command);
  for (const { word, describe: about } of COMMAND_FAMILIES) {
    const members = COMMANDS.filter((command) => isMember(command, word));
    parser.command(word, about, (builder) =>
      members
        .reduce(add, builder.usage(`$0 ${word} <command>\n\n${about}`))
        .demandCommand(1, `${word} does nothing by itself; give one of its commands`)
        .epilogue(`jobvault ${word} COMMAND --help tells a command's flags, with examples.`),
    );
  }
  try {
    await parser.parseAsync(spellSwitches(withHelp(meantWords(terminal.arguments)), ALL_SETTINGS));
  } catch (error) {
    const given = terminal.arguments;
    return refuse(error, { terminal, secrets }, commandIn(given, COMMANDS), familyOf(given));
  }
  return exitCode;
}

function isMember(command: Command, family: string): boolean {
  const [first, second] = wordsOf(command);
  return first === family && second !== undefined;
}

/** A family's word alone asks what there is. */
function withHelp(given: readonly string[]): readonly string[] {
  const isFamilyAlone =
    given.length === 1 && COMMAND_FAMILIES.some(({ word }) => word === given[0]);
  return isFamilyAlone ? [...given, '--help'] : given;
}

function describe(builder: Argv, command: Command): Argv {
  for (const [name, description] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: description, type: 'string' });
  }
  for (const setting of Object.values(command.settings)) {
    describeSetting(builder, setting, groupOf(setting));
  }
  for (const setting of Object.values(commonSettings)) {
    describeSetting(builder, setting, 'Common options:');
  }
  for (const [example, meaning] of command.examples) builder.example(example, meaning);
  return builder;
}

/** What only some archives need does not stand in the way of the rest. */
function groupOf({ name }: Setting): string {
  return /^(target-)?s3-/.test(name) ? 'Where the archive is in S3:' : 'Options:';
}

function describeSetting(builder: Argv, setting: Setting, group: string): void {
  const { choices } = setting;
  builder.option(setting.name, {
    group,
    describe: setting.describe + (choices ? `: ${choices.join(', ')}` : ''),
    // no defaults here: whether a flag was given decides about the sources behind it
    ...(setting.form === 'switch' ? { type: 'boolean' as const } : { type: 'string' as const }),
    ...(setting.form === 'switch' ? {} : { requiresArg: true }),
    ...(setting.form === 'list' ? { array: true } : {}),
    ...(setting.default === undefined || setting.default === false
      ? {}
      : { defaultDescription: String(setting.default) }),
  });
}

function familyOf([first]: readonly string[]): string[] {
  return COMMAND_FAMILIES.some(({ word }) => word === first) ? [first ?? ''] : [];
}
