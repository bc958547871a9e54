/** Reads from the log what a state does not have: when a session last changed, and which files contain it. */
import type { Archive } from '../archive.js';
import { isRewrite } from '../log/commit-kinds.js';
import type { FileEntry, JobLine } from '../log/commit.js';
import { partitionOf } from '../paths.js';
import type { UserChanges } from './commits-by-user.js';
import { applyCommit } from './apply-commit.js';
import { emptyState, type UserState } from './user-state.js';
import { versionKey, type ArchivedSession } from './archived-session.js';
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import { datasetsTable, deletionsTable } from '../../model/tables.js';
import { lastActivityOf } from './session-age.js';

export interface UserFacts {
  readonly state: UserState;
  readonly sessions: readonly ArchivedSession[];
}

export type AgedSession = Pick<ArchivedSession, 'user' | 'session' | 'state' | 'changed'>;

/** What is kept of the line of a job: there may be 100,000. */
type SeenJob = Pick<JobLine, 'version' | 'hash' | 'files' | 'gaps'>;

interface Trace {
  readonly commits: number[];
  readonly hashes: Map<string, string>;
  version: number;
  /** The content of each job as last seen. */
  readonly jobs: Map<JobId, SeenJob>;
  /** Whether an earlier commit had its history to the end. */
  wasWhole: boolean;
  /** The newest commit with a job that was not there, or was another, when the history had been read to its end. */
  changedLater: number | undefined;
  /** Jobs whose newest version was seen, or settled, by a clock that no `Date` confirmed; null for the session itself. */
  readonly unconfirmed: Set<JobId | null>;
}

const WITHOUT_SESSIONS: ReadonlySet<string> = new Set([datasetsTable.name, deletionsTable.name]);

export class LogFacts {
  constructor(readonly archive: Archive) {}

  /** A user's sessions, deleted ones included, as of the newest commit. @throws {IntegrityError} */
  async sessionsOf(user: UserId): Promise<UserFacts> {
    await this.archive.index.refresh();
    return this.sessionsAsKnown(user);
  }

  /** A user's sessions as of the newest commit that the index knows, for callers that go through many users. */
  async sessionsAsKnown(user: UserId): Promise<UserFacts> {
    const { index, states } = this.archive;
    const { through } = index;
    let state = emptyState(user);
    const traces = new Map<SessionId, Trace>();
    for await (const changes of states.changes(state, through)) {
      state = applyCommit(state, changes, changes.jobs);
      addCommit(traces, changes);
    }
    state = { ...state, through, throughDigest: index.digestOf(through) };
    const sessions = [...state.sessions].map(([session, sessionState]) => {
      const trace = traces.get(session) ?? newTrace();
      const { commits, hashes, changedLater, unconfirmed } = trace;
      const commit = commits.at(-1) ?? 0;
      const { runBegan: run = 0, atMs = 0 } = index.commit(commit) ?? {};
      const changed = { commit, run, atMs };
      const activity = lastActivityOf({ session, state: sessionState, changed });
      const isClockConfirmed = unconfirmed.size === 0;
      const seen = { changed, activity, isClockConfirmed };
      const known = { user, session, state: sessionState, ...seen, commits, hashes };
      if (changedLater === undefined) return known;
      return { ...known, changeSeenMs: index.commit(changedLater)?.atMs ?? 0 };
    });
    return { state, sessions };
  }

  /**
   * A user's sessions for callers that ask only how old they are: a snapshot tells it, and when a session last changed is
   * read from the log of a user with one whose ids do not tell it; of others it is 0.
   */
  async agesAsKnown(user: UserId): Promise<readonly AgedSession[]> {
    const { index, states } = this.archive;
    const state = await states.loadAsOf(user, index.through);
    const changed = { commit: 0, run: 0, atMs: 0 };
    const aged = [...state.sessions].map(([session, sessionState]) => ({
      user,
      session,
      state: sessionState,
      changed,
    }));
    const areDated = aged.every((session) => lastActivityOf(session).from !== 'first-seen');
    return areDated ? aged : (await this.sessionsAsKnown(user)).sessions;
  }

  /** Every current file that may contain rows of the session. */
  filesOf({ commits }: ArchivedSession): readonly FileEntry[] {
    const { index } = this.archive;
    const { files } = index.contents;
    const written = commits
      .flatMap((number) => index.commit(number)?.files ?? [])
      .filter(holdsRows);
    const rewritten = written.every((path) => files.has(path))
      ? []
      : [...index.commits].filter(isRewrite).flatMap((commit) => commit.files);
    const paths = new Set([...written, ...rewritten.filter(holdsRows)]);
    return [...paths].flatMap((path) => files.get(path) ?? []);
  }
}

/** Whether the file may contain rows of sessions. */
function holdsRows(path: string): boolean {
  return !WITHOUT_SESSIONS.has(partitionOf(path)?.table ?? '');
}

/** Adds the commit to each session of which it has a new version. */
function addCommit(
  traces: Map<SessionId, Trace>,
  { number, sessions, jobs, isClockConfirmed }: UserChanges,
): void {
  const traceOf = (session: SessionId): Trace => {
    const trace = traces.get(session) ?? newTrace();
    traces.set(session, trace);
    return trace;
  };
  const changed = new Set<Trace>();
  for (const { session, version } of sessions) {
    const trace = traceOf(session);
    if (version === trace.version) continue;
    changed.add(trace);
    trace.version = version;
    if (isClockConfirmed) trace.unconfirmed.delete(null);
    else trace.unconfirmed.add(null);
  }
  for (const line of jobs) {
    const { session, job, version, hash } = line;
    const trace = traceOf(session);
    const before = trace.jobs.get(job);
    if (before ? isOther(line, before) : trace.wasWhole) trace.changedLater = number;
    if (!isClockConfirmed) trace.unconfirmed.add(job);
    else if (version !== before?.version) trace.unconfirmed.delete(job);
    trace.jobs.set(job, { version, hash, files: line.files, gaps: line.gaps });
    const key = versionKey(job, version);
    if (!trace.hashes.has(key)) changed.add(trace);
    // a version that withdraws the job has a row in `jobs`, and no content
    if (!line.withdrawn) trace.hashes.set(key, hash);
  }
  for (const trace of changed) trace.commits.push(number);
  for (const { session, complete } of sessions) traceOf(session).wasWhole ||= complete;
}

/** Another text, or other bytes of a file: not one that was lost and has come, nor rows that were only written anew. */
function isOther(line: SeenJob, before: SeenJob): boolean {
  if (line.version === before.version) return false;
  const isLaterFile = line.gaps < before.gaps;
  return line.hash !== before.hash || (line.files !== before.files && !isLaterFile);
}

function newTrace(): Trace {
  const empty = { commits: [], hashes: new Map(), jobs: new Map(), unconfirmed: new Set<null>() };
  return { ...empty, version: 0, wasWhole: false, changedLater: undefined };
}
