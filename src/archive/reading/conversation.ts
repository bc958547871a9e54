/** Conversations for people: the newest version of each job of a session, with blocks and files. */
import { UsageError } from '../../base/error.js';
import { rowId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  deletionsTable,
  jobsTable,
  sessionsTable,
  TABLES as ALL_TABLES,
} from '../../model/tables.js';
import type { Storage } from '../../storage/storage.js';
import type { ArchiveReading } from '../archive.js';
import { retryOnRewrite, readConsistently } from '../consistent-read.js';
import { ArchiveView } from './archive-view.js';
import {
  GatheredRows,
  type RowsByTable,
  type SessionToGather,
  SelectedRows,
} from './selected-rows.js';
import { resolveJob } from './session-list.js';
import { parsedScope, type GivenScope, Selection } from './selection.js';
import { groupBy } from '../../base/group-by.js';
import { besideNeighbours, isOrderKnown, oldestFirst } from '../../model/oldest-first.js';
import { textIn } from '../../model/mask-secrets.js';

export interface Conversation {
  /** The newest row of the table `sessions`; of a session whose history was never read to the end only its id. */
  readonly session: Row;
  /** Earlier rows of it, newest first; only where all versions are asked for. */
  readonly earlier?: readonly Row[] | undefined;
  /** Rows of the table `deletions`; only where they are asked for. */
  readonly deletions?: readonly Row[] | undefined;
  /** The oldest first, each in its newest version. */
  readonly jobs: readonly JobRows[];
  /** Whether times in their ids show this order: else jobs stand as the service listed them, night by night. */
  readonly order_known: boolean;
}

/** Which rows `conversations` reads, beside those of `sessions` and `jobs`, which come with every conversation. */
export interface ConversationRows {
  /** Default: `blocks` and `artifacts`. */
  readonly tables?: readonly ConversationTable[] | undefined;
  /** `all`: with earlier versions. Default: `newest`. */
  readonly versions?: 'newest' | 'all' | undefined;
}

/** Choices of `show` of an open archive, and the session. */
export interface ConversationChoice {
  readonly session: string;
  /** It is of one of these users. Default: of anybody. */
  readonly users?: readonly string[] | undefined;
  /** Only this job: its id, or the beginning of it. Default: all. */
  readonly job?: string | undefined;
  /** Columns of `jobs` that the caller does not need, such as `answer_text`, which the blocks have, too: their cells may be null. Default: none. */
  readonly omitted?: readonly string[] | undefined;
}

/** Tables of what belongs to a job. */
const OF_JOBS = [
  'blocks',
  'artifacts',
  'groups',
  'stages',
  'sources',
  'questions',
  'raw_jobs',
] as const;
const OF_SESSIONS = ['sessions', 'jobs', 'deletions'] as const;

export type JobTable = (typeof OF_JOBS)[number];
export type ConversationTable = (typeof OF_SESSIONS)[number] | JobTable;

const TABLES = [sessionsTable, jobsTable, blocksTable, artifactsTable];

/** @throws {UsageError} there is no such table, or it is of no conversation */
function tablesNamed(names: readonly string[]): TableSchema[] {
  const allowed: readonly string[] = [...OF_SESSIONS, ...OF_JOBS];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `conversations have no table "${unknown}"; allowed is ${allowed.join(', ')}`,
    );
  }
  const always: TableSchema[] = [sessionsTable, jobsTable];
  return [
    ...always,
    ...ALL_TABLES.filter((one) => !always.includes(one) && names.includes(one.name)),
  ];
}

/**
 * @throws {UsageError} the archive has no such session or job
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function conversationOf(
  reading: ArchiveReading,
  choice: ConversationChoice,
): Promise<Conversation> {
  const { archive } = reading;
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', () => readConversation(reading, choice)),
  );
}

async function readConversation(
  reading: ArchiveReading,
  { session, users = [], job, omitted }: ConversationChoice,
): Promise<Conversation> {
  const { archive, signal } = reading;
  const selection = await Selection.of(archive, { users, sessions: [session] }, signal);
  const selected = await SelectedRows.of(reading, selection);
  const ids = new Set<string>();
  /** Undefined until the jobs are read, and without a chosen job. */
  let id: string | undefined;
  /** Of jobs, which are read first: of blocks and files only those of the newest version are kept. */
  const newest = new Map<unknown, number>();
  const rows = new Map<string, Row[]>();
  for (const table of TABLES) {
    const kept: Row[] = [];
    rows.set(table.name, kept);
    for await (const row of selected.rows(table, table === jobsTable ? omitted : undefined)) {
      const { job_id: of, job_version: version } = row;
      const known = newest.get(of) ?? 0;
      if (table !== sessionsTable && ((id !== undefined && of !== id) || Number(version) < known)) {
        continue;
      }
      if (table === jobsTable) {
        ids.add(String(of));
        if (job !== undefined && !String(of).startsWith(rowId(job))) continue;
        newest.set(of, Number(version));
      }
      kept.push(row);
    }
    if (table !== jobsTable) continue;
    for (const row of kept) {
      if (isWithdrawn(row) && Number(row['job_version']) === newest.get(row['job_id'])) {
        ids.delete(String(row['job_id']));
      }
    }
    if (job === undefined) continue;
    id = resolveJob(rowId(job), ids);
    if (id === undefined) throw noSuchJob(archive.storage.location, session, job);
    rows.set(
      table.name,
      kept.filter((row) => row['job_id'] === id),
    );
  }
  return conversationIn(rows, { session_id: rowId(session) });
}

