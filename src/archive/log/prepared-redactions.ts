/**
 * What an erasure has put aside under `_erasures/` to stand in place of commits. From its receipt on this is read, so that
 * what is erased is not there at once, and no reader finds a part of it while one commit is redacted after the other
 * (I-45 in FORMAT.md).
 */
import { sha256Hex } from '../../base/digest.js';
import { type Storage } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import { type Commit, type BegunErasure } from './commit.js';
import { IntegrityError } from '../archive-errors.js';
import { redactedManifestPath, redactedPath, type ManifestName } from '../paths.js';
import { asRunId, type RunId } from '../../model/ids.js';
import { decodeCommit } from './commit-reader.js';

interface Prepared {
  readonly id: RunId;
  /** Number of the receipt. */
  readonly receipt: number;
  readonly vouched: BegunErasure['commits'][number];
}

export class PreparedRedactions {
  /** The redactions of erasures that are not finished, by the numbers of the commits in whose place they stand. */
  readonly #open = new Map<number, Prepared>();
  /** Ids of erasures whose receipts were read. */
  readonly #begun = new Set<RunId>();
  readonly #finished = new Set<RunId>();
  readonly #storage: Pick<Storage, 'get'>;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** In any order. @returns whether commits that were read before are outdated */
  learn({ number: receipt, erasure }: Commit): boolean {
    if (!erasure) return false;
    const id = asRunId(erasure.id);
    if (erasure.stage === 'finished') {
      this.disregard(id);
      return false;
    }
    if (this.#begun.has(id) || this.#finished.has(id)) return false;
    this.#begun.add(id);
    for (const vouched of erasure.commits) {
      const known = this.#open.get(vouched.number)?.receipt ?? 0;
      if (known < receipt) this.#open.set(vouched.number, { id, receipt, vouched });
    }
    return erasure.commits.length > 0;
  }

  /** Commits are read as they are, whatever the erasure has put aside. */
  disregard(id: RunId): void {
    this.#finished.add(id);
    for (const [number, prepared] of this.#open) {
      if (prepared.id === id) this.#open.delete(number);
    }
  }

  /** Whether an open erasure redacts the commit, and it is read as it was before. */
  isOutdated({ number, redacted_by: by = 0 }: Commit): boolean {
    return by < (this.#open.get(number)?.receipt ?? 0);
  }

  /**
   * What stands in place of a commit that is outdated; undefined if it is not there (any more).
   *
   * @throws {IntegrityError} the receipt does not vouch for it
   */
  async inPlaceOf({ number }: Commit): Promise<Commit | undefined> {
    const prepared = this.#open.get(number);
    if (!prepared) return undefined;
    const path = redactedPath(prepared.id, number);
    const bytes = await getIfThere(this.#storage, path);
    if (!bytes) return undefined;
    if (sha256Hex(bytes) !== prepared.vouched.sha256) throw notVouchedFor(path);
    return decodeCommit(number, bytes);
  }

  /** Where a manifest with this SHA-256 lies until it is published; undefined if no open erasure has put it aside. */
  manifestPath(name: ManifestName, number: number, sha256: string): string | undefined {
    const { id, vouched } = this.#open.get(number) ?? {};
    if (id === undefined || vouched?.[`${name}_sha256`] !== sha256) return undefined;
    return redactedManifestPath(name, id, number);
  }
}

export function notVouchedFor(path: string): IntegrityError {
  return new IntegrityError(path, 'digest', 'is damaged: its SHA-256 differs from the receipt');
}
