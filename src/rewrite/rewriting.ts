/** Runs a rewrite: takes the leases, cleans up after dead runs, and ends the run. */
import type { Archive } from '../archive/archive.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Processes } from '../base/process-identity.js';
import type { Random } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { asRunId } from '../model/ids.js';
import { finishErasures } from './erasure/finish-erasure.js';

export interface RewriteOptions {
  readonly archive: Archive;
  /** Knows which processes are dead. */
  readonly processes: Processes;
  /** Name and version, for commits. */
  readonly tool: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends the work before the next file; commits stay. */
  readonly signal: AbortSignal;
}

/** @param work the rewrite itself; its result is returned @throws {IntegrityError} the log is damaged */
export async function rewriteAlone<T>(
  options: RewriteOptions,
  work: (run: ArchiveRun) => Promise<T>,
): Promise<T> {
  const { archive, processes, tool, clock, random, logger, signal } = options;
  const id = asRunId(ulid(clock, random));
  const run = new ArchiveRun({ archive, run: id, processes, tool, clock, random, logger });
  try {
    await run.begin();
    await run.leaseArchive(signal);
    await run.abandonDead(finishErasures);
    await archive.delta.publish(); // before anything is removed that a version names
    return await work(run);
  } finally {
    await run.end();
  }
}
