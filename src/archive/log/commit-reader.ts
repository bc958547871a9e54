/**
 * Encodes, decodes and reads commits. Each has exactly one spelling, so that any changed bit is noticed (I-11 to I-14 in
 * FORMAT.md). A redacted commit is accepted only if the receipt of its erasure vouches for it (I-40).
 */
import { sha256Hex } from '../../base/digest.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import { type Storage, getIfThere } from '../../storage/storage.js';
import {
  type Commit,
  type BegunErasure,
  commitSchema,
  unsealedSchema,
  type Unsealed,
  kindProblem,
} from './commit.js';
import { identityDifference, type ArchiveIdentity } from '../identity.js';
import { IntegrityError } from '../archive-errors.js';
import {
  commitNumberOf,
  commitPath,
  COMMITS_PREFIX,
  redactedManifestPath,
  redactedPath,
  type ManifestName,
} from '../paths.js';
import { asRunId, type RunId } from '../../model/ids.js';
import { canonicalJson, parseJson } from '../../base/text/parse-json.js';
import { signedBytesOf, type CommitSigner } from './signing.js';

/** Encodes and decodes commits. Each commit has exactly one spelling, so that any changed bit is noticed (I-11 to I-14 in FORMAT.md). */
export interface SealedCommit {
  readonly commit: Commit;
  readonly bytes: Uint8Array;
}

/** Adds signature and digest. Throws on an invalid commit, which is a bug. */
export function sealCommit(unsealed: Unsealed, signer?: CommitSigner): SealedCommit {
  const checked = unsealedSchema.parse(unsealed);
  const problem = kindProblem(checked);
  if (problem !== undefined) throw new Error(problem);
  const signed = { ...checked, signed_by: signer?.publicKeyId ?? null };
  const body = { ...signed, signature: signer?.sign(signedBytesOf(signed)) ?? null };
  const commit = { ...body, digest: sha256Hex(canonicalJson(body)) };
  return { commit, bytes: bytesOf(commit) };
}

/** Encodes a commit that an erasure has redacted. It keeps its original digest, so that the chain holds. */
export function encodeRedacted(commit: Commit): Uint8Array {
  return bytesOf(commitSchema.parse(commit));
}

/**
 * Reads the commit at a number. One with `redacted_by` proves nothing by itself: see
 * `CommitReader`.
 *
 * @throws {IntegrityError} the bytes are not exactly what `sealCommit` makes for this number
 */
export function decodeCommit(number: number, bytes: Uint8Array): Commit {
  const path = commitPath(number);
  let commit;
  try {
    commit = commitSchema.parse(parseJson(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new IntegrityError(path, 'unreadable', 'is damaged: it is not a valid commit', {
      cause,
    });
  }
  if (!bytesOf(commit).equals(bytes)) {
    throw new IntegrityError(
      path,
      'unreadable',
      'is damaged: its bytes are not as they were written',
    );
  }
  const { digest, redacted_by: redactedBy, ...body } = commit;
  if (redactedBy === undefined && sha256Hex(canonicalJson(body)) !== digest) {
    throw new IntegrityError(path, 'digest', 'is damaged: its digest does not match its content');
  }
  if (commit.number !== number) {
    throw new IntegrityError(path, 'chain', `contains commit ${commit.number}`);
  }
  return commit;
}

function bytesOf(commit: Commit): Buffer {
  return Buffer.from(`${JSON.stringify(commit, null, 1)}\n`);
}

/** Checks that a commit names the digest of the one before it: the chain shows tampering. */

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

/**
 * What an erasure has put aside under `_erasures/` to stand in place of commits. From its receipt on this is read, so that
 * what is erased is not there at once, and no reader finds a part of it while one commit is redacted after the other
 * (I-45 in FORMAT.md).
 */

interface Prepared {
  readonly id: RunId;
  /** Number of the receipt. */
  readonly receipt: number;
  readonly vouched: BegunErasure['commits'][number];
}

export class PreparedRedactions {
  /** Of erasures that are not finished, by the numbers of the commits in whose place they stand. */
  readonly #open = new Map<number, Prepared>();
  /** Ids of erasures whose receipts were read. */
  readonly #begun = new Set<RunId>();
  readonly #finished = new Set<RunId>();
  readonly #storage: Pick<Storage, 'get'>;

  constructor(storage: Pick<Storage, 'get'>) {
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
