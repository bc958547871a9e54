/** Goes through the log for what a state does not keep: when a session last changed, and which files hold it. */
import type { Archive } from '../archive/archive.js';
import { isRewrite } from '../archive/log/commit-kind.js';
import type { FileEntry } from '../archive/log/commit.js';
import { CommitsByUser, type UserChanges } from '../archive/state/user-changes.js';
import type { UserState } from '../archive/state/user-state.js';
import type { SessionId, UserId } from '../model/ids.js';
import { datasetsTable, deletionsTable } from '../model/tables.js';
import { versionKey, type ArchivedSession } from './archived-session.js';
import { lastActivityOf } from './session-age.js';

export interface UserFacts {
  readonly state: UserState;
  readonly sessions: readonly ArchivedSession[];
}

interface CommitFacts {
  /** As the commit says, but never before an earlier commit: a clock that was set back makes nothing older. */
  readonly atMs: number;
  /** The first commit of its run. */
  readonly run: number;
  /** Of tables that hold rows of sessions, and of workbooks. */
  readonly paths: readonly string[];
  /** What it wrote are others' rows, written again. */
  readonly isRewrite: boolean;
}

interface Trace {
  readonly commits: number[];
  readonly hashes: Map<string, string>;
  version: number;
}

const WITHOUT_SESSIONS: ReadonlySet<string> = new Set([datasetsTable.name, deletionsTable.name]);

export class LogFacts {
  readonly #commits = new Map<number, CommitFacts>();
  /** The first commit of each run. */
  readonly #runs = new Map<string, number>();
  readonly #changes: CommitsByUser;

  constructor(readonly archive: Archive) {
    this.#changes = new CommitsByUser(archive.storage, archive.log);
  }

  /** Reads what was appended since the last time. @throws {IntegrityError} the chain is broken */
  async refresh(): Promise<void> {
    const { index, log } = this.archive;
    await index.refresh();
    for await (const commit of log.commits(this.#commits.size + 1, index.through)) {
      const files = commit.files.filter(({ table }) => !WITHOUT_SESSIONS.has(table));
      if (!this.#runs.has(commit.run)) this.#runs.set(commit.run, commit.number);
      this.#commits.set(commit.number, {
        atMs: Math.max(
          Date.parse(commit.created_at),
          this.#commits.get(commit.number - 1)?.atMs ?? 0,
        ),
        run: this.#runs.get(commit.run) ?? commit.number,
        paths: files.map(({ path }) => path),
        isRewrite: isRewrite(commit),
      });
    }
  }

  /** A user's sessions, deleted ones included, as of the newest commit. @throws {IntegrityError} */
  async sessionsOf(user: UserId): Promise<UserFacts> {
    const state = await this.archive.states.load(user);
    await this.refresh();
    const traces = new Map<SessionId, Trace>();
    for (const number of this.archive.index.commitsTouching(user)) {
      if (number > state.through) break;
      const changes = await this.#changes.changes(number, user);
      if (changes) follow(traces, changes);
    }
    const sessions = [...state.sessions].map(([session, sessionState]) => {
      const { commits, hashes } = traces.get(session) ?? { commits: [], hashes: new Map() };
      const commit = commits.at(-1) ?? 0;
      const { run = 0, atMs = 0 } = this.#commits.get(commit) ?? {};
      const changed = { commit, run, atMs };
      const activity = lastActivityOf({ session, state: sessionState, changed });
      return { user, session, state: sessionState, changed, activity, commits, hashes };
    });
    return { state, sessions };
  }

  /** Every file of the newest contents that may hold rows of the session. */
  filesOf({ commits }: ArchivedSession): readonly FileEntry[] {
    const { files } = this.archive.index.contents;
    const written = commits.flatMap((number) => this.#commits.get(number)?.paths ?? []);
    const rewritten = written.every((path) => files.has(path))
      ? []
      : [...this.#commits.values()].filter(({ isRewrite }) => isRewrite);
    const paths = new Set([...written, ...rewritten.flatMap((commit) => commit.paths)]);
    return [...paths].flatMap((path) => files.get(path) ?? []);
  }
}

/** A commit wrote rows of a session where it brought a version that no commit before it had. */
function follow(traces: Map<SessionId, Trace>, { number, sessions, jobs }: UserChanges): void {
  const traceOf = (session: SessionId): Trace => {
    const trace = traces.get(session) ?? { commits: [], hashes: new Map(), version: 0 };
    traces.set(session, trace);
    return trace;
  };
  const changed = new Set<Trace>();
  for (const { session, version } of sessions) {
    const trace = traceOf(session);
    if (version !== trace.version) changed.add(trace);
    trace.version = version;
  }
  for (const { session, job, version, hash } of jobs) {
    const trace = traceOf(session);
    const key = versionKey(job, version);
    if (!trace.hashes.has(key)) changed.add(trace);
    trace.hashes.set(key, hash);
  }
  for (const trace of changed) trace.commits.push(number);
}
