/** Reads rows of a session, a user or a table from the part files that may contain them. */
import type { RowFormat } from '../../formats/format.js';
import { rowId, type UserId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { Archive } from '../archive.js';
import { filesOfTable } from '../archive.js';
import { isRewrite } from '../log/commit-kind.js';
import type { FileEntry } from '../log/commit.js';
import type { SessionTrace } from '../log/session-traces.js';
import { readPart } from '../read-part.js';

export interface SessionRowsOptions {
  readonly archive: Archive;
  /** Known row formats; the first one that the archive has is read. */
  readonly formats: readonly RowFormat[];
  readonly session: string;
  /** Its users and commits: see `traceSessions`. */
  readonly trace: SessionTrace;
  readonly signal?: AbortSignal | undefined;
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
  const { archive, trace } = options;
  const id = rowId(options.session);
  for await (const row of rowsOfFiles(options, table, filesOf(archive, trace.commits, table))) {
    if (row['session_id'] === id) yield row;
  }
}

/** Yields a table's rows of the user, likewise. @throws as `readPart` */
export async function* rowsOfUser(
  options: Pick<SessionRowsOptions, 'archive' | 'formats' | 'signal'> & { readonly user: UserId },
  table: TableSchema,
): AsyncGenerator<Row> {
  const { archive, user } = options;
  const commits = new Set(archive.index.commitsTouching(user));
  const id = rowId(user);
  for await (const row of rowsOfFiles(options, table, filesOf(archive, commits, table))) {
    if (row['user_id'] === id) yield row;
  }
}

/** Yields all rows of a table, all versions, ordered by file. @throws as `readPart` */
export async function* rowsOfTable(
  options: Pick<SessionRowsOptions, 'archive' | 'formats' | 'signal'>,
  table: TableSchema,
): AsyncGenerator<Row> {
  yield* rowsOfFiles(options, table, await filesOfTable(options.archive, table.name));
}

async function* rowsOfFiles(
  { archive, formats, signal }: Pick<SessionRowsOptions, 'archive' | 'formats' | 'signal'>,
  table: TableSchema,
  files: readonly FileEntry[],
): AsyncGenerator<Row> {
  const format = formats.find(({ name }) => archive.identity.formats.includes(name));
  if (!format) return;
  for (const file of files) {
    if (!file.path.endsWith(`.${format.extension}`)) continue;
    for await (const rows of readPart(archive, file, { table, format, signal })) yield* rows;
  }
}

/** Files of these commits, and of rewrites, which may contain rows of every user. */
function filesOf(
  { index }: Archive,
  commits: ReadonlySet<number>,
  table: TableSchema,
): FileEntry[] {
  return [...index.commits]
    .filter((commit) => commits.has(commit.number) || isRewrite(commit))
    .flatMap((commit) => commit.files)
    .flatMap((path) => index.contents.files.get(path) ?? [])
    .filter((file) => file.table === table.name);
}
