/** What came, changed and went since a commit, from the log: for a program that loads the tables elsewhere. */
import { UsageError } from '../base/error.js';
import { sessionKey, type JobId, type SessionId, type UserId } from '../model/ids.js';
import { parseCursor } from '../model/cursor.js';
import { datasetsTable, deletionsTable, jobsTable, sessionsTable } from '../model/tables.js';
import { parseFrom } from '../model/times/period.js';
import { fromSnapshot, type Archive } from './archive.js';
import { RewrittenMeanwhileError } from './archive-errors.js';
import { assertErasuresFinished } from './erasing/erasures.js';
import { KeyTable } from './histories/key-table.js';
import { type Commit, wasFoundGone } from './log/commit.js';
import { NewestSessions } from './reading/newest-sessions.js';
import { manifestLines } from './log/manifest.js';

/**
 * `added`: rows of a session or job that had none. `changed`: rows of its next version, or of a table without
 * versions. `withdrawn`: the job is none of this session's any more, as its last version says. `gone` and
 * `back`: the service has the session no more, as a complete list or a deletion found, or lists it again. `deleted`: a
 * DELETE of jobvault took the session; it stays archived. `erased`: rows have left the archive, and nothing says which.
 */
export type ChangeKind = 'added' | 'changed' | 'withdrawn' | 'gone' | 'back' | 'deleted' | 'erased';

export interface Change {
  /** Number of the commit. */
  readonly commit: number;
  /** When the commit was made; ISO 8601, in UTC. */
  readonly at: string;
  readonly change: ChangeKind;
  /** `jobs` stands for every table with its key; null where rows of any table have left. */
  readonly table: string | null;
  readonly user_id: UserId | null;
  readonly session_id: SessionId | null;
  readonly session_version: number | null;
  readonly job_id: JobId | null;
  readonly job_version: number | null;
}

export interface ChangesOptions {
  /**
   * Number of the commit after which changes count; 0 for all. After the id of its archive and a colon, as `parseCursor`
   * reads it, another archive refuses it.
   */
  readonly since?: number | string | undefined;
  /** Instead: changes of commits made at this time or later, as `--since-time` has it. */
  readonly sinceTime?: string | undefined;
  /** Instead of both: every key that the archive has rows of, as `added`, `changed`, `withdrawn`, `deleted` or `gone`. Default false. */
  readonly keys?: boolean | undefined;
  readonly signal?: AbortSignal;
}

export interface ArchiveChanges {
  /** Whose commits these are: `<archive_id>:<through>` is the `since` of the next call. */
  readonly archive_id: string;
  /** Changes after this commit, … */
  readonly since: number;
  /** … up to and including this one. */
  readonly through: number;
  /**
   * In the order of the log, each once. They count only if all could be read.
   *
   * @throws {RewrittenMeanwhileError} something was erased meanwhile: begin again from the same commit
   * @throws {IntegrityError} the log is damaged
   */
  readonly changes: AsyncIterable<Change>;
}

/** More jobs than this would need 1.5 GB. */
const MOST_JOBS_SLOTS = 2 ** 27;

/**
 * @throws {ErasureUnfinishedError} the log is half redacted
 * @throws {UsageError} there is no such commit or time, it is of another archive, or not exactly one beginning is given
 * @throws {IntegrityError} the log is damaged
 */
export async function archiveChanges(
  archive: Archive,
  options: ChangesOptions,
): Promise<ArchiveChanges> {
  const { index } = archive;
  const { keys = false, signal } = options;
  await index.refresh();
  await assertErasuresFinished(archive);
  const since = beginningOf(archive, options);
  const { through } = index;
  const all = changesBetween(archive, { since, through, signal });
  return { archive_id: archive.identity.id, since, through, changes: keys ? keysIn(all) : all };
}

