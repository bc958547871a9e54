/** What one pass over the log tells, kept small: who is touched by which commit, and what the archive holds. */
import type { UserId } from '../../model/ids.js';
import type { Commit } from './commit.js';
import { assertFollows } from '../commit-chain.js';
import type { CommitLog } from './commit-log.js';
import type { Contents } from './contents.js';
import { LogView, type LastUserEntry } from './log-view.js';

export class LogIndex {
  #view = new LogView();
  /** Never rejects. */
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  readonly #log: CommitLog;

  constructor(log: CommitLog) {
    this.#log = log;
  }

  /** Number of the newest commit that the index knows. */
  get through(): number {
    return this.#view.newest?.number ?? 0;
  }

  get contents(): Contents {
    return this.#view.contents;
  }

  /** Who has sessions or deletions in the log, those first who came first. */
  get users(): Iterable<UserId> {
    return this.#view.touching.keys();
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

  /** The digest of a commit; null for 0, where the log begins. */
  digestOf(number: number): string | null {
    return this.#view.digests.get(number) ?? null;
  }

  /** Numbers of the commits that change a user's sessions, in order. */
  commitsTouching(user: UserId): readonly number[] {
    return this.#view.touching.get(user) ?? [];
  }

  /** Undefined of a user whom no commit vouches for. */
  lastEntryOf(user: UserId): LastUserEntry | undefined {
    return this.#view.lastEntries.get(user);
  }

  /** Takes in the next commit; for those who go through the log anyway. */
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
    for await (const commit of this.#log.commits(from, through)) {
      assertFollows(commit, view.newest);
      view.add(commit);
    }
  }
}
