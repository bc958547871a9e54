/** Reads one session for people: the newest version of each of its jobs, with blocks and files. */
import { groupBy } from '../../base/group-by.js';
import { UsageError } from '../../base/usage-error.js';
import type { RowFormat } from '../../formats/format.js';
import { rowId } from '../../model/ids.js';
import { presentableRow } from '../../model/mask-secrets.js';
import { oldestFirst } from '../../model/oldest-first.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../../model/tables.js';
import type { Archive } from '../archive.js';
import { traceScope } from '../reading/scope.js';
import { againWhereRewritten } from './again-where-rewritten.js';
import { rowsOfSession, type SessionRowsOptions } from './read-rows.js';
import { readUnrewritten } from './read-unrewritten.js';

/** One version of a job: its rows of the tables `jobs`, `blocks` and `artifacts`. */
export interface JobRows {
  readonly job: Row;
  /** Of the question and the answer, in any order. */
  readonly blocks: readonly Row[];
  readonly artifacts: readonly Row[];
}

export interface Conversation {
  /** The row of the table `sessions`. */
  readonly session: Row;
  /** The oldest first. */
  readonly jobs: readonly JobRows[];
}

interface SessionChoice {
  readonly session: string;
  /** Only this job. Default: all. */
  readonly job?: string | undefined;
}

/**
 * @throws {UsageError} the archive has no such session or job
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function conversationOf(
  archive: Archive,
  formats: readonly RowFormat[],
  choice: SessionChoice,
  signal?: AbortSignal,
): Promise<Conversation> {
  return againWhereRewritten(() =>
    readUnrewritten(archive, 'answer', () => read(archive, formats, { ...choice, signal })),
  );
}

async function read(
  archive: Archive,
  formats: readonly RowFormat[],
  { session, job, signal }: SessionChoice & { readonly signal: AbortSignal | undefined },
): Promise<Conversation> {
  const place = archive.storage.location;
  const scope = { users: [], sessions: [session] };
  const traces = [...(await traceScope(archive, scope, signal)).values()];
  // more than one where ids differ only in what rows cannot have
  const trace = {
    users: new Set(traces.flatMap(({ users }) => [...users])),
    commits: new Set(traces.flatMap(({ commits }) => [...commits])),
  };
  const options = { archive, formats, session, trace, signal };
  const sessions = await newest(shownRows(options, sessionsTable), () => '', 'session_version');
  const jobs = await newest(shownRows(options, jobsTable), jobIdOf, 'job_version');
  const chosen = jobs.filter((row) => job === undefined || row['job_id'] === rowId(job));
  if (job !== undefined && chosen.length === 0) {
    throw new UsageError(`session "${session}" in ${place} has no job "${job}"`);
  }
  const versions = new Map(chosen.map((row) => [row['job_id'], row['job_version']]));
  const isShown = (row: Row) => versions.get(row['job_id'] ?? null) === row['job_version'];
  const blocks = await gather(shownRows(options, blocksTable), isShown);
  const artifacts = await gather(shownRows(options, artifactsTable), isShown);
  const [blocksOf, artifactsOf] = [groupBy(blocks, jobIdOf), groupBy(artifacts, jobIdOf)];
  const shown: JobRows[] = oldestFirst(chosen).map((row) => ({
    job: row,
    blocks: blocksOf.get(jobIdOf(row)) ?? [],
    artifacts: artifactsOf.get(jobIdOf(row)) ?? [],
  }));
  return { session: sessions[0] ?? { session_id: rowId(session) }, jobs: shown };
}

/** Without URL signatures, which must not appear on a screen or in a log. */
async function* shownRows(options: SessionRowsOptions, table: TableSchema): AsyncGenerator<Row> {
  for await (const row of rowsOfSession(options, table)) yield presentableRow(table, row);
}

const jobIdOf = (row: Row): unknown => row['job_id'];

/** For each key the row with the highest version. */
async function newest(
  rows: AsyncIterable<Row>,
  keyOf: (row: Row) => unknown,
  version: string,
): Promise<Row[]> {
  const best = new Map<unknown, Row>();
  for await (const row of rows) {
    const before = best.get(keyOf(row));
    if (!before || Number(row[version]) >= Number(before[version])) best.set(keyOf(row), row);
  }
  return [...best.values()];
}

async function gather(rows: AsyncIterable<Row>, isWanted: (row: Row) => boolean): Promise<Row[]> {
  const kept: Row[] = [];
  for await (const row of rows) if (isWanted(row)) kept.push(row);
  return kept;
}
