/** Reads the result table of a query. */
import { type TemporaryDirectory } from '../storage/local/temporary-directory.js';
import { RESULT_DATABASE, type LockedDatabase } from './locked-database.js';
import { duckDbFailure } from './is-unknown-table.js';
import { resultColumn, TEXT_MARK, textExpression, type ResultColumn } from './result-columns.js';
import { type QueryResult, type ResultRow } from './query-result.js';
import { sqlText } from './sql-text.js';

export const RESULT_TABLE = `${RESULT_DATABASE}.main.rows_found`;

/** A database with the result in it. */
export interface Answer extends Pick<
  QueryResult,
  'commits' | 'usersInSeveral' | 'unverifiedBytes'
> {
  readonly database: LockedDatabase;
}

interface ResultPlace extends Answer {
  readonly temporary: TemporaryDirectory;
  readonly signal?: AbortSignal | undefined;
}

/** @param place its database has the result in `RESULT_TABLE` */
export async function openResult(place: ResultPlace): Promise<QueryResult> {
  const { connection } = place.database;
  const described = await connection.runAndReadAll(`DESCRIBE ${RESULT_TABLE}`);
  const columns = described
    .getRowObjects()
    .map((row) => resultColumn(String(row['column_name']), String(row['column_type'])));
  const counted = await connection.runAndReadAll(`SELECT count(*) AS n FROM ${RESULT_TABLE}`);
  const rowCount = Number(counted.getRowObjects()[0]?.['n']);
  return {
    commits: place.commits,
    usersInSeveral: place.usersInSeveral,
    unverifiedBytes: place.unverifiedBytes,
    columns,
    rowCount,
    rows: (limit) => withKnownErrors(place, rowsOf(place, columns, limit)),
    parquet: () => withKnownErrors(place, parquetOf(place)),
  };
}

async function* withKnownErrors<T>(
  { signal }: ResultPlace,
  parts: AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    yield* parts;
  } catch (error) {
    signal?.throwIfAborted();
    throw duckDbFailure(error);
  }
}

async function* rowsOf(
  { database, signal }: ResultPlace,
  columns: readonly ResultColumn[],
  limit: number | undefined,
): AsyncGenerator<readonly ResultRow[]> {
  const texts = columns.map(textExpression).join(', ');
  const result = await database.connection.stream(
    `SELECT ${texts} FROM ${RESULT_TABLE}${limit === undefined ? '' : ` LIMIT ${limit}`}`,
  );
  for await (const chunk of result) {
    signal?.throwIfAborted();
    yield chunk
      .getRows()
      .map((row) =>
        row.map((cell) => (cell === null ? null : String(cell).slice(TEXT_MARK.length))),
      );
  }
}

async function* parquetOf({ database, temporary }: ResultPlace): AsyncGenerator<Uint8Array> {
  const { connection, resultFile } = database;
  await connection.run(
    `COPY ${RESULT_TABLE} TO ${sqlText(resultFile)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  yield* temporary.storage.read(resultFile.slice(temporary.path.length + 1));
}
