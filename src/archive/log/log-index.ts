/** The one way to what the log tells: a projection of it, kept small, and the commits themselves for those who need all of them. */
import type { RunId, UserId } from '../../model/ids.js';
import { assertFollows } from '../commit-chain.js';
import type { CommitLog, CommitRef } from './commit-log.js';
import type { Commit } from './commit.js';
import type { Contents } from './contents.js';
import type { HoldRecord } from './hold-history.js';
import { LogView, type CommitFacts, type UserFacts } from './log-view.js';

interface WalkOptions {
  /** The last commit that is yielded. Default: the newest. */
  readonly through?: number;
  readonly signal?: AbortSignal | undefined;
}

export class LogIndex {
  readonly #log: CommitLog;
  #view = new LogView();
  /** Never rejects. */
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  constructor(log: CommitLog) {
    this.#log = log;
  }

  /** Number of the newest commit that the index knows. */
  get through(): number {
    return this.#view.newest?.number ?? 0;
  }

  /** That commit; null where the index knows none. */
  get head(): CommitRef | null {
    const { newest } = this.#view;
    return newest ? { number: newest.number, digest: newest.digest } : null;
  }

  get contents(): Contents {
    return this.#view.contents;
  }

  /** In order. */
  get commits(): Iterable<CommitFacts> {
    return this.#view.commits.values();
  }

  /** Who has sessions or deletions in the log, in the order in which they came into it. */
  get users(): UserId[] {
    return this.allUsers.filter((user) => this.commitsTouching(user).length > 0);
  }

  /** Likewise, with those of whom nothing could be archived. */
  get allUsers(): UserId[] {
    return [...this.#view.users.keys()];
  }

  /** Number of the first commit of each run, in the order of those. */
  get runs(): ReadonlyMap<RunId, number> {
    return this.#view.runs;
  }

  /** Runs that another run took for dead. */
  get abandonedRuns(): ReadonlySet<RunId> {
    return this.#view.abandonedRuns;
  }

  /** The newest commit that tells of an erasure; 0 where there is none. */
  get lastErasure(): number {
    return this.erasures.at(-1) ?? 0;
  }

  /** Numbers of the commits that tell of an erasure, in order. */
  get erasures(): readonly number[] {
    return this.#view.erasures;
  }

  /** The receipts of erasures that are not finished: their numbers by their ids. */
  get openErasures(): ReadonlyMap<string, { readonly number: number }> {
    return this.#view.openErasures;
  }

  /** Every hold, also those that were released, in the order in which they were set. */
  get holds(): readonly HoldRecord[] {
    return this.#view.holds.records;
  }

  /** Undefined of a commit that the index does not know. */
  commit(number: number): CommitFacts | undefined {
    return this.#view.commits.get(number);
  }

  /** The digest of a commit; null for 0, where the log begins. */
  digestOf(number: number): string | null {
    return this.commit(number)?.digest ?? null;
  }

  /** Undefined of a stranger. */
  user(id: UserId): UserFacts | undefined {
    return this.#view.users.get(id);
  }

  /** Numbers of the commits that change a user's sessions, in order. */
  commitsTouching(user: UserId): readonly number[] {
    return this.user(user)?.commits ?? [];
  }

  /**
   * Reads what was appended since the last time. Every commit is read once, and once more after an
   * erasure that was finished meanwhile: it has taken something out of those that are known.
   *
   * @throws {IntegrityError}
   */
  refresh(): Promise<void> {
    // One that is under way may have looked at the log before the caller's own append.
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined;
      const extending = this.#extend();
      this.#running = extending.catch(() => undefined);
      return extending;
    });
    return this.#queued;
  }

  /**
   * Yields every commit, the first one first, for those who need what the projection leaves out: the
   * sessions and artifacts of each. The projection learns from the same reading.
   *
   * @throws {IntegrityError}
   */
  async *walk({ through, signal }: WalkOptions = {}): AsyncGenerator<Commit> {
    const newest = through ?? (await this.#log.head())?.number ?? 0;
    for await (const commit of this.#log.commits(1, newest)) {
      signal?.throwIfAborted();
      this.#learn(this.#view, commit);
      yield commit;
    }
    if (through === undefined) await this.refresh();
  }

  /** Takes in the next commit; for verification, which reads even a damaged log to its end. */
  add(commit: Commit): void {
    this.#view.add(commit);
  }

  async #extend(): Promise<void> {
    const head = await this.#log.head();
    await this.#readInto(this.#view, head?.number ?? 0);
    if (!this.#view.isOutdated) return;
    this.#log.forget();
    const fresh = new LogView();
    await this.#readInto(fresh, this.through);
    fresh.isOutdated = false; // where an old commit was put back, reading it again changes nothing
    this.#view = fresh;
  }

  async #readInto(view: LogView, through: number): Promise<void> {
    const from = (view.newest?.number ?? 0) + 1;
    for await (const commit of this.#log.commits(from, through)) this.#learn(view, commit);
  }

  /** A walk and a refresh may be under way at the same time: the second one adds nothing. */
  #learn(view: LogView, commit: Commit): void {
    if (commit.number !== (view.newest?.number ?? 0) + 1) return;
    assertFollows(commit, view.newest);
    view.add(commit);
  }
}
