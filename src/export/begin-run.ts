/** Begins a run and cleans up after dead ones. */
import type { Archive } from '../archive/archive.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import { failureOf, messageOf } from '../base/error.js';
import type { RunId } from '../model/ids.js';
import { finishErasures } from '../rewrite/erasure/finish-erasure.js';
import type { ExportOptions } from './export-options.js';

export interface BeginOptions extends Pick<ExportOptions, 'archive' | 'leases'> {
  /** The same archive as a reader opens it: the log is read to its beginning only where there is something to clean up. */
  readonly reading: Archive;
}

/**
 * Begins a run and cleans up. If the storage fails during the clean-up, that is only logged.
 *
 * @returns the run; the caller ends it
 * @throws {IntegrityError} the log is damaged
 */
export async function beginRun(
  { archive, reading, leases }: BeginOptions,
  id: RunId,
): Promise<ArchiveRun> {
  const run = new ArchiveRun({ archive, run: id, termMs: leases.termMs });
  try {
    await run.begin();
    await run.abandonDead(finishErasures, reading);
  } catch (error) {
    if (failureOf(error) !== 'storage') {
      await run.end();
      throw error;
    }
    archive.logger.warn({ reason: messageOf(error) }, 'cannot clean up after dead runs');
  }
  return run;
}
