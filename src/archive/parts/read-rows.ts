/** Rows of one session, read back from the part files that may hold them. */
import type { RowFormat } from '../../formats/format.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { Archive } from '../archive.js';
import { filesOfTable } from '../archive.js';
import { isRewrite } from '../log/commit-kind.js';
import type { FileEntry } from '../log/commit.js';
import type { SessionTrace } from '../log/session-traces.js';
import { readPart } from '../read-part.js';

export interface SessionRowsOptions {
  readonly archive: Archive;
  /** The archive's row formats; the first that it keeps is read. */
  readonly formats: readonly RowFormat[];
  readonly session: string;
  /** Where the log tells of it: see `traceSessions`. */
  readonly trace: SessionTrace;
}

/**
 * Yields a table's rows of the session, all versions, in the order written. Only files of commits that
 * touch the session are opened.
 *
 * @throws {IntegrityError | FormatError} as `readPart`
 */
export async function* rowsOfSession(
  options: SessionRowsOptions,
  table: TableSchema,
): AsyncGenerator<Row> {
  for await (const row of rowsOfFiles(options, table, filesTouching(options, table))) {
    if (row['session_id'] === options.session) yield row;
  }
}

/** Yields all rows of a table, all versions, ordered by file. @throws as `readPart` */
export async function* rowsOfTable(
  options: Pick<SessionRowsOptions, 'archive' | 'formats'>,
  table: TableSchema,
): AsyncGenerator<Row> {
  yield* rowsOfFiles(options, table, await filesOfTable(options.archive, table.name));
}

async function* rowsOfFiles(
  { archive, formats }: Pick<SessionRowsOptions, 'archive' | 'formats'>,
  table: TableSchema,
  files: readonly FileEntry[],
): AsyncGenerator<Row> {
  const format = formats.find(({ name }) => archive.identity.formats.includes(name));
  if (!format) return;
  for (const file of files) {
    if (!file.path.endsWith(`.${format.extension}`)) continue;
    for await (const rows of readPart(archive, file, { table, format })) yield* rows;
  }
}

function filesTouching(
  { archive: { index }, trace }: SessionRowsOptions,
  table: TableSchema,
): FileEntry[] {
  return [...index.commits]
    .filter((commit) => trace.commits.has(commit.number) || isRewrite(commit))
    .flatMap((commit) => commit.files)
    .flatMap((path) => index.contents.files.get(path) ?? [])
    .filter((file) => file.table === table.name);
}
