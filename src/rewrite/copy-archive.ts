/** A copy that is proven: it begins again where the archive is rewritten meanwhile, and is read back in the end. */
import type { Archive } from '../archive/archive.js';
import { openArchive } from '../archive/open-archive.js';
import { againWhereRewritten } from '../archive/parts/again-where-rewritten.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { readUnrewritten } from '../archive/parts/read-unrewritten.js';
import { verifyArchive } from '../archive/verify/verify.js';
import type { VerifyReport } from '../archive/verify/verify-report.js';
import type { Runtime } from '../base/runtime.js';
import { UsageError } from '../base/usage-error.js';
import { rowFormats } from '../formats/formats.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { Storage } from '../storage/storage.js';
import { copyAgain, copyObjects, type CopyCounts, type CopyOptions } from './copy.js';

export interface CopyChoices {
  /** How the target is reached. Default: as the archive. */
  readonly storage?: StorageOptions | undefined;
  /** Objects at a time, copied and read back. Default 16. */
  readonly concurrency?: number | undefined;
  /** The share of files that is read back in the end, above 0 and at most 1. Default: all. */
  readonly sample?: number | undefined;
}

export interface CopySummary {
  readonly archive: string;
  readonly target: string;
  /** The newest commit in the copy; 0 of an empty log. */
  readonly through: number;
  readonly copied: { readonly objects: number; readonly bytes: number };
  /** Were there already. */
  readonly present: number;
  /** Were in the copy, and have left the archive since. */
  readonly removed: number;
  readonly duration_ms: number;
}

const DEFAULT_CONCURRENCY = 16;

/**
 * Takes an archive to another place, or brings a copy up to date, and proves it. While it works the
 * target has no `jobvault.json`, and is no archive.
 *
 * @param target empty, or a copy of the same archive, broken off or older
 * @throws {UsageError} the target is something else, or has commits of its own
 * @throws {ErasureUnfinishedError} somebody is erasing from the archive: copy it afterwards
 * @throws {IntegrityError} the archive is damaged, or the copy is in spite of a second try
 * @throws {RewrittenMeanwhileError} the archive is being rewritten again and again
 */
export async function copyArchive(
  archive: Archive,
  target: Storage,
  options: Omit<CopyChoices, 'storage'> & Pick<Runtime, 'clock' | 'signal'>,
): Promise<CopySummary> {
  const { concurrency = DEFAULT_CONCURRENCY, sample, clock, signal } = options;
  const startedAt = clock.monotonic();
  const { location } = archive.storage;
  if (location === target.location) {
    throw new UsageError('the target is the archive itself; allowed is another place');
  }
  const counts = await copyProven({ archive, target, concurrency, signal }, sample);
  return {
    archive: location,
    target: target.location,
    ...counts,
    duration_ms: Math.round(clock.monotonic() - startedAt),
  };
}

/** Begins again where a compaction or an erasure comes between: what it has copied stays. */
export async function copyProven(copying: CopyOptions, sample?: number): Promise<CopyCounts> {
  return againWhereRewritten(() =>
    readUnrewritten(copying.archive, 'copy', async () => {
      const counts = await copyObjects(copying);
      await prove(copying, sample);
      return counts;
    }),
  );
}

/** @throws {IntegrityError} */
async function prove(copying: CopyOptions, sample: number | undefined): Promise<void> {
  const { target, concurrency, signal } = copying;
  const verify = async (): Promise<VerifyReport> =>
    verifyArchive(await openArchive(target), {
      formats: rowFormats(),
      concurrency,
      sample,
      signal,
    });
  let { problems } = await verify();
  if (problems.length > 0) {
    // of what was there already only the size was known
    await copyAgain(
      copying,
      problems.map(({ path }) => path),
    );
    ({ problems } = await verify());
  }
  const [first] = problems;
  if (first) throw new IntegrityError(first.path, first.problem, first.detail);
}
