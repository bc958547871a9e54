/** Describes a command: its words for the list, and a body (settings, examples, code) that is loaded on demand. */
import type { Logger } from '../base/logger.js';
import type { CommandPlace, NextStep } from '../base/next-step.js';
import type { SettingGroup, SettingSources, ValuesOf } from '../config/resolve-settings.js';
import type { commonSettings } from '../config/common-settings.js';
import type { RunCounts, RunScope } from '../telemetry/run-report.js';
import type { Terminal } from './output/terminal.js';
import type { View } from './output/view.js';

/** A command's line in the list of `--help`. */
export interface CommandLine {
  /** In the syntax of yargs: `verify [archive]`; in a family: `sessions get <session>`. */
  readonly usage: string;
  readonly describe: string;
}

export interface CommandBody<Group extends SettingGroup = SettingGroup> {
  /** The description of each positional. */
  readonly positionals?: Readonly<Record<string, string>>;
  /**
   * Takes the archive from `out` of the settings where no word names one; `or-queue`: unless a flag names a queue;
   * `to-read`: with --dry-run or --list, which change nothing.
   */
  readonly archiveOfSettings?: 'always' | 'or-queue' | 'to-read';
  /** The values of the last positional, where they are few. */
  readonly argumentChoices?: readonly string[];
  /** Without the common settings. */
  readonly settings: Group;
  /** A command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** The command does not read the configuration file. */
  readonly ignoresConfigFile?: boolean;
  /** Stdout is a protocol's: with `--json`, too, no line says that the command has failed. */
  readonly ownsStdout?: boolean;
  /** Whether this invocation changes neither an archive nor the service: then nothing is lost if it is ended at any moment. */
  readonly onlyReads?: (settings: Partial<ValuesOf<Group>>) => boolean;
  /** Whether this invocation only plans: then monitors are not notified. */
  readonly isDryRun?: (settings: Partial<ValuesOf<Group>>) => boolean;
  /** Whether `ping-url` of the configuration waits for this command; others ping only where a flag of theirs names it. */
  readonly isNightly?: boolean;
  /** For monitors: how much of what a night reads this invocation reads. Default: all. */
  readonly scopeOf?: (
    settings: Partial<ValuesOf<Group>>,
    flags: SettingSources['flags'],
  ) => RunScope;
  readonly run: (invocation: Invocation<Group>) => Promise<CommandResult>;
}

/** What is known of a command that has to end before its work does. */
export interface LateEnd {
  /** What is saved, as a clause. */
  readonly summary?: string;
  /** For monitors. */
  readonly counts?: RunCounts;
}

/** What a command has done or found: `printResult` prints it, and monitors get its counts. */
export interface CommandResult {
  /** Default: complete. */
  readonly exitCode?: number | undefined;
  /** The line of `--json`. Absent where a command has no answer, or has printed it while it ran. */
  readonly value?: object | undefined;
  /** The answer for people. */
  readonly view?: View | undefined;
  /** For people, on stderr after the answer: a program that reads the answer does not get it. */
  readonly note?: NextStep | string | undefined;
  /** Writes to the log, after the answer. */
  readonly log?: ((place: CommandPlace) => void) | undefined;
  /** Told at the end; the first is the reason of a failure. */
  readonly errors?: readonly unknown[] | undefined;
  /** For monitors. */
  readonly counts?: RunCounts | undefined;
}

export interface Command extends CommandLine, CommandBody {}

/** Loads its module on demand: all modules together take half a second. */
export interface ListedCommand extends CommandLine {
  readonly load: () => Promise<CommandBody>;
}

/** Commands that share their first word. That word alone lists them. */
export interface CommandFamily {
  readonly word: string;
  readonly describe: string;
}

/** All commands and families. */
export interface CommandTree {
  readonly commands: readonly ListedCommand[];
  readonly families: readonly CommandFamily[];
}

/** What the command line gives, by the name of the flag or the positional. */
export type Flags = Readonly<Record<string, unknown>>;

/** What every command line runs in. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly tree: CommandTree;
  /** What must never be printed; commands add to it. */
  readonly secrets: string[];
}

export interface Invocation<Group extends SettingGroup = SettingGroup> {
  readonly settings: ValuesOf<Group> & ValuesOf<typeof commonSettings>;
  /** Where the settings come from. */
  readonly sources: SettingSources;
  readonly positionals: Readonly<Record<string, string>>;
  /** Further words, where the last positional takes several (`[archive..]`): all but its first. */
  readonly furtherWords: readonly string[];
  readonly terminal: Terminal;
  readonly tree: CommandTree;
  readonly logger: Logger;
  /** Never printed. A command adds the key that it reads. */
  readonly secrets: string[];
  /** A ULID. */
  readonly runId: string;
  /** How long this run has taken, measured once, when first asked: its summary tells the number that monitors get. */
  readonly tookMs: () => number;
  /** Prints an error while the command goes on. */
  readonly reportError: (error: unknown) => void;
  /** How the last line of the log tells what is saved, where the process has to end before the command. */
  readonly onLateEnd: (lateEnd: () => LateEnd) => void;
  /**
   * Prints what is too long for a `CommandResult`, or is read while the command still runs. Resolves early when the
   * reader has gone, as with `| head`.
   */
  readonly print: (data: Printable) => Promise<void>;
}

/** Texts, or bytes that are data and pass unchanged. */
export type Printable = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Checks the types of a command's settings, then hides them from the list of commands. */
export function defineCommand<const Group extends SettingGroup>(
  command: CommandBody<Group>,
): CommandBody {
  return command as unknown as CommandBody;
}

export async function loadCommand({ load, ...line }: ListedCommand): Promise<Command> {
  return { ...line, ...(await load()) };
}

/** The words of a command without its positionals: `sessions get`. */
export function wordsOf({ usage }: Pick<CommandLine, 'usage'>): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word));
}

/** The command that a command line names. A guess: words can also be values of flags. */
export function commandIn<Line extends CommandLine>(
  given: readonly string[],
  commands: readonly Line[],
): Line | undefined {
  return commands
    .filter((command) => wordsOf(command).every((word) => given.includes(word)))
    .map((command) => ({ command, words: wordsOf(command) }))
    .toSorted(
      (a, b) =>
        b.words.length - a.words.length ||
        firstWordAt(a.words, given) - firstWordAt(b.words, given),
    )[0]?.command;
}

function firstWordAt([first = '']: readonly string[], given: readonly string[]): number {
  return given.indexOf(first);
}
