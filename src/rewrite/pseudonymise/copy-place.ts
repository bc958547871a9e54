/** Where a pseudonymised copy is made: a place that is empty, or that one has left which died there. */
import type { Archive } from '../../archive/archive.js';
import { readIdentity } from '../../archive/open-archive.js';
import {
  commitPath,
  COMMITS_PREFIX,
  COPY_MARKER_PATH,
  deltaObjectOf,
  IDENTITY_PATH,
} from '../../archive/paths.js';
import { acquireLease, type Lease, decodeLeaseNote } from '../../archive/runs/lease.js';
import { isOfFileManager } from '../../archive/objects/unnamed-objects.js';
import { UsageError } from '../../base/error.js';
import type { RunId } from '../../model/ids.js';
import { deleteObjects, getIfThere } from '../../storage/small-objects.js';
import type { Storage } from '../../storage/storage.js';

/**
 * Takes an empty place for this run, or one with what a run has left that died there, which is removed: the lease, with
 * its run, stays until a copy is proven.
 *
 * @throws {LeaseHeldError} a copy is being made there
 * @throws {UsageError} the place has something else
 */
export async function takePlace(
  target: Storage,
  run: RunId,
  archive: Archive,
  signal: AbortSignal,
): Promise<Lease> {
  const marker = await getIfThere(target, COPY_MARKER_PATH);
  const begun = marker && decodeLeaseNote(marker);
  if (!begun) await assertEmpty(target);
  const lease = await acquireLease({
    ...archive,
    storage: target,
    path: COPY_MARKER_PATH,
    run,
    signal,
    subject: `the copy in ${target.location}`,
    wait: 'term',
  });
  try {
    if (begun) {
      archive.logger.info({ run: begun.run }, 'removing what a copy has left that died here');
      await removeOwn(target, begun.run);
      await target.sweep();
    }
    await assertEmpty(target, COPY_MARKER_PATH);
    return lease;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** @param except a path that may be there */
async function assertEmpty(target: Storage, except?: string): Promise<void> {
  for await (const { path } of target.list('')) {
    if (isOfFileManager(path) || path === except) continue;
    throw new UsageError(
      `${target.location} is not empty (it holds ${path}): a pseudonymised copy is always made as a whole; choose an empty place`,
    );
  }
}

/** What the run has written; nothing, where somebody has made an archive there meanwhile. */
export async function removeOwn(target: Storage, run: RunId): Promise<void> {
  const identity = await readIdentity(target);
  const first = await getIfThere(target, commitPath(1));
  if (identity && !(first && Buffer.from(first).includes(run))) return;
  const written: string[] = [];
  for await (const { path } of target.list('')) {
    const isOwn =
      path === IDENTITY_PATH ||
      path.startsWith(COMMITS_PREFIX) ||
      deltaObjectOf(path) !== undefined ||
      path.includes(run);
    if (isOwn) written.push(path);
  }
  await deleteObjects(target, written);
}
