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
  readonly usage: string;
  readonly describe: string;
}

/** The words of a command line, by the names that the usage has for them: `<name>` is there, `[name]` may be missing. */
type WordsOf<Usage extends string> = string extends Usage
  ? Readonly<Record<string, string>>
  : { readonly [_ in Needed<WordIn<Usage>>]: string } & {
      readonly [_ in Optional<WordIn<Usage>>]?: string;
    };
type WordIn<Usage extends string> = Usage extends `${infer Word} ${infer Others}`
  ? Word | WordIn<Others>
  : Usage;
type Needed<Word extends string> = Word extends `<${infer Name}>` ? Name : never;
type Optional<Word extends string> = Word extends `[${infer Name}]`
  ? Name extends `${infer Repeated}..`
    ? Repeated
    : Name
  : never;

/** What a command's file says. `Own` are flags that no other command has. */
export interface CommandDefinition<
  Usage extends string,
  Group extends SettingGroup,
  Own extends SettingGroup,
> {
  /** In the syntax of yargs: `verify [archive]`; in a family: `sessions get <session>`. */
  readonly usage: Usage;
  /** For the list of `--help`. */
  readonly describe: string;
  /** The description of each positional; that of `archive` only where it is another than usual. */
  readonly positionals?: Readonly<Partial<Record<keyof WordsOf<Usage>, string>>>;
  /**
   * Takes the archive from `out` of the settings where no word names one; `or-queue`: unless a flag names a queue;
   * `to-read`: with --dry-run or --list, which change nothing. Default: `always` where the usage has `[archive]`.
   */
  readonly archiveOfSettings?: 'always' | 'never' | 'or-queue' | 'to-read';
  /** The values of the last positional, where they are few. */
  readonly argumentChoices?: readonly string[];
  /** Its settings of `src/config`, without the common ones. */
  readonly settings: Group;
  /** Flags of this command alone: neither a variable nor the configuration file can set them. */
  readonly flags?: Own;
  /** What each command line does. */
  readonly examples: Readonly<Record<string, string>>;
  /** The command does not read the configuration file. */
  readonly ignoresConfigFile?: boolean;
  /** Stdout is a protocol's: with `--json`, too, no line says that the command has failed. */
  readonly ownsStdout?: boolean;
  /** Whether this invocation changes neither an archive nor the service: then nothing is lost if it is ended at any moment. */
  readonly onlyReads?: (settings: Partial<ValuesOf<Group & Own>>) => boolean;
  /** Whether this invocation only plans: then monitors are not notified. */
  readonly isDryRun?: (settings: Partial<ValuesOf<Group & Own>>) => boolean;
  /** Whether `ping-url` of the configuration waits for this command; others ping only where a flag of theirs names it. */
  readonly isNightly?: boolean;
  /** For monitors: how much of what a night reads this invocation reads. Default: all. */
  readonly scopeOf?: (
    settings: Partial<ValuesOf<Group & Own>>,
    flags: SettingSources['flags'],
  ) => RunScope;
  readonly run: (invocation: Invocation<Group & Own, Usage>) => Promise<CommandResult>;
}

/** A command without the types of its settings, as those who run and describe it see it. */
export interface Command
  extends
    CommandLine,
    Omit<
      CommandDefinition<string, SettingGroup, SettingGroup>,
      'positionals' | 'settings' | 'flags' | 'run'
    > {
  /** In the order of its usage, each with its description. */
  readonly positionals: Readonly<Record<string, string>>;
  /** All its settings, its own flags among them. */
  readonly settings: SettingGroup;
  readonly run: (invocation: Invocation) => Promise<CommandResult>;
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

/** Loads its module on demand: all modules together take half a second. */
export interface ListedCommand extends CommandLine {
  readonly load: () => Promise<Command>;
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

export interface Invocation<
  Group extends SettingGroup = SettingGroup,
  Usage extends string = string,
> {
  readonly settings: ValuesOf<Group> & ValuesOf<typeof commonSettings>;
  /** Where the settings come from. */
  readonly sources: SettingSources;
  readonly positionals: WordsOf<Usage>;
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

const ARCHIVE = 'The archive: a directory or s3://bucket/prefix';

/** Checks the types of a command's words and settings, then hides them from those who run it. */
export function defineCommand<
  const Usage extends string,
  const Group extends SettingGroup,
  const Own extends SettingGroup = Group,
>(typed: CommandDefinition<Usage, Group, Own>): Command {
  const command = typed as unknown as CommandDefinition<string, SettingGroup, SettingGroup>;
  const { usage, settings, flags = {}, positionals } = command;
  const mayNameNone = /\[archive(\.\.)?\]/.test(usage);
  const { archiveOfSettings = mayNameNone ? 'always' : 'never' } = command;
  const archive = `${ARCHIVE}${mayNameNone ? '; default: out of the configuration' : ''}`;
  const described: Readonly<Record<string, string | undefined>> = { archive, ...positionals };
  const names = Array.from(usage.matchAll(/[<[](\w+)/g), ([, name = '']) => name);
  const own: SettingGroup = Object.fromEntries(
    Object.entries(flags).map(([key, flag]) => [key, { ...flag, isFlagOnly: true }]),
  );
  return {
    ...command,
    positionals: Object.fromEntries(names.map((name) => [name, described[name] ?? ''])),
    archiveOfSettings,
    settings: { ...settings, ...own },
  };
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
