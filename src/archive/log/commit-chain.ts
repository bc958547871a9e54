/** Checks that a commit names the digest of the one before it: the chain shows tampering. */
import { sha256Hex } from '../../base/digest.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import { type Storage } from '../../storage/storage.js';
import { type Commit } from './commit.js';
import { identityDifference, type ArchiveIdentity } from '../identity.js';
import { IntegrityError } from '../archive-errors.js';
import { commitNumberOf, commitPath, COMMITS_PREFIX } from '../paths.js';
import { decodeCommit } from './commit-reader.js';

/** @throws {IntegrityError} `commit.previous` is not the digest of `before` */
export function assertFollows(commit: Commit, before: Pick<Commit, 'digest'> | undefined): void {
  const expected = commit.number === 1 ? null : (before?.digest ?? commit.previous);
  if (commit.previous === expected) return;
  throw new IntegrityError(
    commitPath(commit.number),
    'chain',
    `does not follow commit ${commit.number - 1}: one of the two was rewritten`,
  );
}

export class CommitReader {
  /** By number of the receipt: the SHA-256 of each redacted commit, by its number. */
  readonly #vouched = new Map<number, Promise<ReadonlyMap<number, string>>>();
  readonly #storage: Pick<Storage, 'get'>;
  /** The archive to which the commits must belong; default: not checked. */
  readonly #identity: ArchiveIdentity | undefined;

  constructor(storage: Storage, identity?: ArchiveIdentity) {
    this.#storage = storage;
    this.#identity = identity;
  }

  /**
   * @throws {ObjectNotFoundError} there is no commit with this number
   * @throws {IntegrityError} the commit is damaged, of another archive, or redacted without a receipt
   */
  async read(number: number): Promise<Commit> {
    return this.check(number, await this.#storage.get(commitPath(number)));
  }

  /** The same of bytes that were read already. @throws {IntegrityError} as `read` */
  async check(number: number, bytes: Uint8Array): Promise<Commit> {
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

/** Commits whose names about fill a page of a bucket, with those of what lies beside them. */
const LISTED = 256;

/**
 * The highest commit number in the storage, damaged or not; 0 if the log is empty. Leaps over what comes before it:
 * of a log of any length, only the end is listed.
 *
 * @param known a commit that is thought to be there: the search begins with it
 */
export async function newestCommitNumber(
  storage: Pick<Storage, 'list'>,
  known = 0,
): Promise<number> {
  const newest = known > 1 ? await newestAfter(storage, known - 1) : 0;
  return newest > 0 ? newest : newestAfter(storage, 0);
}

/** 0 if there is none after `start`. */
async function newestAfter(storage: Pick<Storage, 'list'>, start: number): Promise<number> {
  let newest = 0;
  let isLong = false;
  for await (const number of listedNumbers(storage, start)) {
    isLong = number > start + LISTED;
    if (isLong) break;
    newest = number;
  }
  if (!isLong) return newest;
  let [passed, leap] = [start, LISTED];
  while (await hasAfter(storage, passed + leap)) {
    passed += leap;
    leap *= 2;
  }
  while (leap > LISTED) {
    leap /= 2;
    if (await hasAfter(storage, passed + leap)) passed += leap;
  }
  for await (const number of listedNumbers(storage, passed)) newest = Math.max(newest, number);
  return newest;
}

async function hasAfter(storage: Pick<Storage, 'list'>, number: number): Promise<boolean> {
  const { done } = await listedNumbers(storage, number).next();
  return done !== true;
}

/** The numbers of all commits in the storage, damaged or not, in order. */
export async function commitNumbers(storage: Pick<Storage, 'list'>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const number of listedNumbers(storage)) numbers.push(number);
  return numbers.sort((a, b) => a - b);
}

/** The numbers after `passed`, ordered by path. */
async function* listedNumbers(storage: Pick<Storage, 'list'>, passed = 0): AsyncGenerator<number> {
  for await (const { path } of storage.list(COMMITS_PREFIX, { after: commitPath(passed) })) {
    const number = commitNumberOf(path);
    if (number !== undefined) yield number;
  }
}
