/** Parses a list of ids, of users or of sessions: one on each line, or CSV with a heading; `#` begins a comment. */
import { TextDecoder } from 'node:util';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../../base/error.js';

/** What the cells of a column are; `id` may be either. */
export type IdColumn = 'id' | 'user' | 'session';

export class IdLine {
  /** Without its comment. */
  readonly content: string;
  readonly #text: string;
  readonly #name: string;
  readonly #number: number;

  /** @param text with its comment. @param name the file's. @param number from 1 */
  constructor(text: string, name: string, number: number) {
    this.content = withoutComment(text);
    this.#text = text;
    this.#name = name;
    this.#number = number;
  }

  get whole(): string {
    return this.#text.trim();
  }

  /** Where it stands, for messages: `--hold-file holds.txt, line 3 ("a1")`. A file may have a million lines. */
  get source(): string {
    return `${this.#name}, line ${this.#number} (${JSON.stringify(this.whole.slice(0, 100))})`;
  }
}

export interface IdList {
  /** The first line that has something, the heading where there is one. */
  readonly first: IdLine | undefined;
  /** Undefined where nothing in the first line is the name of a column: then it is a line like the others. */
  readonly heading: IdHeading | undefined;
  /** Without empty lines, comments and the heading; read once. */
  readonly lines: Iterable<IdLine>;
}

export interface IdHeading {
  readonly line: IdLine;
  /** As they are called. */
  readonly names: readonly string[];
  /** Undefined: another column. */
  readonly columns: readonly (IdColumn | undefined)[];
  /** The cells of a line, one for each column at most. @throws {UsageError} it has more, or an open quote */
  cellsOf(line: IdLine): readonly string[];
}

const COLUMNS: ReadonlyMap<string, IdColumn> = new Map(
  Object.entries({
    id: 'id',
    ids: 'id',
    hold: 'id',
    holds: 'id',
    user: 'user',
    users: 'user',
    user_id: 'user',
    userid: 'user',
    session: 'session',
    sessions: 'session',
    session_id: 'session',
    sessionid: 'session',
  } as const),
);
const DELIMITERS = [',', ';', '\t'];
/** Lines that a quoted cell may have: a quote that never ends must not take a large file with it. */
const MAX_CELL_LINES = 100;

/** UTF-8, or UTF-16 with a byte order mark. @param name the file's, for errors @throws {UsageError} */
export function idListText(bytes: Uint8Array, name: string): string {
  return [...idListPieces([bytes], name)].join('');
}

/** As `idListText`, of a file that comes chunk by chunk. The first chunk has the byte order mark as a whole, if there is one. */
export function* idListPieces(chunks: Iterable<Uint8Array>, name: string): Generator<string> {
  let decoder: TextDecoder | undefined;
  const decoded = (chunk?: Uint8Array): string => {
    let text: string;
    try {
      text = (decoder ??= decoderFor(chunk)).decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new UsageError(`${name} is not UTF-8 text`, { cause: error });
    }
    // UTF-16 without a mark decodes as UTF-8 with a NUL beside every letter
    if (text.includes('\0')) throw new UsageError(`${name} is not UTF-8 text: it holds NUL`);
    return text;
  };
  for (const chunk of chunks) yield decoded(chunk);
  yield decoded();
}

function decoderFor([first, second]: Uint8Array = new Uint8Array()): TextDecoder {
  const mark = first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
  const encoding = mark ?? (first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8');
  return new TextDecoder(encoding, { fatal: true });
}

/**
 * @param text a piece of it after the other, or all of it
 * @param name the file's, for errors
 * @param allowed what a line may be, for errors
 */
export function parseIdList(
  text: string | Iterable<string>,
  name: string,
  allowed: string,
): IdList {
  const physical = physicalLines(typeof text === 'string' ? [text] : text);
  const first = nextLine(physical, { name, hasHeading: false });
  if (!first) return { first, heading: undefined, lines: [] };
  const heading = headingOf(first, allowed);
  function* lines() {
    if (first && !heading) yield first;
    for (;;) {
      const line = nextLine(physical, { name, hasHeading: heading !== undefined });
      if (!line) return;
      yield line;
    }
  }
  return { first, heading, lines: lines() };
}

/** The next one that is neither empty nor a comment. With a heading, a quoted cell may go on in the next lines. */
function nextLine(
  physical: Iterator<[text: string, number: number]>,
  { name, hasHeading }: { readonly name: string; readonly hasHeading: boolean },
): IdLine | undefined {
  for (;;) {
    const first = physical.next();
    if (first.done === true) return undefined;
    let [whole] = first.value;
    for (let more = 1; hasHeading && more < MAX_CELL_LINES && isOpen(whole); more++) {
      const next = physical.next();
      if (next.done === true) break;
      whole += `\n${next.value[0]}`;
    }
    const line = new IdLine(whole, name, first.value[1]);
    if (line.content.trim() !== '') return line;
  }
}

function* physicalLines(pieces: Iterable<string>): Generator<[text: string, number: number]> {
  const ends = /\r\n|\n|\r/g;
  let number = 1;
  /** The cells of a line whose end has not come. */
  let begun: string[] = [];
  let held = '';
  for (const piece of pieces) {
    let text = held + piece;
    // it may be half of a line end
    held = text.endsWith('\r') ? '\r' : '';
    if (held !== '') text = text.slice(0, -1);
    let from = 0;
    ends.lastIndex = 0;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      begun.push(text.slice(from, end.index));
      yield [begun.join(''), number++];
      begun = [];
      from = ends.lastIndex;
    }
    begun.push(text.slice(from));
  }
  if (held !== '') {
    yield [begun.join(''), number++];
    begun = [];
  }
  yield [begun.join(''), number];
}

