/** Reads the users to export: from flags and from files. */
import type { Logger } from '../../base/logger.js';
import { whyListIsMarkup } from '../../archive/reading/users/users-list.js';
import { UsageError } from '../../base/error.js';
import { groupBy } from '../../base/group-by.js';
import type { UserRow } from '../../query/views/users-view.js';
import { foldedUser } from '../../model/user-spelling.js';
import type { Terminal } from '../output/terminal.js';
import { TextSet } from '../../base/text/text-set.js';
import { blamingFile, chunksOfGiven } from './given-file.js';
import {
  hasColumnName,
  idListPieces,
  parseIdList,
  plainCells,
  type IdHeading,
  type IdLine,
} from './id-list.js';

const USER_COLUMN = 'user_id';
const ALLOWED = `one user per line, or CSV with a column ${USER_COLUMN}`;

/** As the settings of these names give them. */
export interface GivenUsers {
  readonly user?: readonly string[] | undefined;
  /** One user a line, or CSV whose heading has a column `user_id`; `-` is stdin. */
  readonly usersFile?: string | undefined;
  readonly excludeUser?: readonly string[] | undefined;
  /** Files like `usersFile`. */
  readonly excludeUsersFile?: readonly string[] | undefined;
}

/**
 * User ids in the order given, each once, without those that are excluded and other spellings of these: somebody who
 * was erased must not come back as `Ana` instead of `ana`.
 *
 * @throws {UsageError} no user is left, or a file cannot be read or parsed
 */
export async function readUsers(given: GivenUsers, io: InputOutput): Promise<string[]> {
  return [...(await collectUsers(given, io, () => new Set<string>()))];
}

/** As `readUsers`, for millions of them. */
export async function readManyUsers(given: GivenUsers, io: InputOutput): Promise<TextSet> {
  return collectUsers(given, io, () => new TextSet());
}

interface InputOutput {
  readonly terminal: Terminal;
  readonly logger: Logger;
}

type UserSet = Pick<Set<string>, 'size'> & Iterable<string> & { add(user: string): unknown };

async function collectUsers<Users extends UserSet>(
  { user: named = [], usersFile: file, excludeUser = [], excludeUsersFile = [] }: GivenUsers,
  { terminal, logger }: InputOutput,
  nobody: () => Users,
): Promise<Users> {
  if ([file, ...excludeUsersFile].filter((name) => name === '-').length > 1) {
    throw new UsageError(
      'only one of --users-file and --exclude-users-file can be - (stdin), which is read once',
    );
  }
  const users = nobody();
  for (const user of named) users.add(user);
  if (file !== undefined) {
    await blamingFile('--users-file', file, async () => {
      for (const user of await usersIn('--users-file', file, terminal)) users.add(user);
      if (users.size === 0) throw hasNobody(file);
    });
  }
  if (users.size === 0) throw new UsageError('no user is named; give --user or --users-file');
  const excluded = new Set(excludeUser);
  for (const name of excludeUsersFile) {
    for (const user of await excludedIn(name, terminal)) excluded.add(user);
  }
  if (excluded.size === 0) return users;
  const remaining = nobody();
  addWithoutExcluded(users, excluded, { remaining, logger });
  return remaining;
}

function hasNobody(file: string): UsageError {
  return new UsageError(`--users-file ${file} has no user; allowed is ${ALLOWED}`);
}

/** Which of these users the configuration excludes, however spelt: none by a file that cannot be read. */
export async function excludedAmong(
  users: readonly string[],
  { excludeUser = [], excludeUsersFile = [] }: GivenUsers,
  terminal: Terminal,
): Promise<ReadonlySet<string>> {
  const folded = new Set(excludeUser.map(foldedUser));
  for (const file of excludeUsersFile) {
    const read = file === '-' ? [] : await excludedIn(file, terminal).catch(() => []);
    for (const user of read) folded.add(foldedUser(user));
  }
  return new Set(users.filter((user) => folded.has(foldedUser(user))));
}

function addWithoutExcluded(
  users: UserSet,
  excluded: ReadonlySet<string>,
  { remaining, logger }: { readonly remaining: UserSet; readonly logger: Logger },
): void {
  const folded = new Set(Array.from(excluded, foldedUser));
  const otherwise: string[] = [];
  for (const user of users) {
    if (!folded.has(foldedUser(user))) remaining.add(user);
    else if (!excluded.has(user)) otherwise.push(user);
  }
  const gone = users.size - remaining.size;
  if (remaining.size === 0) {
    throw new UsageError('every user that is named is excluded by --exclude-user or its file');
  }
  if (gone > 0) logger.info({ users: gone }, 'excluded, as asked for');
  if (otherwise.length > 0) {
    logger.warn(
      { users: otherwise.slice(0, MAX_NAMED), count: otherwise.length },
      'excluded, too: another spelling of an excluded user',
    );
  }
}

/** How many users a line of the log names. */
const MAX_NAMED = 20;

/** @throws {UsageError} it is empty: a list that was lost, or written without its lines, looks as one that excludes nobody */
async function excludedIn(file: string, terminal: Terminal): Promise<readonly string[]> {
  const [flag, found] = ['--exclude-users-file', { hasComment: false }];
  const users = [...(await usersIn(flag, file, terminal, found))];
  if (whyListIsMarkup(users) !== undefined) {
    throw new UsageError(
      `${flag} ${file} looks like a web page, so it would exclude nobody; write it again`,
    );
  }
  if (users.length > 0 || found.hasComment) return users;
  throw new UsageError(
    `${flag} ${file} has no user, so it would exclude nobody; if that is right, put a comment into it: a line that begins with #`,
  );
}

