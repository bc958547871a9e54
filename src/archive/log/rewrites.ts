/** Rewrites in the log: erasures, and compactions of small files. */
import type { BegunErasure, Commit } from './commit.js';

export interface ErasureNote {
  /** Number of the commit with the receipt. */
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** Id of the receipt. */
  readonly receipt: string;
  readonly reason: string | null;
  /** The person who did it; null where the receipt names nobody. */
  readonly by: string | null;
  readonly erased: BegunErasure['erased'];
  /** Number of the commit that finished it; null while it is not finished. */
  readonly finishedBy: number | null;
}

export interface CompactionNote {
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** Files that were merged. */
  readonly merged: number;
  /** Files that were written instead. */
  readonly written: number;
}

export interface Rewrites {
  /** In the order of the log. */
  readonly erasures: readonly ErasureNote[];
  readonly compactions: readonly CompactionNote[];
}

/** Commits are added in order. */
export class RewritesBuilder {
  readonly #erasures = new Map<string, ErasureNote>();
  readonly #compactions: CompactionNote[] = [];

  add({ number: commit, created_at: at, kind, removed, files, erasure }: Commit): void {
    if (kind === 'compact') {
      this.#compactions.push({ commit, at, merged: removed.length, written: files.length });
    }
    if (erasure?.stage === 'begun') {
      const { id: receipt, reason, by = null, erased } = erasure;
      this.#erasures.set(receipt, { commit, at, receipt, reason, by, erased, finishedBy: null });
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
