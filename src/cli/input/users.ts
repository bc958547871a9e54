/** Reads the users to export: from flags and from a file. */
import { UsageError } from '../../base/usage-error.js';
import type { Terminal } from '../terminal.js';
import { readGiven } from './given-file.js';
import { idListText, parseIdList, plainCells, type IdHeading, type IdLine } from './id-list.js';

const USER_COLUMN = 'user_id';
const ALLOWED = `one user per line, or CSV with a column ${USER_COLUMN}`;

/**
 * User ids in the order given, each once.
 *
 * @param file one user a line, or CSV whose heading has a column `user_id`; `-` is stdin
 * @throws {UsageError} there is no user, or the file cannot be read or parsed
 */
export async function readUsers(
  named: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<string[]> {
  const listed = file === undefined ? [] : await usersInFile(file, terminal);
  const users = [...new Set([...named, ...listed])];
  if (users.length > 0) return users;
  throw new UsageError(
    file === undefined
      ? 'no user is named; give --user or --users-file'
      : `--users-file ${file} has no user; allowed is ${ALLOWED}`,
  );
}

async function usersInFile(file: string, terminal: Terminal): Promise<string[]> {
  const name = `--users-file ${file}`;
  const text = idListText(await readGiven('--users-file', file, terminal), name);
  const { heading, lines } = parseIdList(text, name, `allowed is ${ALLOWED}`);
  if (!heading) return lines.map((line, index) => plainUser(line, { isFirst: index === 0, name }));
  const columns = userColumns(heading, name);
  return lines.flatMap((line) => {
    const cells = heading.cellsOf(line);
    return columns.flatMap((column) => cells[column] || []);
  });
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
  const cells = plainCells({ ...line, content }, `allowed is ${ALLOWED}`);
  if (isFirst && cells.length > 1 && cells.every((cell) => /^[\w .-]+$/.test(cell))) {
    throw columnMissing(cells, name);
  }
  return cells.length === 1 ? (cells[0] ?? content) : content;
}

function columnMissing(names: readonly string[], name: string): UsageError {
  const are = names.length === 1 ? 'column' : 'columns';
  return new UsageError(
    `${name} begins with the ${are} ${names.join(', ')}; one must be ${USER_COLUMN}`,
  );
}
