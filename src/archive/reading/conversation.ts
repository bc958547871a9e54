/** Conversations for people: the newest version of each job of a session, with blocks and files. */
import { UsageError } from '../../base/error.js';
import { asJobId, rowId } from '../../model/ids.js';
import type { Row, RowOf, TableSchema } from '../../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  deletionsTable,
  jobsTable,
  sessionsTable,
  TABLES as ALL_TABLES,
} from '../../model/tables.js';
import type { ArchiveReading } from '../archive.js';
import type { AcceptedGaps } from '../log/accepted-gaps.js';
import { mayChange } from '../state/archived-session.js';
import { summaryOf, type SessionSummary } from '../state/session-summary.js';
import { readConsistently } from '../consistent-read.js';
import { retryOnRewrite } from '../retry-on-rewrite.js';
import { ArchiveView, type ViewedUser } from './archive-view.js';
import { type Caveat, caveatsOf } from './caveats/caveat.js';
import { gapsOfChosen } from './doubts.js';
import { type Remark, remarksOn, withRemarked } from './caveats/job-remarks.js';
import { Reading } from './caveats/reading.js';
import { type RowsByTable, SelectedRows } from './rows/selected-rows.js';
import { shownHolds } from './requests/shown-holds.js';
import { resolveJob } from './resolve-sessions.js';
import {
  isWithdrawn,
  type JobRows,
  jobsInOrder,
  type JobTable,
  jobWith,
  OF_JOBS,
  sessionVersions,
} from './rows/session-rows.js';
import { isOrderKnown } from '../../model/times/oldest-first.js';
import { textIn } from '../../model/mask-secrets.js';

type SessionRow = Pick<RowOf<typeof sessionsTable>, 'user_id' | 'session_id'> &
  Partial<RowOf<typeof sessionsTable>>;

type DeletionRow = RowOf<typeof deletionsTable>;

export interface Conversation {
  /** The newest row of the table `sessions`; of a session whose history was never read to the end only its id. */
  readonly session: SessionRow;
  /** Earlier rows of it, newest first; only where all versions are asked for. */
  readonly earlier?: readonly SessionRow[] | undefined;
  /** Rows of the table `deletions`; only where they are asked for. */
  readonly deletions?: readonly DeletionRow[] | undefined;
  /** The oldest first, each in its newest version. */
  readonly jobs: readonly JobRows[];
  /** Whether times in their ids show this order: else jobs stand as the service listed them, night by night. */
  readonly order_known: boolean;
  /** What qualifies it, what is missing first: gaps of the session and of these jobs, and what is remarked on them. */
  readonly caveats: readonly Caveat[];
}

