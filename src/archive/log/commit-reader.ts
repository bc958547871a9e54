/** Reads commits from the storage. A redacted commit is accepted only if the receipt of its erasure vouches for it (I-40 in FORMAT.md). */
import { sha256Hex } from '../../base/digest.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Storage } from '../../storage/storage.js';
import { decodeCommit } from './commit-codec.js';
import type { Commit } from './commit.js';
import { identityDifference, type ArchiveIdentity } from '../identity.js';
import { IntegrityError } from '../verify/integrity-error.js';
import { commitNumberOf, commitPath, COMMITS_PREFIX } from '../paths.js';

export class CommitReader {
  /** By number of the receipt: the SHA-256 of each redacted commit, by its number. */
  readonly #vouched = new Map<number, Promise<ReadonlyMap<number, string>>>();
  readonly #storage: Pick<Storage, 'get'>;
  /** The archive to which the commits must belong; default: not checked. */
  readonly #identity: ArchiveIdentity | undefined;

  constructor(storage: Pick<Storage, 'get'>, identity?: ArchiveIdentity) {
    this.#storage = storage;
    this.#identity = identity;
  }

  /**
   * @throws {ObjectNotFoundError} there is no commit with this number
   * @throws {IntegrityError} the commit is damaged, of another archive, or redacted without a receipt
   */
  async read(number: number): Promise<Commit> {
    const bytes = await this.#storage.get(commitPath(number));
    const commit = decodeCommit(number, bytes);
    this.#assertOwn(commit);
    const { redacted_by: receipt } = commit;
    if (receipt === undefined) return commit;
    const vouched = receipt > number ? await this.#vouchedBy(receipt) : undefined;
    if (vouched?.get(number) === sha256Hex(bytes)) return commit;
    const detail = `is damaged: it is not the redacted commit that the erasure in commit ${receipt} vouches for`;
    throw new IntegrityError(commitPath(number), 'digest', detail);
  }

  #assertOwn({ number, archive }: Commit): void {
    const difference = this.#identity && identityDifference(archive, this.#identity);
    if (difference === undefined) return;
    const detail = `belongs to another archive than jobvault.json: ${difference}`;
    throw new IntegrityError(commitPath(number), 'identity', detail);
  }

  #vouchedBy(receipt: number): Promise<ReadonlyMap<number, string>> {
    const known = this.#vouched.get(receipt);
    if (known) return known;
    const reading = this.#readReceipt(receipt);
    this.#vouched.set(receipt, reading);
    reading.catch(() => this.#vouched.delete(receipt));
    return reading;
  }

  /** A damaged or missing receipt vouches for nothing. Its own damage is reported when its number is read. */
  async #readReceipt(receipt: number): Promise<ReadonlyMap<number, string>> {
    try {
      const { erasure } = await this.read(receipt);
      if (erasure?.stage !== 'begun') return new Map();
      return new Map(erasure.commits.map(({ number, sha256 }) => [number, sha256]));
    } catch (error) {
      if (error instanceof ObjectNotFoundError || error instanceof IntegrityError) return new Map();
      throw error;
    }
  }
}

/** The highest commit number in the storage, damaged or not; 0 if the log is empty. */
export async function newestCommitNumber(storage: Pick<Storage, 'list'>): Promise<number> {
  let newest = 0;
  for await (const number of listedNumbers(storage)) newest = Math.max(newest, number);
  return newest;
}

/** The numbers of all commits in the storage, damaged or not, in order. */
export async function commitNumbers(storage: Pick<Storage, 'list'>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const number of listedNumbers(storage)) numbers.push(number);
  return numbers.sort((a, b) => a - b);
}

async function* listedNumbers(storage: Pick<Storage, 'list'>): AsyncGenerator<number> {
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    const number = commitNumberOf(path);
    if (number !== undefined) yield number;
  }
}
