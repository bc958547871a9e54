/** Texts whose commands are values, such as what to do next. Who shows one says where the archive is. */

/** A command of this program with its arguments, none of them quoted. */
export interface CommandLine {
  /** `gap accept` */
  readonly words: string;
  /** How it gets its archive: as its first argument, behind `--out`, or from the configuration. */
  readonly archive: 'argument' | 'out' | 'configuration';
  /** Capitals such as ID stand for what people fill in. */
  readonly arguments: readonly string[];
}

/** What a command line needs to work where it is pasted: in another shell, in another directory. */
export interface CommandPlace {
  /** An absolute path or a URL; undefined where nobody has named one, or several. */
  readonly archive: string | undefined;
  /** What says where its store is. */
  readonly options: readonly string[];
  /** Where the API key is from, as a phrase. */
  readonly apiKey: string;
}

/** ARCHIVE stands for the archive. */
export const NO_PLACE: CommandPlace = {
  archive: undefined,
  options: [],
  apiKey: 'JOBVAULT_API_KEY or --api-key-file',
};

/** Stands for where the API key is from. */
export const API_KEY = Symbol('where the API key is from');

/** A line for the shell that is pasted as it stands, of whatever program. */
export interface ShellLine {
  readonly shell: string;
}

type Part = string | number | CommandLine | ShellLine | typeof API_KEY;

/**
 * Stands for a space inside of a command until the text is folded: broken in two, a shell takes the first half. It is a
 * noncharacter of Unicode, which no other program writes.
 */
export const UNBROKEN_SPACE = '\uFDD0';

export class NextStep {
  readonly #parts: readonly Part[];

  constructor(parts: readonly (Part | NextStep)[]) {
    this.#parts = parts.flatMap((part) => (part instanceof NextStep ? part.#parts : [part]));
  }

  get commands(): readonly CommandLine[] {
    return this.#parts.filter((part) => typeof part === 'object' && 'words' in part);
  }

  /** @param place default: ARCHIVE stands for the archive */
  text(place: CommandPlace = NO_PLACE): string {
    return this.#parts.map((part) => partText(part, place)).join('');
  }

  /** The same for `folded`, which breaks none of its commands. */
  unbroken(place: CommandPlace): string {
    return this.#parts
      .map((part) => {
        const text = partText(part, place);
        return typeof part === 'object' ? text.replaceAll(' ', UNBROKEN_SPACE) : text;
      })
      .join('');
  }

  toString(): string {
    return this.text();
  }

  toJSON(): string {
    return this.text();
  }
}

function partText(part: Part, place: CommandPlace): string {
  if (part === API_KEY) return place.apiKey;
  if (typeof part !== 'object') return String(part);
  return 'shell' in part ? part.shell : commandText(part, place);
}

/** The next step that a template says: its texts, and the commands, steps and texts in it. */
export function step(
  texts: TemplateStringsArray,
  ...parts: readonly (Part | NextStep)[]
): NextStep {
  return new NextStep(texts.flatMap((text, index) => [text, ...parts.slice(index, index + 1)]));
}

/** `jobvault verify ARCHIVE --repair` */
export function onArchive(words: string, ...given: readonly string[]): CommandLine {
  return { words, archive: 'argument', arguments: given };
}

/** `jobvault doctor --out ARCHIVE` */
export function onOut(words: string, ...given: readonly string[]): CommandLine {
  return { words, archive: 'out', arguments: given };
}

/** `jobvault export --retry-gaps` */
export function asConfigured(words: string, ...given: readonly string[]): CommandLine {
  return { words, archive: 'configuration', arguments: given };
}

/** A command as it is typed into a POSIX shell. @param place default: ARCHIVE stands for the archive */
export function commandText(
  { words, archive, arguments: given }: CommandLine,
  { archive: location, options }: CommandPlace = NO_PLACE,
): string {
  const named = location === undefined ? 'ARCHIVE' : shellWord(location);
  const archiveWords = { argument: [named], out: ['--out', named], configuration: [] }[archive];
  return ['jobvault', words, ...archiveWords, ...[...options, ...given].map(shellWord)].join(' ');
}

/** A word as it is typed into a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w./:@…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
