/** Reads a hold file: one id per line, or CSV. Refuses a line that it does not understand. */
import { Holds, type Hold, type HoldTarget } from '../../archive/holds/holds.js';
import { UsageError } from '../../base/error.js';
import { readGiven } from './given-file.js';
import {
  hasOnlyColumnNames,
  idListText,
  notUnderstood,
  parseIdList,
  plainCells,
  type IdColumn,
  type IdHeading,
  type IdLine,
} from './id-list.js';

/** The settings of a command that reads hold files. */
export interface HoldFiles {
  readonly holdFile?: readonly string[] | undefined;
  /** Whether a file may hold nothing. */
  readonly allowEmptyHolds: boolean;
}

/** The holds of all files. @throws {UsageError} a file cannot be read or holds nothing, or a line is not understood */
export async function readHolds({ holdFile = [], allowEmptyHolds }: HoldFiles): Promise<Holds> {
  let all = Holds.none;
  for (const file of new Set(holdFile)) {
    const name = `--hold-file ${file}`;
    const holds = parseHolds(idListText(await readGiven('--hold-file', file), name), name);
    if (!allowEmptyHolds && holds.entries.every(({ isOptional }) => isOptional === true)) {
      throw emptyError(name, holds);
    }
    all = all.with(holds);
  }
  return all;
}

/** A list that was lost, or written without its lines, looks as one that protects nobody. */
function emptyError(name: string, { entries }: Holds): UsageError {
  const what = entries.length === 0 ? 'no line' : 'a heading and no other line';
  return new UsageError(
    `${name} has ${what}, so it would hold nothing; if that is right, pass --allow-empty-holds`,
  );
}

const ALLOWED = 'allowed is an id, or user,session; # begins a comment';

/** @param name the file's, for errors. @throws {UsageError} a line is not understood */
export function parseHolds(text: string, name: string): Holds {
  const list = parseIdList(text, name, ALLOWED);
  const { heading } = list;
  const lines = [...list.lines];
  const late = lines.find((line) => hasOnlyColumnNames(line, ALLOWED));
  if (late) throw lateHeading(late);
  if (!heading) return new Holds(lines.map(plainHold));
  // a user can have the id “user”
  const { readings } = heading.columns.length > 2 ? idHold(heading.line) : plainHold(heading.line);
  const first = { readings, source: heading.line.source, isOptional: true };
  return new Holds([first, ...lines.flatMap((line) => holdsInColumns(line, heading))]);
}

/** The lines below a heading that is not seen as one would be pairs, which hold nobody else's sessions. */
function lateHeading({ source }: IdLine): UsageError {
  return new UsageError(
    `${source} has names of columns alone, and is not the first line; remove what is above it, or begin that with #`,
  );
}

/** Reads the whole line as one id, beside any other reading. */
function idHold({ content, whole, source }: IdLine): Hold {
  return { readings: [...new Set([content.trim(), whole])].map((id) => ({ id })), source };
}

function plainHold(line: IdLine): Hold {
  // white space around it is no separator
  const cells = plainCells(line, ALLOWED, line.content.trim());
  if (cells.length === 0 || cells.length > 2) throw notUnderstood(line, ALLOWED);
  const [first = '', second] = cells;
  if (second === undefined) return withReadings(line, [{ id: first }]);
  const target = first === '' ? { session: second } : { user: first, session: second };
  return withReadings(line, [target]);
}

/**
 * Every cell of every column that is an id's is held; a user beside a session means that session of that user. A
 * number in a column `id` may be a row's: it need not be known, and does not vouch for the user beside it.
 */
function holdsInColumns(line: IdLine, heading: IdHeading): Hold[] {
  const cells = heading.cellsOf(line);
  const inColumn = (name: IdColumn): string[] =>
    heading.columns.flatMap((column, at) => (column === name && cells[at] ? cells[at] : []));
  const [ids, users, sessions] = [inColumn('id'), inColumn('user'), inColumn('session')];
  const all = [...ids, ...users, ...sessions];
  if (all.length === 0 || all.some((id) => id.includes('\n'))) throw notUnderstood(line, ALLOWED);
  const pairs = users.flatMap((user) => sessions.map((session) => ({ user, session })));
  const plain = ids.map((id) => ({ id }));
  const named: HoldTarget[] =
    pairs.length > 0
      ? pairs
      : [...users.map((user) => ({ user })), ...sessions.map((session) => ({ session }))];
  if (named.length === 0) return [withReadings(line, plain)];
  const beside = plain.length > 0 ? [{ ...withReadings(line, plain), isOptional: true }] : [];
  return [withReadings(line, named), ...beside];
}

function withReadings(line: IdLine, targets: readonly HoldTarget[]): Hold {
  return { readings: [...targets, ...idHold(line).readings], source: line.source };
}
