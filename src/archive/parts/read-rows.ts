/** Rows of one session, read back from the part files that may hold them. */
import type { RowFormat } from '../../formats/format.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { Archive } from '../archive.js';
import { currentContents, filesOfTable } from '../archive.js';
import { isRewrite } from '../log/commit-kind.js';
import type { FileEntry } from '../log/commit.js';
import { readPart } from '../read-part.js';

export interface SessionRowsOptions {
  readonly archive: Archive;
  /** The archive's row formats; the first that it keeps is read. */
  readonly formats: readonly RowFormat[];
  readonly session: string;
}

/** Which users have the session in the archive: normally one. */
export async function usersOfSession(archive: Archive, session: string): Promise<string[]> {
  const head = await archive.log.head();
  const users = new Set<string>();
  for await (const commit of archive.log.commits(1, head?.number ?? 0)) {
    commit.sessions
      .filter((entry) => entry.session === session)
      .forEach((entry) => users.add(entry.user));
  }
  return [...users];
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
  const { archive, session } = options;
  const files = await filesTouching(archive, session, table);
  for await (const row of rowsOfFiles(options, table, files)) {
    if (row['session_id'] === session) yield row;
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

async function filesTouching(
  archive: Archive,
  session: string,
  table: TableSchema,
): Promise<FileEntry[]> {
  const { files } = await currentContents(archive);
  const head = await archive.log.head();
  const touching: FileEntry[] = [];
  for await (const commit of archive.log.commits(1, head?.number ?? 0)) {
    const mayHold = isRewrite(commit) || commit.sessions.some((entry) => entry.session === session);
    if (!mayHold) continue;
    touching.push(
      ...commit.files.filter((file) => file.table === table.name && files.has(file.path)),
    );
  }
  return touching;
}
