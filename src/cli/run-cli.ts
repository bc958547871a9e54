/** Runs a command line and returns the exit code. Every failure is one sentence on stderr. */
import { UsageError } from '../base/error.js';
import { VERSION } from '../base/version.js';
import { type CliContext, commandIn, wordsOf } from './command.js';
import { commandParser, YARGS_ERROR } from './parser/command-parser.js';
import { COMMAND_FAMILIES } from './command-families.js';
import { COMMANDS } from './commands.js';
import type { ShownFlags } from './parser/describe-command.js';
import { EXIT } from './exit-code.js';
import { terminalWidth, type Terminal } from './output/terminal.js';
import { harmlessTerminal } from './output/harmless-terminal.js';
import { normalizeArgv } from './parser/normalize-argv.js';
import { normalizeSwitches } from './parser/normalize-switches.js';
import { secretsOfEnvironment } from './environment-secrets.js';

export async function runCli(terminalOfProcess: Terminal): Promise<number> {
  const terminal = harmlessTerminal(terminalOfProcess);
  const { arguments: given, environment } = terminal;
  if (given.length === 1 && (given[0] === '--version' || given[0] === '-V')) {
    terminal.stdout.write(`${VERSION}\n`);
    return EXIT.complete;
  }
  const secrets = secretsOfEnvironment(environment);
  const tree = { commands: COMMANDS, families: COMMAND_FAMILIES };
  const context = { terminal, secrets, tree };
  const width = Math.min(100, terminalWidth(terminal.stdout) ?? 100);
  let exitCode: number = EXIT.complete;
  const parser = await commandParser({
    shownFlags: flagsShown(given),
    width,
    run: async (command, flags) => {
      const { invoke } = await import('./invoke.js');
      exitCode = await invoke(await command.load(), flags, context);
    },
  });
  try {
    const words = withHelp(normalizeArgv(given));
    if (words.join(' ') === 's3 --help') {
      const { s3Help } = await import('./parser/describe-command.js');
      terminal.stdout.write(await s3Help(width));
    } else {
      await parser.parseAsync(await withSwitches(words));
    }
    return exitCode;
  } catch (error) {
    return refuseLine(error, context);
  }
}

function flagsShown(given: readonly string[]): ShownFlags {
  if (!given.some((word) => /^(--?h|help$)/.test(word))) return 'none';
  return given.includes('--all') ? 'all' : 'usual';
}

/** Ends a line that no command could run. */
async function refuseLine(error: unknown, context: CliContext): Promise<number> {
  const { arguments: given } = context.terminal;
  const listed = commandIn(given, COMMANDS);
  // what cannot be loaded may be what has failed: the error says so
  const command = listed && (await listed.load().catch(() => undefined));
  const { refuse } = await import('./refuse.js');
  const { parseErrorText } = await import('./parser/parse-error-text.js');
  const reason =
    error instanceof Error && error.name === YARGS_ERROR
      ? new UsageError(parseErrorText(error.message, given, command, COMMANDS))
      : error;
  return refuse(reason, context, command, familyOf(given));
}

/** Loads the commands that the line may name only where a switch can have a value. */
async function withSwitches(given: readonly string[]): Promise<readonly string[]> {
  if (!given.some((word) => /^--(no-|[a-z0-9-]+=)/.test(word))) return given;
  const named = COMMANDS.filter((command) =>
    wordsOf(command).every((word) => given.includes(word)),
  );
  const commands = await Promise.all(named.map(({ load }) => load()));
  const settings = commands.flatMap((command) => Object.values(command.settings));
  const { commonSettings } = await import('../config/common-settings.js');
  return normalizeSwitches(given, [...settings, ...Object.values(commonSettings)]);
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
