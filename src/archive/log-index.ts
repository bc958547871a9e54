/** What one pass over the log tells, kept small: who is touched by which commit, and what the archive holds. */
import type { UserId } from '../model/ids.js';
import type { Commit, UserEntry } from './commit.js';
import { assertFollows, type CommitLog } from './commit-log.js';
import { GrowingContents, type Contents } from './contents.js';

/** How the newest run that asked about a user has fared. */
export interface LastUserEntry extends Pick<UserEntry, 'listed' | 'complete' | 'error'> {
  readonly totalItems: number | null;
}

export class LogIndex {
  private readonly growing = new GrowingContents();
  private readonly digests = new Map<number, string>();
  private readonly touching = new Map<UserId, number[]>();
  private readonly lastEntries = new Map<UserId, LastUserEntry>();
  private newest: Commit | undefined;
  /** Never rejects. */
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;

  constructor(private readonly log: CommitLog) {}

  /** Number of the newest commit that the index knows. */
  get through(): number {
    return this.newest?.number ?? 0;
  }

  get contents(): Contents {
    return this.growing;
  }

  /** Who has sessions or deletions in the log, those first who came first. */
  get users(): Iterable<UserId> {
    return this.touching.keys();
  }

  /** Reads what was appended since the last time; every commit is read once. @throws {IntegrityError} */
  refresh(): Promise<void> {
    // One that is under way may have looked at the log before the caller's own append.
    this.queued ??= this.running.then(() => {
      this.queued = undefined;
      const extending = this.extend();
      this.running = extending.catch(() => undefined);
      return extending;
    });
    return this.queued;
  }

  /** The digest of a commit; null for 0, where the log begins. */
  digestOf(number: number): string | null {
    return this.digests.get(number) ?? null;
  }

  /** Numbers of the commits that change a user's sessions, in order. */
  commitsTouching(user: UserId): readonly number[] {
    return this.touching.get(user) ?? [];
  }

  /** Undefined of a user whom no commit vouches for. */
  lastEntryOf(user: UserId): LastUserEntry | undefined {
    return this.lastEntries.get(user);
  }

  /** Takes in the next commit; for those who go through the log anyway. */
  add(commit: Commit): void {
    this.growing.add(commit);
    for (const user of new Set([...commit.sessions, ...commit.deletions].map((of) => of.user))) {
      const numbers = this.touching.get(user);
      if (numbers) numbers.push(commit.number);
      else this.touching.set(user, [commit.number]);
    }
    for (const { user, listed, total_items: totalItems, complete, error } of commit.users) {
      this.lastEntries.set(user, { listed, totalItems, complete, error });
    }
    this.digests.set(commit.number, commit.digest);
    this.newest = commit;
  }

  private async extend(): Promise<void> {
    const head = await this.log.head();
    for await (const commit of this.log.commits(this.through + 1, head?.number ?? 0)) {
      assertFollows(commit, this.newest);
      this.add(commit);
    }
  }
}
