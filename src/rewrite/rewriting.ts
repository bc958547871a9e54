/** Runs a rewrite: takes the leases, cleans up after dead runs, and ends the run. */
import type { ArchiveTask } from '../archive/archive.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import { ulid } from '../base/ulid.js';
import { asRunId } from '../model/ids.js';

/** @param work the rewrite itself; its result is returned @throws {IntegrityError} the log is damaged */
export async function rewriteAlone<T>(
  { archive, signal }: ArchiveTask,
  work: (run: ArchiveRun) => Promise<T>,
): Promise<T> {
  const run = new ArchiveRun({ archive, run: asRunId(ulid(archive.clock, archive.random)) });
  try {
    await run.begin();
    await run.leaseArchive(signal);
    await archive.log.assertStands(); // what another state of the archive names would look like what nobody names
    await run.abandonDead();
    await archive.delta.publish(); // before anything is removed that a version names
    return await work(run);
  } finally {
    await run.end();
  }
}
