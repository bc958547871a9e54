/** Copies an archive and verifies the copy. Begins again if the archive is rewritten meanwhile. */
import { type Archive } from '../archive/archive.js';
import { openArchiveIn } from '../archive/open-archive.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { UsageError } from '../base/error.js';
import { type Storage } from '../storage/storage.js';
import { readConsistently } from '../archive/consistent-read.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import { verifyArchive, type VerifyReport } from '../archive/verify/verify.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { type CopyOptions, type CopyCounts, copyObjects, copyAgain } from './copy.js';

export interface CopyChoices {
  /** How to access the target. Default: as the archive. */
  readonly storage?: StorageOptions | undefined;
  /** Objects at a time, copied and read back. Default 16. */
  readonly concurrency?: number | undefined;
  /** The share of files that is read back at the end, above 0 and at most 1. Default: 1. */
  readonly sample?: number | undefined;
}

export interface CopySummary {
  readonly archive: string;
  readonly target: string;
  /** Number of the newest commit in the copy; 0 if the log is empty. */
  readonly through: number;
  readonly copied: { readonly objects: number; readonly bytes: number };
  /** Objects that the copy had already. */
  readonly present: number;
  /** Objects deleted from the copy, because they have left the archive. */
  readonly removed: number;
  /** What the target keeps of erased data, as a clause; null if nothing, or if nothing was ever erased. */
  readonly kept: string | null;
  readonly duration_ms: number;
}

const DEFAULT_CONCURRENCY = 16;

/**
 * Copies an archive to another place, or brings a copy up to date, and verifies it. Until it is finished, the
 * target has no `jobvault.json` and is not an archive.
 *
 * @param target empty, or an interrupted or older copy of the same archive
 * @throws {UsageError} the target has other files, or commits that the archive does not have
 * @throws {ErasureUnfinishedError} an erasure is running: copy the archive afterwards
 * @throws {IntegrityError} the archive is damaged, or the copy is after a second attempt
 * @throws {RewrittenMeanwhileError} the archive was rewritten during every attempt
 */
export async function copyArchive(
  archive: Archive,
  target: Storage,
  options: Omit<CopyChoices, 'storage'> & Pick<CopyOptions, 'signal'>,
): Promise<CopySummary> {
  const { concurrency = DEFAULT_CONCURRENCY, sample, signal } = options;
  const { clock } = archive;
  const startedAt = clock.monotonic();
  const { location } = archive.storage;
  if (location === target.location) {
    throw new UsageError('the target is the archive itself; give another place');
  }
  const counts = await copyProven({ archive, target, concurrency, signal }, sample);
  return {
    archive: location,
    target: target.location,
    ...counts,
    kept: await keptIn(target, archive),
    duration_ms: Math.round(clock.monotonic() - startedAt),
  };
}

/** Begins again after a compaction or an erasure; objects that were copied stay. */
export async function copyProven(copying: CopyOptions, sample?: number): Promise<CopyCounts> {
  return retryOnRewrite(() =>
    readConsistently(copying.archive, 'copy', async () => {
      const counts = await copyObjects(copying);
      await prove(copying, sample);
      return counts;
    }),
  );
}

/** An earlier copy may have held what was erased since, whichever attempt removed it. */
async function keptIn(target: Storage, { index }: Archive): Promise<string | null> {
  if (index.erasures.length === 0) return null;
  return (await target.keepsDeleted?.())?.why ?? null;
}

/** @throws {IntegrityError} */
async function prove(copying: CopyOptions, sample: number | undefined): Promise<void> {
  const { archive, target, concurrency, signal } = copying;
  const verify = async (): Promise<VerifyReport> =>
    verifyArchive(await openArchiveIn(target, archive), {
      concurrency,
      sample,
      signal,
    });
  let { problems } = await verify();
  if (problems.length > 0) {
    // objects that were there already were compared by size alone
    await copyAgain(
      copying,
      problems.map(({ path }) => path),
    );
    ({ problems } = await verify());
  }
  const [first] = problems;
  if (first) throw new IntegrityError(first.path, first.problem, first.detail);
}
