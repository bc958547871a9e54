/** Groups commits by user, so that loading many users reads each commit once, not once per user. */
import type { UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import type { CommitLog } from '../log/commit-log.js';
import type { DeletionEntry, JobLine, SessionEntry } from '../log/commit.js';
import { commitWithJobs } from '../log/manifest.js';

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
const KEPT_ENTRIES = 50_000;

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

  #forgetOutdated(): void {
    if (this.#epoch === this.#log.epoch) return;
    this.#epoch = this.#log.epoch;
    for (const number of [...this.#kept.keys()]) this.#forget(number);
  }

  #forget(number: number): void {
    this.#kept.delete(number);
    this.#entries -= this.#sizes.get(number) ?? 0;
    this.#sizes.delete(number);
  }

  #load(number: number): Promise<GroupedCommit> {
    const loading = this.#group(number);
    loading.then(
      ({ entries }) => {
        if (this.#kept.get(number) === loading) this.#account(number, entries);
      },
      () => this.#forget(number),
    );
    return loading;
  }

  #account(number: number, entries: number): void {
    this.#sizes.set(number, entries);
    this.#entries += entries;
    for (const oldest of this.#kept.keys()) {
      if (this.#entries <= this.#keptEntries || this.#kept.size <= 1) return;
      if (this.#sizes.has(oldest)) this.#forget(oldest);
    }
  }

  async #group(number: number): Promise<GroupedCommit> {
    const source = { storage: this.#storage, log: this.#log };
    const { commit, jobs } = await commitWithJobs(source, await this.#log.read(number));
    const byUser = new Map<UserId, Changes>();
    const changesOf = (user: UserId): Changes => {
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
    for (const session of commit.sessions) changesOf(session.user).sessions.push(session);
    for (const deletion of commit.deletions) changesOf(deletion.user).deletions.push(deletion);
    for (const job of jobs) changesOf(job.user).jobs.push(job);
    return { byUser, entries };
  }
}