/** Number of the commit after which changes count. @throws {UsageError} */
function beginningOf(
  { index, storage, identity }: Archive,
  { since, sinceTime, keys = false }: ChangesOptions,
): number {
  const given = [since !== undefined, sinceTime !== undefined, keys].filter(Boolean).length;
  if (given !== 1) {
    const how = given === 0 ? 'nothing says since when' : 'since when is said twice';
    throw new UsageError(
      `${how}; give one of --since CURSOR (0 for everything), --since-time TIME and --keys`,
    );
  }
  if (sinceTime !== undefined) {
    const micros = parseFrom(sinceTime);
    if (micros === undefined) throw new UsageError(`"${sinceTime}" is not a time`);
    let before = 0;
    for (const { number, atMs } of index.commits) {
      if (BigInt(atMs) * 1000n < micros) before = number;
    }
    return before;
  }
  const cursor = typeof since === 'string' ? parseCursor(since) : { commit: since ?? 0 };
  if (!cursor)
    throw new UsageError(`"${since ?? ''}" is no number of a commit and no ARCHIVE:COMMIT`);
  const { archiveId = identity.id, commit } = cursor;
  if (archiveId !== identity.id) {
    throw new UsageError(
      `${archiveId}:${commit} is the cursor of another archive: the id of ${storage.location} is ${identity.id}, and every new pseudonymised copy has its own; load everything again (--since 0), or compare with what it has now (--keys)`,
    );
  }
  if (Number.isSafeInteger(commit) && commit >= 0 && commit <= index.through) return commit;
  throw new UsageError(
    `${storage.location} has no commit ${commit}: the newest is ${index.through}; if it had one, its log was cut or it is another archive, and everything is to be loaded again (--since 0)`,
  );
}

interface Range {
  readonly since: number;
  readonly through: number;
  readonly signal?: AbortSignal | undefined;
}

async function* changesBetween(archive: Archive, range: Range): AsyncGenerator<Change> {
  const { index, log, storage } = archive;
  const lastErasure = index.lastErasure;
  const isErased = async () => {
    await index.refresh();
    return index.lastErasure !== lastErasure;
  };
  try {
    const known = await knownBefore(archive, range);
    for await (const commit of log.commits(range.since + 1, range.through)) {
      range.signal?.throwIfAborted();
      yield* changesOf(archive, commit, known);
    }
  } catch (error) {
    if (!(await isErased())) throw error;
    log.forget();
    throw new RewrittenMeanwhileError(storage.location, 'list of changes', { cause: error });
  }
  if (await isErased()) throw new RewrittenMeanwhileError(storage.location, 'list of changes');
}

interface KnownSession {
  version: number;
  isAway: boolean;
}

/** What the log says of sessions and jobs, as far as it was read. */
class Known {
  readonly sessions = new Map<string, KnownSession>();
  /** The newest version of each job. */
  readonly #jobs = new KeyTable(MOST_JOBS_SLOTS);

  /** Learns the newest version of a job, and returns the one before; 0 if there was none. */
  jobVersion(user: UserId, session: SessionId, job: JobId, version: number): number {
    const key = JSON.stringify([user, session, job]);
    const before = this.#jobs.get(key) ?? 0;
    if (version > before && !this.#jobs.set(key, version)) {
      throw new RangeError('the log names more jobs than can be told apart');
    }
    return before;
  }
}

/**
 * Reads what was there before the range, of its sessions only: from a snapshot and the commits after it, of which a manifest
 * is read only where one of them has changed.
 */
