/** Reads a hold file: one id per line, or CSV. Refuses a line that it does not understand. */
import { parse } from 'csv-parse/sync';
import { Holds, type Hold, type HoldTarget } from '../../archive/holds.js';
import { UsageError } from '../../base/usage-error.js';
import { readGiven } from './given-file.js';

/** The holds of all files. @throws {UsageError} a file cannot be read, or a line is not understood */
export async function readHolds(files: readonly string[] = []): Promise<Holds> {
  let all = Holds.none;
  for (const file of new Set(files)) all = all.with(await readHoldFile(file));
  return all;
}

async function readHoldFile(file: string): Promise<Holds> {
  const name = `--hold-file ${file}`;
  return parseHolds(textOf(await readGiven('--hold-file', file), name), name);
}

/** UTF-8, or UTF-16 with a byte order mark. */
function textOf(bytes: Uint8Array, name: string): string {
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

interface Line {
  /** Without its comment. */
  readonly content: string;
  readonly whole: string;
  readonly source: string;
}

const ALLOWED = 'allowed is an id, or user,session; # begins a comment';
const COLUMNS: Readonly<Record<string, keyof HoldTarget>> = {
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
};

/** @param name the file's, for errors. @throws {UsageError} a line is not understood */
export function parseHolds(text: string, name: string): Holds {
  const lines = text.split(/\r\n|\n|\r/).flatMap((whole, index): Line[] => {
    const content = withoutComment(whole).trim();
    const source = `${name}, line ${index + 1} (${JSON.stringify(whole.trim().slice(0, 100))})`;
    return content === '' ? [] : [{ content, whole: whole.trim(), source }];
  });
  const [first, ...others] = lines;
  if (!first) return Holds.none;
  const columns = cellsOf(first).map((cell) => COLUMNS[cell.toLowerCase().replace(/[ -]/g, '_')]);
  if (columns.every((column) => column === undefined)) return new Holds(lines.map(plainHold));
  // a user can have the id “user”
  const { readings } = columns.length > 2 ? idHold(first) : plainHold(first);
  const heading = { readings, source: first.source, isOptional: true };
  return new Holds([heading, ...others.map((line) => holdInColumns(line, columns))]);
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

function cellsOf(line: Line): readonly string[] {
  try {
    const [cells = []] = parse(line.content, { delimiter: [',', ';', '\t'], trim: true });
    return cells.map((cell) => /^'(.*)'$/.exec(cell)?.[1] ?? cell);
  } catch (error) {
    throw notUnderstood(line, error);
  }
}

/** Reads the whole line as one id, beside any other reading. */
function idHold({ content, whole, source }: Line): Hold {
  return { readings: [...new Set([content, whole])].map((id) => ({ id })), source };
}

function plainHold(line: Line): Hold {
  const cells = [...cellsOf(line)];
  while (cells.at(-1) === '') cells.pop();
  const [first = '', second] = cells;
  if (cells.length === 0 || cells.length > 2) throw notUnderstood(line);
  if (second === undefined) return withReading(line, { id: first });
  return withReading(line, first === '' ? { session: second } : { user: first, session: second });
}

function holdInColumns(line: Line, columns: readonly (keyof HoldTarget | undefined)[]): Hold {
  const cells = cellsOf(line);
  if (cells.length > columns.length) throw notUnderstood(line);
  const of = (name: keyof HoldTarget): string | undefined =>
    columns.flatMap((column, index) => (column === name && cells[index] ? cells[index] : []))[0];
  const [id, user, session] = [of('id'), of('user'), of('session')];
  if (id !== undefined) return withReading(line, { id });
  if (user === undefined && session === undefined) throw notUnderstood(line);
  return withReading(line, { user, session });
}

function withReading(line: Line, target: HoldTarget): Hold {
  return { readings: [target, ...idHold(line).readings], source: line.source };
}

function notUnderstood({ source }: Line, cause?: unknown): UsageError {
  return new UsageError(`${source} is not understood; ${ALLOWED}`, { cause });
}