/**
 * The cells of a line that has no heading.
 *
 * @param content of the line, for who reads less of it
 * @throws {UsageError} it has an open quote
 */
export function plainCells(
  line: IdLine,
  allowed: string,
  content = line.content,
): readonly string[] {
  const cells = [...cellsOf(line, { delimiters: DELIMITERS, allowed, content })];
  while (cells.at(-1) === '') cells.pop();
  return cells;
}

export function notUnderstood({ source }: IdLine, allowed: string, cause?: unknown): UsageError {
  return new UsageError(`${source} is not understood; ${allowed}`, { cause });
}

function headingOf(line: IdLine, allowed: string): IdHeading | undefined {
  let names: readonly string[];
  try {
    names = plainCells(line, allowed);
  } catch {
    return undefined;
  }
  const columns = names.map((cell) => COLUMNS.get(cell.toLowerCase().replace(/[ -]/g, '_')));
  if (columns.every((column) => column === undefined)) return undefined;
  // an id may hold the delimiters that the heading does not
  const headingDelimiters = DELIMITERS.filter((delimiter) =>
    line.content.includes(delimiter),
  ).slice(0, 1);
  return {
    line,
    names,
    columns,
    cellsOf: (row) => {
      const delimiters = headingDelimiters.length > 0 ? headingDelimiters : DELIMITERS;
      const cells = [...cellsOf(row, { delimiters, allowed, content: row.content })];
      while (cells.length > columns.length && cells.at(-1) === '') cells.pop();
      // one too many would shift the others
      if (cells.length > columns.length) throw notUnderstood(row, allowed);
      return cells;
    },
  };
}

/** Whether the line is that of a heading, with two columns or more: one name alone may be somebody's id. */
export function hasOnlyColumnNames(line: IdLine, allowed: string): boolean {
  return (
    hasColumnName(line, allowed) && headingOf(line, allowed)?.columns.includes(undefined) === false
  );
}

/** Whether the line has a column of a known name; other columns may stand beside it. */
export function hasColumnName(line: IdLine, allowed: string): boolean {
  return (headingOf(line, allowed)?.columns.length ?? 0) > 1;
}

/** `#` begins a comment at the start of a line, after a space or a separator; not inside an id or quotes. */
function withoutComment(line: string): string {
  if (!line.includes('#')) return line;
  let isQuoted = false;
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '"') isQuoted = !isQuoted;
    const isBegin = index === 0 || /[\s,;]/.test(line[index - 1] ?? '');
    if (line[index] === '#' && !isQuoted && isBegin) return line.slice(0, index);
  }
  return line;
}

/** Whether a quoted cell goes on in the next line. */
function isOpen(line: string): boolean {
  if (!line.includes('"')) return false;
  return (withoutComment(line).split('"').length - 1) % 2 === 1;
}

interface Reading {
  readonly delimiters: readonly string[];
  readonly allowed: string;
  readonly content: string;
}

function cellsOf(line: IdLine, { delimiters, allowed, content }: Reading): readonly string[] {
  // one in a hundred of the time that the parser takes for a line
  if (PLAIN.test(content)) return plainlySplit(content, delimiters).map(withoutApostrophes);
  try {
    const options = { delimiter: [...delimiters], trim: true, relax_column_count: true };
    const [cells = []] = parse(content, options);
    return cells.map(withoutApostrophes);
  } catch (error) {
    throw notUnderstood(line, allowed, error);
  }
}

/** Without quotes, and without white space other than the space. */
const PLAIN = /^[^"\s]+(?: +[^"\s]+)*$/;

function plainlySplit(content: string, delimiters: readonly string[]): string[] {
  let cells = [content];
  for (const delimiter of delimiters) {
    if (!content.includes(delimiter)) continue;
    cells = cells.flatMap((cell) => cell.split(delimiter));
  }
  return cells.map((cell) => cell.trim());
}

function withoutApostrophes(cell: string): string {
  return cell.startsWith("'") ? (/^'(.*)'$/.exec(cell)?.[1] ?? cell) : cell;
}
