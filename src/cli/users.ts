/** Whose history is exported: named users, and those of a file. */
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';
import type { Terminal } from './terminal.js';

const USER_COLUMN = 'user_id';

/**
 * User ids in the order given, each once.
 *
 * @param file one user a line, or CSV whose header has a column `user_id`; `-` is stdin
 * @throws {UsageError} nobody is named, or the file cannot be read
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
      : `--users-file ${file} names no user; allowed is one a line, or CSV with a column ${USER_COLUMN}`,
  );
}

async function contentOf(file: string, { stdin }: Terminal): Promise<string> {
  try {
    return await (file === '-' ? readText(stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--users-file ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function usersIn(file: string, content: string): string[] {
  const [firstLine = ''] = content.replace(/^\uFEFF/, '').split(/\r?\n/, 1);
  const header = firstLine.split(/[,;\t]/).map((name) => name.trim().replace(/^"|"$/g, ''));
  if (!header.includes(USER_COLUMN)) {
    return content
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
  try {
    const rows = parse(content, {
      ...{ columns: true, bom: true, trim: true, skip_empty_lines: true, relax_column_count: true },
      delimiter: [',', ';', '\t'],
    }) as unknown as Record<string, string>[];
    return rows.flatMap((row) => (row[USER_COLUMN] ? [row[USER_COLUMN]] : []));
  } catch (error) {
    throw new UsageError(`--users-file ${file} is no CSV: ${messageOf(error)}`, { cause: error });
  }
}