/** @param found told whether the file has a comment */
async function usersIn(
  flag: string,
  file: string,
  terminal: Terminal,
  found = { hasComment: false },
): Promise<Generator<string>> {
  const name = `${flag} ${file}`;
  const pieces = idListPieces(await chunksOfGiven(flag, file, terminal), name);
  function* watched(): Generator<string> {
    for (const piece of pieces) {
      found.hasComment ||= piece.includes('#');
      yield piece;
    }
  }
  return usersOf(watched(), name);
}

/** @param pieces of the text of a file of this name */
function* usersOf(pieces: Iterable<string>, name: string): Generator<string> {
  const { first, heading, lines } = parseIdList(pieces, name, `allowed is ${ALLOWED}`);
  if (first && isOfPage(first)) {
    yield first.content.trim();
    return;
  }
  const columns = heading && userColumns(heading, name);
  let isFirst = true;
  for (const line of lines) {
    if (!heading || !columns) {
      yield plainUser(line, { isFirst, name });
      isFirst = false;
      continue;
    }
    const cells = heading.cellsOf(line);
    for (const column of columns) if (cells[column]) yield cells[column];
  }
}

/**
 * The users of a file with its other columns, each user once: the first line of several counts, and where others say
 * something else, a warning names them.
 *
 * @throws {UsageError} the file cannot be read or parsed, has no user, is a web page, or has two columns of one name
 */
export async function readUserRows(
  file: string,
  { terminal, logger }: InputOutput,
): Promise<UserRow[]> {
  const rows = [...(await userRowsIn(file, terminal))];
  if (rows.length === 0) throw hasNobody(file);
  const markup = whyListIsMarkup(rows.map(({ user_id: user }) => user));
  if (markup !== undefined) throw new UsageError(markup);
  const people = groupBy(rows, ({ user_id: user }) => foldedUser(user));
  const differing = [...people.values()].filter((some) => new Set(some.map(textOfRow)).size > 1);
  if (differing.length > 0) {
    const users = differing.flatMap(([first]) => first?.user_id ?? []);
    logger.warn(
      { users: users.slice(0, MAX_NAMED), count: users.length },
      'the users file has lines of one user that differ: the line of the same spelling counts, and of several the first',
    );
  }
  const byId = groupBy(rows, ({ user_id: user }) => user);
  return [...byId.values()].flatMap(([first]) => first ?? []);
}

/** What a line of a users file says beside the id. */
function textOfRow(row: UserRow): string {
  return JSON.stringify({ ...row, user_id: '' });
}

/** The users of a file, one for each line. */
async function userRowsIn(file: string, terminal: Terminal): Promise<UserRow[]> {
  const name = `--users-file ${file}`;
  const pieces = idListPieces(await chunksOfGiven('--users-file', file, terminal), name);
  const { first, heading, lines } = parseIdList(pieces, name, `allowed is ${ALLOWED}`);
  if (first && isOfPage(first)) return [{ user_id: first.content.trim() }];
  const rows: UserRow[] = [];
  if (!heading) {
    let isFirst = true;
    for (const line of lines) {
      const user = plainUser(line, { isFirst, name });
      isFirst = false;
      rows.push({ user_id: user });
    }
    return rows;
  }
  const columns = userColumns(heading, name);
  const others = heading.names.flatMap((column, at) =>
    columns.includes(at) || column === '' ? [] : [{ column, at }],
  );
  const folded = others.map(({ column }) => column.toLowerCase());
  const twice = others.find((_, at) => folded.indexOf(folded[at] ?? '') !== at);
  if (twice)
    throw new UsageError(`${name} has two columns ${twice.column}; one name stands for one`);
  for (const line of lines) {
    const cells = heading.cellsOf(line);
    const more = Object.fromEntries(others.map(({ column, at }) => [column, cells[at] ?? null]));
    for (const at of columns) {
      const user = cells[at];
      if (user) rows.push({ ...more, user_id: user });
    }
  }
  return rows;
}

/** Whether a web page begins so: what stands in the rest of it is no matter, its first line alone is read as a user. */
function isOfPage({ content }: IdLine): boolean {
  return content.trimStart().startsWith('<');
}

/** Numbers of the columns with users. A column `id` beside others may be anything. @throws {UsageError} */
function userColumns({ names, columns }: IdHeading, name: string): readonly number[] {
  const exact = names.indexOf(USER_COLUMN);
  if (exact >= 0) return [exact];
  const users = columns.flatMap((column, at) => (column === 'user' ? at : []));
  if (users.length > 0) return users;
  if (columns.length === 1 && columns[0] === 'id') return [0];
  throw columnMissing(names, name);
}

/** An id may hold a comma; what looks like a heading is not taken for a user. @throws {UsageError} */
function plainUser(
  line: IdLine,
  { isFirst, name }: { readonly isFirst: boolean; readonly name: string },
): string {
  const content = line.content.trim();
  const cells = plainCells(line, `allowed is ${ALLOWED}`, content);
  if (isFirst && cells.length > 1 && cells.every((cell) => /^[\w .-]+$/.test(cell))) {
    throw columnMissing(cells, name);
  }
  if (!isFirst && cells.length > 1 && hasColumnName(line, ALLOWED)) {
    throw new UsageError(
      `${line.source} has names of columns, and is not the first line; remove what is above it, or begin that with #`,
    );
  }
  return cells.length === 1 ? (cells[0] ?? content) : content;
}

function columnMissing(names: readonly string[], name: string): UsageError {
  const are = names.length === 1 ? 'column' : 'columns';
  return new UsageError(
    `${name} begins with the ${are} ${names.join(', ')}; one must be ${USER_COLUMN}`,
  );
}