async function knownBefore(archive: Archive, { since, through, signal }: Range): Promise<Known> {
  const { log } = archive;
  const known = new Known();
  if (since === 0 || since === through) return known;
  const inScope = new Map<string, { readonly user: UserId; readonly session: SessionId }>();
  for await (const { sessions, deletions } of log.commits(since + 1, through)) {
    for (const { user, session } of [...sessions, ...deletions])
      inScope.set(sessionKey(user, session), { user, session });
  }
  const { index, states: archived } = fromSnapshot(archive, since);
  await index.refresh();
  const sessions = await NewestSessions.of(index, { through: since, signal });
  for (const [key, { user, session }] of inScope) {
    const before = sessions.get(user, session);
    if (!before) continue;
    const { version, goneAt, deletedAt } = before;
    known.sessions.set(key, { version, isAway: goneAt !== null || deletedAt !== null });
  }
  const { snapshot, walkFrom } = index;
  const users = new Set([...inScope.values()].map(({ user }) => user));
  for (const user of snapshot ? users : []) {
    signal?.throwIfAborted();
    const { sessions: states } = await archived.loadAsOf(user, walkFrom - 1);
    for (const [session, state] of states) {
      if (!inScope.has(sessionKey(user, session))) continue;
      for (const [job, { version }] of [...state.jobs, ...state.withdrawn]) {
        known.jobVersion(user, session, job, version);
      }
    }
  }
  for await (const commit of log.commits(walkFrom, since)) {
    signal?.throwIfAborted();
    if (!commit.sessions.some(({ user, session }) => inScope.has(sessionKey(user, session)))) {
      continue;
    }
    for await (const { user, session, job, version } of manifestLines(archive, 'jobs', commit)) {
      if (inScope.has(sessionKey(user, session))) known.jobVersion(user, session, job, version);
    }
  }
  return known;
}

async function* changesOf(archive: Archive, commit: Commit, known: Known): AsyncGenerator<Change> {
  // in between, the list of changes is refused: so whoever has a commit's number has not seen it finished
  if (commit.erasure?.stage === 'finished') yield changeOf(commit, 'erased', {});
  for (const { user, session, version, gone_at: goneAt } of commit.sessions) {
    const key = sessionKey(user, session);
    const before = known.sessions.get(key);
    known.sessions.set(key, { version, isAway: goneAt !== null });
    const about = { table: sessionsTable.name, user_id: user, session_id: session };
    for (const next of versionsAfter(before?.version ?? 0, version)) {
      yield changeOf(commit, next === 1 ? 'added' : 'changed', { ...about, session_version: next });
    }
    const isAway = before?.isAway ?? false;
    if (isAway !== (goneAt !== null)) yield changeOf(commit, isAway ? 'back' : 'gone', about);
  }
  for await (const line of manifestLines(archive, 'jobs', commit)) {
    const { user, session, job, version, withdrawn } = line;
    const before = known.jobVersion(user, session, job, version);
    for (const next of versionsAfter(before, version)) {
      const isLast = withdrawn === true && next === version;
      yield changeOf(commit, isLast ? 'withdrawn' : next === 1 ? 'added' : 'changed', {
        table: jobsTable.name,
        user_id: user,
        session_id: session,
        job_id: job,
        job_version: next,
      });
    }
  }
  for (const { user, session, ...deletion } of commit.deletions) {
    const before = known.sessions.get(sessionKey(user, session));
    if (before) before.isAway = true;
    const about = { table: deletionsTable.name, user_id: user, session_id: session };
    yield changeOf(commit, wasFoundGone(deletion) ? 'gone' : 'deleted', about);
  }
  // a compaction writes no new rows
  const hasDatasets = commit.kind === 'export' && commit.files.some(isOfDatasets);
  if (hasDatasets) yield changeOf(commit, 'changed', { table: datasetsTable.name });
}

/** None where a line is repeated with another standing; several where a pseudonymised copy has all rows in one commit. */
function versionsAfter(before: number, version: number): number[] {
  return Array.from({ length: Math.max(0, version - before) }, (_, at) => before + at + 1);
}

function isOfDatasets({ table }: { readonly table: string }): boolean {
  return table === datasetsTable.name;
}

function changeOf(
  { number: commit, created_at: at }: Commit,
  change: ChangeKind,
  about: Partial<Change>,
): Change {
  const nothing = { table: null, user_id: null, session_id: null, session_version: null };
  return { commit, at, change, ...nothing, job_id: null, job_version: null, ...about };
}

/** Yields the changes that are keys of rows, of all changes since the beginning. */
async function* keysIn(changes: AsyncIterable<Change>): AsyncGenerator<Change> {
  for await (const change of changes) {
    const isRow =
      ['added', 'changed', 'withdrawn'].includes(change.change) ||
      change.table === deletionsTable.name;
    if (isRow && change.user_id !== null) yield change;
  }
}
