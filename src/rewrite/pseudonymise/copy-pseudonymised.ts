/**
 * Makes a pseudonymised copy of an archive: an archive of its own, with its own log, for people who may not read whose
 * conversations it has. It is written anew, row by row: commits of the archive hold ids and hashes, so none is copied.
 */
import { type Archive, currentContents } from '../../archive/archive.js';
import { readConsistently } from '../../archive/consistent-read.js';
import { assertErasuresFinished } from '../../archive/erasing/erasures.js';
import { UsageError } from '../../base/error.js';
import { nowMicros } from '../../base/runtime.js';
import { ulid } from '../../base/ulid.js';
import { asRunId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { removeOwn, takePlace } from './copy-place.js';
import type { PseudonymiseOptions, PseudonymiseSummary } from './pseudonymise-options.js';
import { Pseudonyms } from './pseudonyms.js';
import { Copy } from './written-copy.js';

/**
 * Writes the copy, and verifies it. If that fails, nothing of it stays; what a killed run has left, the next one removes.
 *
 * @param target an empty place
 * @throws {UsageError} the key is too short, the target is not empty, or the archive is such a copy itself
 * @throws {ErasureUnfinishedError} an erasure is running: copy the archive afterwards
 * @throws {RewrittenMeanwhileError} the archive was rewritten meanwhile: copy it again
 * @throws {IntegrityError} the archive is damaged
 */
export async function copyPseudonymised(
  archive: Archive,
  target: Storage,
  options: PseudonymiseOptions,
): Promise<PseudonymiseSummary> {
  const { key, keepText = false, keepTimes = false, signal } = options;
  const { clock, random } = archive;
  const startedAt = clock.monotonic();
  const run = asRunId(ulid(clock, random));
  const at = nowMicros(clock);
  const pseudonyms = new Pseudonyms({ key, run, keepText, keepTimes });
  if (archive.identity.pseudonymised) {
    throw new UsageError(`${archive.storage.location} is a pseudonymised copy already`);
  }
  const lease = await takePlace(target, run, archive, signal);
  try {
    const counts = await readConsistently(archive, 'copy', async () => {
      await currentContents(archive);
      await assertErasuresFinished(archive);
      return new Copy(archive, target, {
        ...options,
        keepText,
        keepTimes,
        run,
        at,
        pseudonyms,
      }).write();
    });
    return {
      archive: archive.storage.location,
      target: target.location,
      ...counts,
      texts: keepText ? 'kept' : 'dropped',
      times: keepTimes ? 'kept' : 'days',
      request: options.part?.request.name ?? null,
      duration_ms: Math.round(clock.monotonic() - startedAt),
    };
  } catch (error) {
    await removeOwn(target, run);
    throw error;
  } finally {
    await lease.release();
  }
}
