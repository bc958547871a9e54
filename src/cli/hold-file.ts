/** What must stay: ids of users and sessions, one a line. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';

/** None where no file is named. @throws {UsageError} it cannot be read, or is no text */
export async function readHolds(file: string | undefined): Promise<ReadonlySet<string>> {
  if (file === undefined) return new Set();
  const name = `--hold-file ${file}`;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const why =
      error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read: ${messageOf(error)}`;
    throw new UsageError(`${name} ${why}`, { cause: error });
  }
  return new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
}