function noSuchJob(place: string, session: string, job: string): UsageError {
  return new UsageError(`session "${session}" in ${place} has no job "${job}"`);
}

/**
 * Yields the conversations of a scope, user by user, as of the newest commit. Each part file is read once; memory holds
 * a few conversations.
 *
 * @param target where rows are set aside
 * @throws {UsageError} a user, a session or a table is not in the archive
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function* conversationsOf(
  reading: ArchiveReading,
  given: GivenScope,
  target: Storage,
  { tables: names = ['blocks', 'artifacts'], versions = 'newest' }: ConversationRows = {},
): AsyncGenerator<Conversation> {
  const { archive, signal } = reading;
  const scope = parsedScope(given, archive.clock.now());
  const tables = tablesNamed(names);
  const gathered = await retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      const view = await ArchiveView.of(archive, scope, { tellsListings: false, signal });
      const selected = await SelectedRows.of(reading, view.selection);
      const sessions = await sessionsIn(view);
      return GatheredRows.of(selected, sessions, { tables, target, signal });
    }),
  );
  try {
    for await (const { of, rows } of gathered.sessions()) {
      signal?.throwIfAborted();
      const ids = { user_id: of.user, session_id: of.session };
      yield conversationIn(rows, ids, { tables, versions });
    }
  } finally {
    await gathered.discard();
  }
}

async function sessionsIn(view: ArchiveView): Promise<SessionToGather[]> {
  const all: SessionToGather[] = [];
  for await (const { user, sessions } of view.summaries()) {
    for (const { session, state } of sessions) {
      all.push({ user: rowId(user), session: rowId(session), jobs: state.jobs.total });
    }
  }
  return all;
}

function conversationIn(
  rows: RowsByTable,
  ids: Row,
  {
    tables = TABLES,
    versions = 'newest',
  }: { tables?: readonly TableSchema[]; versions?: ConversationRows['versions'] } = {},
): Conversation {
  const sessions = sessionVersions(rows);
  const jobs = jobsInOrder(rows);
  const isWhole = versions === 'all';
  return {
    session: sessions[0] ?? ids,
    earlier: isWhole ? sessions.slice(1) : undefined,
    deletions: tables.includes(deletionsTable) ? (rows.get(deletionsTable.name) ?? []) : undefined,
    jobs: isWhole ? jobs : jobs.map((job) => ({ ...job, earlier: undefined })),
    order_known: isOrderKnown(jobs.map(({ job }) => job)),
  };
}

/** The step of the analysis that a block of an answer belongs to; undefined of a block that is the answer itself. */
export function stepOf(block: Row): { readonly name: string; readonly id: string } | undefined {
  if (textIn(block, 'stage')?.toLowerCase() !== 'analyze') return undefined;
  const name = textIn(block, 'group_name')?.trim() ?? '';
  return { name, id: `${textIn(block, 'group_id') ?? ''}\n${name}` };
}

/** A version of a job: its row of the table `jobs`, and those of what belongs to it; none of tables that nobody asked for. */
export interface JobRows extends Readonly<Record<JobTable, readonly Row[]>> {
  readonly job: Row;
  /** Earlier versions, newest first; only where all are asked for. */
  readonly earlier?: readonly JobRows[] | undefined;
}

/** A job without rows of what belongs to it. */
export function bareJob(job: Row): JobRows {
  const nothing = Object.fromEntries(OF_JOBS.map((table) => [table, []]));
  return { ...(nothing as unknown as Record<JobTable, readonly Row[]>), job };
}

/** Newest first; empty where the session has no row: its history was never read to the end. */
export function sessionVersions(rows: RowsByTable): Row[] {
  return newestFirst(rows.get(sessionsTable.name), 'session_version');
}

/**
 * Puts the rows of a session together: of every job all versions, in the order in which they were asked. Bounds of the
 * newest version are those that its neighbours of now tell.
 */
export function jobsInOrder(rows: RowsByTable): (JobRows & Required<Pick<JobRows, 'earlier'>>)[] {
  const versionOf = (row: Row): string => `${String(row['job_version'])} ${String(row['job_id'])}`;
  const parts = OF_JOBS.flatMap((table) => {
    const of = rows.get(table);
    return of ? [[table, groupBy(of, versionOf)] as const] : [];
  });
  const rowsOf = (job: Row): JobRows => {
    const version = versionOf(job);
    const own = parts.map(([table, of]) => [table, of.get(version) ?? []]);
    return { ...bareJob(job), ...(Object.fromEntries(own) as object) };
  };
  const versions = new Map(
    [...groupBy(rows.get(jobsTable.name) ?? [], (row) => row['job_id'])].map(([id, of]) => [
      id,
      newestFirst(of, 'job_version'),
    ]),
  );
  const newest = [...versions.values()].flatMap(([row]) => (row && !isWithdrawn(row) ? [row] : []));
  return besideNeighbours(oldestFirst(newest)).map((row) => {
    const earlier = (versions.get(row['job_id']) ?? []).slice(1);
    return { ...rowsOf(row), earlier: earlier.filter((one) => !isWithdrawn(one)).map(rowsOf) };
  });
}

/** Whether the version takes the job out of the session. */
function isWithdrawn(job: Row): boolean {
  return job['is_withdrawn'] === true;
}

/** Of equal versions the one written last comes first. */
function newestFirst(rows: readonly Row[] = [], column: string): Row[] {
  return rows.toSorted((a, b) => Number(a[column] ?? 0) - Number(b[column] ?? 0)).reverse();
}
