/** Conversations for people: the newest version of each job of a session, with blocks and files. */
import { UsageError } from '../../base/error.js';
import { rowId } from '../../model/ids.js';
import type { Row } from '../../model/table-schema.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../../model/tables.js';
import type { Storage } from '../../storage/storage.js';
import type { Archive } from '../archive.js';
import { retryOnRewrite, readConsistently } from '../consistent-read.js';
import { ArchiveView } from './archive-view.js';
import {
  GatheredRows,
  type RowsByTable,
  type SessionToGather,
  SelectedRows,
} from './selected-rows.js';
import { meantJob } from './meant-sessions.js';
import { Selection, type Scope } from './scope.js';
import { groupBy } from '../../base/group-by.js';
import { oldestFirst } from '../../model/oldest-first.js';
import { textIn } from '../../model/mask-secrets.js';

export interface Conversation {
  /** The row of the table `sessions`; of a session whose history was never read to the end only its id. */
  readonly session: Row;
  /** The oldest first. */
  readonly jobs: readonly JobRows[];
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

interface Reading {
  readonly archive: Archive;
  readonly signal?: AbortSignal | undefined;
}

const TABLES = [sessionsTable, jobsTable, blocksTable, artifactsTable];

/**
 * @throws {UsageError} the archive has no such session or job
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function conversationOf(
  reading: Reading,
  choice: ConversationChoice,
): Promise<Conversation> {
  const { archive } = reading;
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', () => readConversation(reading, choice)),
  );
}

async function readConversation(
  reading: Reading,
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
    if (table !== jobsTable || job === undefined) continue;
    id = meantJob(rowId(job), ids);
    if (id === undefined) throw noSuchJob(archive.storage.location, session, job);
    rows.set(
      table.name,
      kept.filter((row) => row['job_id'] === id),
    );
  }
  return conversationIn(rows, rowId(session));
}

function noSuchJob(place: string, session: string, job: string): UsageError {
  return new UsageError(`session "${session}" in ${place} has no job "${job}"`);
}

/**
 * Yields the conversations of a scope, user by user, as of the newest commit. Each part file is read once; memory holds
 * a few conversations.
 *
 * @param target where rows are set aside
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function* conversationsOf(
  reading: Reading,
  scope: Scope,
  target: Storage,
): AsyncGenerator<Conversation> {
  const { archive, signal } = reading;
  const gathered = await retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      const view = await ArchiveView.of(archive, scope, { tellsListings: false, signal });
      const selected = await SelectedRows.of(reading, view.selection);
      const sessions = await sessionsIn(view);
      return GatheredRows.of(selected, sessions, { tables: TABLES, target, signal });
    }),
  );
  try {
    for await (const { of, rows } of gathered.sessions()) {
      signal?.throwIfAborted();
      yield conversationIn(rows, of.session);
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

function conversationIn(rows: RowsByTable, session: string): Conversation {
  return {
    session: newestSession(rows) ?? { session_id: session },
    jobs: jobsInOrder(rows).map(({ newest }) => newest),
  };
}

/** Puts a session's rows together: its newest name, and of every job all versions, in the order in which they were asked. */

/** The step of the analysis that a block of an answer belongs to; undefined of a block that is the answer itself. */
export function stepOf(block: Row): { readonly name: string; readonly id: string } | undefined {
  if (textIn(block, 'stage')?.toLowerCase() !== 'analyze') return undefined;
  const name = textIn(block, 'group_name')?.trim() ?? '';
  return { name, id: `${textIn(block, 'group_id') ?? ''}\n${name}` };
}

/** One version of a job: its rows of the tables `jobs`, `blocks` and `artifacts`. */
export interface JobRows {
  readonly job: Row;
  /** Of the question and the answer, in any order. */
  readonly blocks: readonly Row[];
  readonly artifacts: readonly Row[];
}

export interface JobVersions {
  readonly newest: JobRows;
  /** Newest first. */
  readonly earlier: readonly JobRows[];
}

/** Undefined where the session has no row: its history was never read to the end. */
export function newestSession(rows: RowsByTable): Row | undefined {
  return byVersion(rows.get(sessionsTable.name), 'session_version').at(-1);
}

export function jobsInOrder(rows: RowsByTable): JobVersions[] {
  const versionOf = (row: Row): string => `${String(row['job_version'])} ${String(row['job_id'])}`;
  const blocksOf = groupBy(rows.get(blocksTable.name) ?? [], versionOf);
  const artifactsOf = groupBy(rows.get(artifactsTable.name) ?? [], versionOf);
  const rowsOf = (job: Row): JobRows => ({
    job,
    blocks: blocksOf.get(versionOf(job)) ?? [],
    artifacts: artifactsOf.get(versionOf(job)) ?? [],
  });
  const versions = new Map(
    [...groupBy(rows.get(jobsTable.name) ?? [], (row) => row['job_id'])].map(([id, of]) => [
      id,
      byVersion(of, 'job_version').reverse(),
    ]),
  );
  const newest = [...versions.values()].flatMap(([row]) => (row ? [row] : []));
  return oldestFirst(newest).map((row) => ({
    newest: rowsOf(row),
    earlier: (versions.get(row['job_id']) ?? []).slice(1).map(rowsOf),
  }));
}

/** Of equal versions the one written last comes last. */
function byVersion(rows: readonly Row[] = [], column: string): Row[] {
  return rows.toSorted((a, b) => Number(a[column] ?? 0) - Number(b[column] ?? 0));
}
