/** Command line in, exit code out. Whatever goes wrong ends in one sentence on stderr. */
import type { Argv } from 'yargs';
import { proxyFromEnvironment, proxySecrets } from '../base/http/proxy.js';
import { UsageError } from '../base/usage-error.js';
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
import { harmlessTerminal } from './harmless-terminal.js';
import type { Flags } from './invoke.js';
import { normalizeArgv } from './input/normalize-argv.js';
import { spellSwitches } from './input/switch-words.js';
import { columnsOf, type Terminal } from './terminal.js';

const EPILOGUE = `jobvault COMMAND --help tells a command's flags, with examples. A flag that is not marked "flag only" is also a variable, JOBVAULT_<FLAG>, and a key of jobvault.config.yaml.

Exit codes: 0 complete · 1 unexpected · 2 usage or configuration · 3 finished with gaps · 4 integrity · 5 service unreachable · 6 API key or permission · 7 a deletion or an erasure was refused · 8 locked · 9 storage · 130, 143 interrupted

See it work, without a service: jobvault demo`;

export async function runCli(outside: Terminal): Promise<number> {
  const terminal = harmlessTerminal(outside);
  let exitCode: number = EXIT.complete;
  const { arguments: given, environment } = terminal;
  if (given.length === 1 && given[0] === '--version') {
    terminal.stdout.write(`${VERSION}\n`);
    return exitCode;
  }
  const secrets = [
    environment['JOBVAULT_API_KEY'] ?? '',
    ...proxySecrets(proxyFromEnvironment(environment)),
  ];
  const tree = { commands: COMMANDS, families: COMMAND_FAMILIES };
  const world = { terminal, secrets, tree };
  const asksForHelp = given.some((word) => /^(--?h|help$)/.test(word));
  const { default: yargs } = await import('yargs');
  const parser = yargs()
    // of its other languages none fits our words
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
    .wrap(Math.min(100, columnsOf(terminal.stdout) ?? 100))
    .demandCommand(1, 'no command is named')
    .strict()
    .exitProcess(false)
    .fail((message: string, error: unknown) => {
      throw error instanceof Error ? error : new Complaint(message);
    })
    .epilogue(EPILOGUE);
  const add = (to: Argv, command: ListedCommand): Argv =>
    to.command(
      command.usage
        .split(' ')
        .slice(wordsOf(command).length - 1)
        .join(' '),
      command.describe,
      async (builder) => {
        const { describeCommand } = await import('./describe-command.js');
        return describeCommand(builder, await loadCommand(command), asksForHelp);
      },
      async (flags: Flags) => {
        const { invoke } = await import('./invoke.js');
        exitCode = await invoke(await loadCommand(command), flags, world);
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
    const words = withHelp(normalizeArgv(given));
    await parser.parseAsync(await spelled(words));
  } catch (error) {
    const listed = commandIn(given, COMMANDS);
    const command = listed && (await loadCommand(listed));
    const { refuse } = await import('./invoke.js');
    const { parseComplaint } = await import('./input/parse-complaint.js');
    const told =
      error instanceof Error && error.name === COMPLAINT
        ? new UsageError(parseComplaint(error.message, given, command, COMMANDS))
        : error;
    return refuse(told, world, command, familyOf(given));
  }
  return exitCode;
}

/** What yargs' own errors are called: they say that a command line makes no sense. */
const COMPLAINT = 'YError';

/** Of some of these yargs tells only the message. */
class Complaint extends Error {
  override readonly name = COMPLAINT;
}

/** The settings are loaded only where a switch may stand. */
async function spelled(given: readonly string[]): Promise<readonly string[]> {
  if (!given.some((word) => /^--(no-|[a-z0-9-]+=)/.test(word))) return given;
  const { ALL_SETTINGS } = await import('../config/all-settings.js');
  return spellSwitches(given, ALL_SETTINGS);
}

function isMember(command: CommandLine, family: string): boolean {
  const [first, second] = wordsOf(command);
  return first === family && second !== undefined;
}

/** A family's word alone asks what there is. */
function withHelp(given: readonly string[]): readonly string[] {
  const isFamilyAlone =
    given.length === 1 && COMMAND_FAMILIES.some(({ word }) => word === given[0]);
  return isFamilyAlone ? [...given, '--help'] : given;
}

function familyOf([first]: readonly string[]): string[] {
  return COMMAND_FAMILIES.some(({ word }) => word === first) ? [first ?? ''] : [];
}
