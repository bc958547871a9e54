/** Loads the states of users, from a snapshot and the commits after it or from all commits, and encodes them. */
import type { UserId, JobId, SessionId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import type { CommitLog, CommitRef } from '../log/commit-log.js';
import type { LogIndex } from '../log/log-index.js';
import {
  applyCommit,
  sortedOut,
  sessionEntryOf,
  emptyState,
  type UserState,
  stateOf,
  type JobState,
  type SessionState,
} from './user-state.js';
import { PackedStates } from '../snapshots/packed-states.js';
import type { DeletionEntry, JobLine, SessionEntry } from '../log/commit.js';
import { commitWithJobs } from '../log/manifest.js';
import { parseJson } from '../../base/text/parse-json.js';

export class StateStore {
  readonly #commits: CommitsByUser;
  readonly #packed: PackedStates;
  readonly #index: LogIndex;

  /** @param keptEntries of commits, in memory; default: some 60 MB at most */
  constructor(storage: Storage, log: CommitLog, index: LogIndex, keptEntries?: number) {
    this.#index = index;
    this.#packed = new PackedStates(storage);
    this.#commits = new CommitsByUser(storage, log, keptEntries);
  }

  /** The state of a user as of the newest commit; empty for an unknown user. @throws {IntegrityError} the log is damaged */
  async load(user: UserId): Promise<UserState> {
    await this.#index.refresh();
    return this.loadAsOf(user, this.#index.through);
  }

  /**
   * Likewise as of a commit that the index knows, without looking for newer ones: for those who go through many users,
   * whose answer is then as of one commit.
   *
   * @throws {IntegrityError} as `load`
   */
  async loadAsOf(user: UserId, through: number): Promise<UserState> {
    return this.replay((await this.#inSnapshot(user, through)) ?? emptyState(user), through);
  }

  /**
   * The same state as of the newest commit, for use after an append. Starts over if there was an erasure since:
   * the state may contain what was erased.
   *
   * @throws {IntegrityError}
   */
  async update(state: UserState): Promise<UserState> {
    await this.#index.refresh();
    const { through, lastErasure } = this.#index;
    return lastErasure > state.through
      ? this.loadAsOf(state.user, through)
      : this.replay(state, through);
  }

  /** Replays the commits after `state.through` up to `through`, which the index must know. @throws {IntegrityError} */
  async replay(state: UserState, through: number): Promise<UserState> {
    let replayed = state;
    for await (const changes of this.changes(state, through)) {
      replayed = applyCommit(replayed, changes, changes.jobs);
    }
    if (through <= replayed.through) return replayed;
    return { ...replayed, through, throughDigest: this.#index.digestOf(through) };
  }

  /** What the commits after `state.through` up to `through` say of the user, in order. @throws {IntegrityError} */
  async *changes(
    { user, through: before }: Pick<UserState, 'user' | 'through'>,
    through: number,
  ): AsyncGenerator<UserChanges> {
    for (const number of this.#index.commitsTouching(user)) {
      if (number <= before || number > through) continue;
      const changes = await this.#commits.changes(number, user);
      if (changes) yield changes;
    }
  }

  /** Lets go of the entries of a commit: the states of all users whom it changes are up to date. */
  forgetCommit(number: number): void {
    this.#commits.forget(number);
  }

  /** Undefined where the snapshot does not have it, or what lies beside the snapshot is not as it was written. */
  async #inSnapshot(user: UserId, through: number): Promise<UserState | undefined> {
    const { snapshot } = this.#index;
    const [at, line] = snapshot?.users.get(user)?.state ?? [];
    const part = at === undefined ? undefined : snapshot?.states[at];
    if (!snapshot || !part || line === undefined || snapshot.head.number > through)
      return undefined;
    const text = await this.#packed.lineOf(part, line);
    if (text === undefined) return undefined;
    try {
      const state = stateIn(text, snapshot.head);
      return state.user === user ? state : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Groups commits by user, so that loading many users reads each commit once, not once per user. */

/** What one commit says about one user. */
export interface UserChanges {
  readonly number: number;
  readonly digest: string;
  /** False of an export whose clock no `Date` of the service confirmed. */
  readonly isClockConfirmed: boolean;
  readonly sessions: readonly SessionEntry[];
  readonly deletions: readonly DeletionEntry[];
  readonly jobs: readonly JobLine[];
}

interface Changes extends UserChanges {
  readonly sessions: SessionEntry[];
  readonly deletions: DeletionEntry[];
  readonly jobs: JobLine[];
}

interface GroupedCommit {
  readonly byUser: ReadonlyMap<UserId, UserChanges>;
  /** Sessions, deletions and jobs together. */
  readonly entries: number;
}

/**
 * Entries kept in memory, some 300 bytes each. Runs process users in about the same order, so users that are
 * loaded one after the other are mostly in the same commits.
 */
const KEPT_ENTRIES = 200_000;

export class CommitsByUser {
  /** The least recently used comes first. */
  readonly #kept = new Map<number, Promise<GroupedCommit>>();
  readonly #sizes = new Map<number, number>();
  #entries = 0;
  #epoch: number;
  readonly #storage: Storage;
  readonly #log: CommitLog;
  readonly #keptEntries: number;

  constructor(storage: Storage, log: CommitLog, keptEntries = KEPT_ENTRIES) {
    this.#storage = storage;
    this.#log = log;
    this.#keptEntries = keptEntries;

    this.#epoch = log.epoch;
  }

  /** Undefined if the commit does not change the user. @throws {IntegrityError} */
  async changes(number: number, user: UserId): Promise<UserChanges | undefined> {
    this.#forgetOutdated();
    const loading = this.#kept.get(number) ?? this.#load(number);
    this.#kept.delete(number);
    this.#kept.set(number, loading);
    return (await loading).byUser.get(user);
  }

  /** Of no more use: every user whom the commit changes is up to date. */
  forget(number: number): void {
    this.#kept.delete(number);
    this.#entries -= this.#sizes.get(number) ?? 0;
    this.#sizes.delete(number);
  }

  #forgetOutdated(): void {
    if (this.#epoch === this.#log.epoch) return;
    this.#epoch = this.#log.epoch;
    for (const number of [...this.#kept.keys()]) this.forget(number);
  }

  #load(number: number): Promise<GroupedCommit> {
    const loading = this.#group(number);
    loading.then(
      ({ entries }) => {
        if (this.#kept.get(number) === loading) this.#account(number, entries);
      },
      () => this.forget(number),
    );
    return loading;
  }

  #account(number: number, entries: number): void {
    this.#sizes.set(number, entries);
    this.#entries += entries;
    for (const oldest of this.#kept.keys()) {
      if (this.#entries <= this.#keptEntries || this.#kept.size <= 1) return;
      if (this.#sizes.has(oldest)) this.forget(oldest);
    }
  }

  async #group(number: number): Promise<GroupedCommit> {
    const source = { storage: this.#storage, log: this.#log };
    const { commit, jobs } = await commitWithJobs(source, await this.#log.read(number));
    const byUser = new Map<UserId, Changes>();
    const of = (user: UserId): Changes => {
      let changes = byUser.get(user);
      if (!changes) {
        const { digest, kind } = commit;
        const isClockConfirmed = kind !== 'export' || commit.clock_confirmed === true;
        changes = { number, digest, isClockConfirmed, sessions: [], deletions: [], jobs: [] };
        byUser.set(user, changes);
      }
      return changes;
    };
    const entries = commit.sessions.length + commit.deletions.length + jobs.length;
    for (const session of commit.sessions) of(session.user).sessions.push(session);
    for (const deletion of commit.deletions) of(deletion.user).deletions.push(deletion);
    for (const job of jobs) of(job.user).jobs.push(job);
    return { byUser, entries };
  }
}

/** Encodes and decodes the state of a user: a line of JSON with lists instead of objects keyed by data. */

interface StateLine {
  readonly user: UserId;
  readonly sessions: readonly SessionLine[];
}

interface SessionLine extends Omit<SessionEntry, 'user'> {
  readonly deleted: boolean;
  readonly jobs: readonly (JobState & { readonly job: JobId })[];
}

/** Equal sessions of a user have equal lines, as of whichever commit. */
export function stateLine({ user, sessions: known }: Pick<UserState, 'user' | 'sessions'>): string {
  const sessions = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    user,
    sessions: sessions.map(([session, known]) => {
      return {
        ...sessionEntryOf(user, session, known),
        user: undefined,
        gaps: known.gaps.map((gap) => {
          const { job, role, block_index, file_index, kind, status, reason } = gap;
          const { shared_with, lost_below } = gap;
          const doubt = { shared_with, lost_below };
          return { job, role, block_index, file_index, kind, status, reason, ...doubt };
        }),
        deleted: known.deleted,
        jobs: [...known.jobs, ...known.withdrawn].map(([job, state]) => {
          return { job, ...stateOf(state), urls: inKeyOrder(state.urls) };
        }),
      };
    }),
  });
}

function inKeyOrder(urls: JobState['urls']): JobState['urls'] {
  return urls && Object.fromEntries(Object.entries(urls).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * @param line whose bytes were compared with the log
 * @param through the commit as of which it counts
 * @throws {SyntaxError | TypeError} it is no state
 */
export function stateIn(line: string, { number: through, digest }: CommitRef): UserState {
  const { user, sessions } = parseJson(line) as StateLine;
  return {
    user,
    through,
    throughDigest: digest,
    sessions: new Map(
      sessions.map((of): [SessionId, SessionState] => {
        const { session, meta_hash: metaHash, gone_at: goneAt, jobs, ...rest } = of;
        const known = sortedOut(jobs.map(({ job, ...state }) => [job, state]));
        return [session, { ...rest, metaHash, goneAt, ...known }];
      }),
    ),
  };
}
