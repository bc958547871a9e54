/** What the commits up to one of them tell together. */
import type { UserId } from '../../model/ids.js';
import type { Commit, ErasureEntry, UserEntry } from './commit.js';
import { GrowingContents } from './contents.js';

/** How the newest run that asked about a user has fared. */
export interface LastUserEntry extends Pick<UserEntry, 'listed' | 'complete' | 'error'> {
  readonly totalItems: number | null;
}

/** An erasure that is begun and not finished. */
interface OpenErasure {
  /** Of the receipt. */
  readonly number: number;
  readonly commits: readonly number[];
}

/** Takes in commits from the first one on, in order. */
export class LogView {
  readonly contents = new GrowingContents();
  readonly digests = new Map<number, string>();
  readonly touching = new Map<UserId, number[]>();
  readonly lastEntries = new Map<UserId, LastUserEntry>();
  /** By their ids. */
  readonly openErasures = new Map<string, OpenErasure>();
  newest: Commit | undefined;
  /** Numbers of the commits that tell of an erasure, in order. */
  readonly erasures: number[] = [];
  /** Whether some commit was taken in as it was before an erasure that is finished by now. */
  isOutdated = false;
  readonly #redactedBy = new Map<number, number>();

  add(commit: Commit): void {
    this.contents.add(commit);
    for (const user of new Set([...commit.sessions, ...commit.deletions].map((of) => of.user))) {
      const numbers = this.touching.get(user);
      if (numbers) numbers.push(commit.number);
      else this.touching.set(user, [commit.number]);
    }
    for (const { user, listed, total_items: totalItems, complete, error } of commit.users) {
      this.lastEntries.set(user, { listed, totalItems, complete, error });
    }
    this.digests.set(commit.number, commit.digest);
    this.#redactedBy.set(commit.number, commit.redacted_by ?? 0);
    if (commit.erasure) this.#addErasure(commit.number, commit.erasure);
    this.newest = commit;
  }

  #addErasure(number: number, erasure: ErasureEntry): void {
    this.erasures.push(number);
    if (erasure.stage === 'begun') {
      const commits = erasure.commits.map((redacted) => redacted.number);
      this.openErasures.set(erasure.id, { number, commits });
      return;
    }
    const begun = this.openErasures.get(erasure.id);
    this.openErasures.delete(erasure.id);
    this.isOutdated ||=
      begun?.commits.some((of) => (this.#redactedBy.get(of) ?? 0) < begun.number) === true;
  }
}
