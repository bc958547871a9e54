/** What has left the archive on purpose, by its log: rows that an erasure removed, small files that were merged. */
import type { BegunErasure, Commit } from './commit.js';

export interface ErasureNote {
  /** Where its receipt stands. */
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** The receipt's own name. */
  readonly receipt: string;
  readonly reason: string | null;
  readonly erased: BegunErasure['erased'];
  /** The commit that says it is done; null while it is not. */
  readonly finishedBy: number | null;
}

export interface CompactionNote {
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** Files that were merged. */
  readonly merged: number;
  /** Files that came of them. */
  readonly written: number;
}

export interface Rewrites {
  /** In the order of the log. */
  readonly erasures: readonly ErasureNote[];
  readonly compactions: readonly CompactionNote[];
}

/** Takes in commits in order. */
export class RewritesBuilder {
  readonly #erasures = new Map<string, ErasureNote>();
  readonly #compactions: CompactionNote[] = [];

  add({ number: commit, created_at: at, kind, removed, files, erasure }: Commit): void {
    if (kind === 'compact') {
      this.#compactions.push({ commit, at, merged: removed.length, written: files.length });
    }
    if (erasure?.stage === 'begun') {
      const { id: receipt, reason, erased } = erasure;
      this.#erasures.set(receipt, { commit, at, receipt, reason, erased, finishedBy: null });
    }
    if (erasure?.stage === 'finished') {
      const begun = this.#erasures.get(erasure.id);
      if (begun) this.#erasures.set(erasure.id, { ...begun, finishedBy: commit });
    }
  }

  get list(): Rewrites {
    return { erasures: [...this.#erasures.values()], compactions: this.#compactions };
  }
}
