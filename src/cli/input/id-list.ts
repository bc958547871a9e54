/** Parses a list of ids, of users or of sessions: one on each line, or CSV with a heading; `#` begins a comment. */
import { parse } from 'csv-parse/sync';
import { UsageError } from '../../base/error.js';

/** What the cells of a column are; `id` may be either. */
export type IdColumn = 'id' | 'user' | 'session';

export interface IdLine {
  /** Without its comment. */
  readonly content: string;
  readonly whole: string;
  /** Where it stands, for messages: `--hold-file holds.txt, line 3 ("a1")`. */
  readonly source: string;
}

export interface IdList {
  /** Undefined where nothing in the first line is the name of a column: then it is a line like the others. */
  readonly heading: IdHeading | undefined;
  /** Without empty lines, comments and the heading. */
  readonly lines: readonly IdLine[];
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
  const [first, second] = bytes;
  const mark = first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
  const encoding = mark ?? (first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8');
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${name} is not UTF-8 text`, { cause: error });
  }
  // UTF-16 without a mark decodes as UTF-8 with a NUL beside every letter
  if (text.includes('\0')) throw new UsageError(`${name} is not UTF-8 text: it holds NUL`);
  return text;
}

/**
 * @param name the file's, for errors
 * @param allowed what a line may be, for errors
 */
export function parseIdList(text: string, name: string, allowed: string): IdList {
  const physical = text.split(/\r\n|\n|\r/);
  const lines: IdLine[] = [];
  let heading: IdHeading | undefined;
  for (let index = 0; index < physical.length; index++) {
    const number = index + 1;
    let whole = physical[index] ?? '';
    for (let more = 1; heading && more < MAX_CELL_LINES && isOpen(withoutComment(whole)); more++) {
      if (index + 1 >= physical.length) break;
      whole += `\n${physical[++index] ?? ''}`;
    }
    const content = withoutComment(whole);
    if (content.trim() === '') continue;
    const source = `${name}, line ${number} (${JSON.stringify(whole.trim().slice(0, 100))})`;
    const line = { content, whole: whole.trim(), source };
    if (lines.length === 0 && !heading) heading = headingOf(line, allowed);
    if (heading?.line !== line) lines.push(line);
  }
  return { heading, lines };
}

/** The cells of a line that has no heading. @throws {UsageError} it has an open quote */
export function plainCells(line: IdLine, allowed: string): readonly string[] {
  const cells = [...cellsOf(line, DELIMITERS, allowed)];
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
  const own = DELIMITERS.filter((delimiter) => line.content.includes(delimiter)).slice(0, 1);
  return {
    line,
    names,
    columns,
    cellsOf: (of) => {
      const cells = [...cellsOf(of, own.length > 0 ? own : DELIMITERS, allowed)];
      while (cells.length > columns.length && cells.at(-1) === '') cells.pop();
      // one too many would shift the others
      if (cells.length > columns.length) throw notUnderstood(of, allowed);
      return cells;
    },
  };
}

/** `#` begins a comment at the start of a line, after a space or a separator; not inside an id or quotes. */
function withoutComment(line: string): string {
  let isQuoted = false;
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '"') isQuoted = !isQuoted;
    const isBegin = index === 0 || /[\s,;]/.test(line[index - 1] ?? '');
    if (line[index] === '#' && !isQuoted && isBegin) return line.slice(0, index);
  }
  return line;
}

/** Whether a quoted cell goes on in the next line. */
function isOpen(content: string): boolean {
  return (content.split('"').length - 1) % 2 === 1;
}

function cellsOf(line: IdLine, delimiter: readonly string[], allowed: string): readonly string[] {
  try {
    const options = { delimiter: [...delimiter], trim: true, relax_column_count: true };
    const [cells = []] = parse(line.content, options);
    return cells.map((cell) => /^'(.*)'$/.exec(cell)?.[1] ?? cell);
  } catch (error) {
    throw notUnderstood(line, allowed, error);
  }
}
