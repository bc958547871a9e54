/** How a command is described: its words, and what is loaded when it is chosen: its settings, what it does. */
import type { Logger } from '../base/logger.js';
import type { Tracer } from '../base/tracer.js';
import type { SettingGroup, SettingSources, ValuesOf } from '../config/resolve-settings.js';
import type { commonSettings } from '../config/settings.js';
import type { RunCounts } from '../telemetry/run-report.js';
import type { Terminal } from './terminal.js';

/** What `--help` says of a command in its list. */
export interface CommandLine {
  /** As yargs writes it: `verify <archive>`; of a family: `sessions get <session>`. */
  readonly usage: string;
  readonly describe: string;
}

export interface CommandBody<Group extends SettingGroup = SettingGroup> {
  /** For each word in brackets, what it stands for. */
  readonly positionals?: Readonly<Record<string, string>>;
  /** What may stand in the place of its last positional, where that is one of a few words. */
  readonly argumentChoices?: readonly string[];
  /** Beside the common ones. */
  readonly settings: Group;
  /** Command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** The configuration file is not read: the command makes it. */
  readonly ignoresConfigFile?: boolean;
  /** What it prints is read while it still runs. */
  readonly printsAtOnce?: boolean;
  /** Whether this invocation is a rehearsal: of a command with `telemetrySettings`, nobody is told of it. */
  readonly isRehearsal?: (settings: Partial<ValuesOf<Group>>) => boolean;
  /** Resolves with the exit code. */
  readonly run: (invocation: Invocation<Group>) => Promise<number>;
}

export interface Command extends CommandLine, CommandBody {}

/** Its module is loaded where it is needed: all of them together take half a second. */
export interface ListedCommand extends CommandLine {
  readonly load: () => Promise<CommandBody>;
}

/** Commands that share their first word; alone it shows them. */
export interface CommandFamily {
  readonly word: string;
  readonly describe: string;
}

/** All that there is. */
export interface CommandTree {
  readonly commands: readonly ListedCommand[];
  readonly families: readonly CommandFamily[];
}

export interface Invocation<Group extends SettingGroup = SettingGroup> {
  readonly settings: ValuesOf<Group> & ValuesOf<typeof commonSettings>;
  /** Where the settings come from, for commands that tell it. */
  readonly sources: SettingSources;
  readonly positionals: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
  readonly tree: CommandTree;
  readonly logger: Logger;
  /** What must never be printed: a command adds the key that it reads. */
  readonly secrets: string[];
  /** A ULID: what the command does is called by it. */
  readonly runId: string;
  readonly tracer: Tracer;
  /** Tells what went wrong, where the command goes on to print what it did all the same. */
  readonly complain: (error: unknown) => void;
  /** What outsiders hear of the run when it has ended, and what ended it before its time. */
  readonly tell: (counts: RunCounts, error?: unknown) => void;
}

/** Keeps the types of a command's own settings inside it. */
export function defineCommand<const Group extends SettingGroup>(
  command: CommandBody<Group>,
): CommandBody {
  return command as unknown as CommandBody;
}

export async function loadCommand({ load, ...line }: ListedCommand): Promise<Command> {
  return { ...line, ...(await load()) };
}

/** What is typed to call a command, without what stands in brackets: `sessions get`. */
export function wordsOf({ usage }: Pick<CommandLine, 'usage'>): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word));
}

/** The command that a command line names, as far as can be told without knowing which words are values. */
export function commandIn<Line extends CommandLine>(
  given: readonly string[],
  commands: readonly Line[],
): Line | undefined {
  return commands
    .filter((command) => wordsOf(command).every((word) => given.includes(word)))
    .map((command) => ({ command, words: wordsOf(command) }))
    .toSorted(
      (a, b) =>
        b.words.length - a.words.length || placeOf(a.words, given) - placeOf(b.words, given),
    )[0]?.command;
}

function placeOf([first = '']: readonly string[], given: readonly string[]): number {
  return given.indexOf(first);
}