/** Which rows `conversations` reads, beside those of `sessions` and `jobs`, which come with every conversation. */
export interface ConversationRows {
  /** Default: `blocks` and `artifacts`. Where they are named, `caveats` have what these tell: of doubtful files nothing without `artifacts`. */
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

const OF_SESSIONS = ['sessions', 'jobs', 'deletions'] as const;

export type ConversationTable = (typeof OF_SESSIONS)[number] | JobTable;

const TABLES = [sessionsTable, jobsTable, blocksTable, artifactsTable];

/** @throws {UsageError} there is no such table, or it is of no conversation */
export function tablesNamed(names: readonly string[]): TableSchema[] {
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
    ...ALL_TABLES.filter((table) => !always.includes(table) && names.includes(table.name)),
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
  { session, users = [], job, omitted = [] }: ConversationChoice,
): Promise<Conversation> {
  const { archive, signal } = reading;
  const scope = { users, sessions: [session] };
  const view = await ArchiveView.of(archive, scope, { tellsListings: false, signal });
  const selected = await SelectedRows.of(reading, view.selection);
  const read = withRemarked({ tables: TABLES, omitted: { [jobsTable.name]: omitted } });
  const ids = new Set<string>();
  /** Undefined until the jobs are read, and without a chosen job. */
  let id: string | undefined;
  /** The newest version of each job; jobs are read first, and only blocks and files of that version are kept. */
  const newest = new Map<unknown, number>();
  const rows = new Map<string, Row[]>();
  for (const table of read.tables) {
    const kept: Row[] = [];
    rows.set(table.name, kept);
    for await (const row of selected.rows(table, read.omitted[table.name])) {
      const { job_id: jobId, job_version: version } = row;
      const known = newest.get(jobId) ?? 0;
      if (
        table !== sessionsTable &&
        ((id !== undefined && jobId !== id) || Number(version) < known)
      ) {
        continue;
      }
      if (table === jobsTable) {
        ids.add(String(jobId));
        if (job !== undefined && !String(jobId).startsWith(rowId(job))) continue;
        newest.set(jobId, Number(version));
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
  const owners: ViewedUser<SessionSummary>[] = [];
  const open = new Set<string>();
  for await (const owner of view.users()) {
    owners.push(ofJobs(owner, id, archive.index.acceptedGaps));
    for (const { state } of owner.sessions) {
      for (const [jobId, job] of state.jobs) if (mayChange(job, state)) open.add(jobId);
    }
  }
  const held = await view.bindingHolds();
  const [owner] = owners;
  const known = { user_id: rowId(owner?.user ?? ''), session_id: rowId(session) };
  const jobs = jobsInOrder(rows, {
    isWhole: job === undefined,
    isOfCopy: archive.identity.pseudonymised !== undefined,
  });
  const remarks = remarksOn(jobs, (jobId) => open.has(asJobId(jobId)));
  return conversationIn({ rows, jobs, remarks }, known, {
    tables: TABLES,
    versions: 'newest',
    reading: Reading.ofConversation(view, owners, shownHolds(held, undefined)),
  });
}

/** @param job only its gaps, and those of the session as a whole; undefined: those of all jobs */
function ofJobs(
  { sessions, ...user }: ViewedUser,
  job: string | undefined,
  accepted: AcceptedGaps,
): ViewedUser<SessionSummary> {
  const isChosen = (id: string): boolean => job === undefined || rowId(id) === job;
  return {
    ...user,
    sessions: sessions.map(({ session, state, gaps: all }) => {
      const gaps = gapsOfChosen(all, isChosen);
      const gapCounts = accepted.count(user.user, session, gaps);
      return { session, state: summaryOf(state), gaps, gapCounts, lostFiles: 0 };
    }),
  };
}

function noSuchJob(place: string, session: string, job: string): UsageError {
  return new UsageError(`session "${session}" in ${place} has no job "${job}"`);
}

interface ReadConversation {
  /** The rows of the tables that are asked for, and of those that remarks need. */
  readonly rows: RowsByTable;
  /** These rows, put together. */
  readonly jobs: readonly JobRows[];
  readonly remarks: readonly Remark[];
}

interface ConversationOptions {
  /** What is shown. */
  readonly tables: readonly TableSchema[];
  readonly versions: ConversationRows['versions'];
  /** What qualifies this conversation alone. */
  readonly reading: Reading;
}

export function conversationIn(
  { rows, jobs, remarks }: ReadConversation,
  ids: SessionRow,
  { tables, versions, reading }: ConversationOptions,
): Conversation {
  const [newest, ...earlier] = sessionVersions(rows) as unknown as SessionRow[];
  const deletions = (rows.get(deletionsTable.name) ?? []) as unknown as DeletionRow[];
  const isWhole = versions === 'all';
  const [user, session] = [ids.user_id, ids.session_id];
  const sessionName = textIn(newest, 'name');
  reading.addTitle(user, session, sessionName);
  reading.addRemarks({ user, session, sessionName }, remarks);
  return {
    session: newest ?? ids,
    earlier: isWhole ? earlier : undefined,
    deletions: tables.includes(deletionsTable) ? deletions : undefined,
    jobs: jobs.map((job) => {
      const before = (job.earlier ?? []).map((version) => withTables(version, tables));
      return { ...withTables(job, tables), earlier: isWhole ? before : undefined };
    }),
    order_known: isOrderKnown(jobs.map(({ job }) => job)),
    caveats: caveatsOf(reading),
  };
}

function withTables(job: JobRows, tables: readonly TableSchema[]): JobRows {
  const shown = OF_JOBS.filter((name) => tables.some((table) => table.name === name));
  return jobWith(job.job, Object.fromEntries(shown.map((name) => [name, job[name]])));
}
