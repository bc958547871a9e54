/** Reads the users to export: from flags and from a file. */
import { parse } from 'csv-parse/sync';
import { messageOf } from '../../base/error.js';
import { UsageError } from '../../base/usage-error.js';
import type { Terminal } from '../terminal.js';
import { readGiven } from './given-file.js';

const USER_COLUMN = 'user_id';

/**
 * User ids in the order given, each once.
 *
 * @param file one user a line, or CSV whose header has a column `user_id`; `-` is stdin
 * @throws {UsageError} there is no user, or the file cannot be read or parsed
 */
export async function readUsers(
  named: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<string[]> {
  const listed = file === undefined ? [] : usersIn(file, await contentOf(file, terminal));
  const users = [...new Set([...named, ...listed])];
  if (users.length > 0) return users;
  throw new UsageError(
    file === undefined
      ? 'no user is named; give --user or --users-file'
      : `--users-file ${file} has no user; allowed is one user per line, or CSV with a column ${USER_COLUMN}`,
  );
}

async function contentOf(file: string, terminal: Terminal): Promise<string> {
  const bytes = await readGiven('--users-file', file, terminal);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // without its byte order mark
  } catch (error) {
    throw new UsageError(`--users-file ${file} is not UTF-8 text`, { cause: error });
  }
}

function usersIn(file: string, content: string): string[] {
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  const [firstLine = ''] = lines;
  const header = firstLine.split(/[,;\t]/).map((name) => name.trim().replace(/^"|"$/g, ''));
  if (header.includes(USER_COLUMN)) return usersInColumn(file, content, delimiterOf(firstLine));
  if (header.length > 1 && header.every((name) => /^[\w .-]+$/.test(name))) {
    throw new UsageError(
      `--users-file ${file} begins with the columns ${header.join(', ')}; one must be ${USER_COLUMN}`,
    );
  }
  return lines.filter((line) => line !== '');
}

/** The delimiter of the header; a user id may contain the others. */
function delimiterOf(header: string): string {
  return /[,;\t]/.exec(header)?.[0] ?? ',';
}

function usersInColumn(file: string, content: string, delimiter: string): string[] {
  try {
    const rows = parse(content, {
      columns: true,
      trim: true,
      skip_empty_lines: true,
      delimiter,
      relax_column_count_less: true, // a row with too many would give the wrong user
    }) as unknown as Record<string, string>[];
    return rows.flatMap((row) => (row[USER_COLUMN] ? [row[USER_COLUMN]] : []));
  } catch (error) {
    throw new UsageError(`--users-file ${file} is not CSV: ${messageOf(error)}`, { cause: error });
  }
}
