/** The archives that a worker knows: its own, and those of the runs it has worked on. */
import { openArchive, readIdentity } from '../archive/open-archive.js';
import type { Clock } from '../base/runtime.js';
import type { Logger } from '../base/logger.js';
import { UsageError } from '../base/error.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { ArchiveLocation } from './authorize-run.js';
import { lostRuns } from './lost-users.js';
import { queueOfArchive } from './queues.js';
import type { SessionOptions } from './worker-options.js';

const POLL_INTERVAL_MS = 2000;

export interface QueueOfWorker {
  readonly out?: string | undefined;
  readonly storage?: StorageOptions | undefined;
  readonly exitWhenIdleMs?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** @throws {UsageError} the worker has no archive of its own: its queue has no name */
export function assertHasArchive({ out }: Pick<QueueOfWorker, 'out'>): void {
  if (out !== undefined) return;
  throw new UsageError(
    'no queue is named: each archive has its own; give --out, or --queue as jobvault enqueue printed it',
  );
}

/**
 * The queue of the worker's own archive. Waits until there is one: a worker may start before the first `enqueue`.
 *
 * @returns undefined if the worker is to end before there is an archive
 * @throws the signal's reason
 */
export async function queueOfWorker(options: QueueOfWorker): Promise<string | undefined> {
  const { out = '', clock, logger, signal, exitWhenIdleMs = Infinity } = options;
  const storage = openStorage(out, options.storage, logger);
  const beganMs = clock.monotonic();
  try {
    for (let isTold = false; ; isTold = true) {
      const identity = await readIdentity(storage);
      if (identity) return queueOfArchive(identity.id);
      if (clock.monotonic() - beganMs >= exitWhenIdleMs) return undefined;
      if (!isTold) logger.info({ out }, 'there is no archive yet; waiting for jobvault enqueue');
      await clock.sleep(Math.min(POLL_INTERVAL_MS, exitWhenIdleMs), signal);
    }
  } finally {
    await storage.close();
  }
}

/**
 * Runs of these archives that the queue has lost users of. Each is logged.
 *
 * @returns how many runs and users
 */
export async function lossesOf(
  locations: Iterable<ArchiveLocation>,
  { redis, queue, logger }: SessionOptions,
): Promise<{ readonly runs: number; readonly users: number }> {
  const losses = { runs: 0, users: 0 };
  for (const { out, storage: options } of locations) {
    const storage = openStorage(out, options, logger);
    try {
      if (!(await readIdentity(storage))) continue;
      for (const { run, lost, users } of await lostRuns(redis, queue, await openArchive(storage))) {
        losses.runs++;
        losses.users += lost.length;
        logger.error(
          { run, queue, lost: lost.length, users: users.size },
          `the queue has lost this run or users of it; jobvault enqueue --resume ${run} puts them back`,
        );
      }
    } finally {
      await storage.close();
    }
  }
  return losses;
}
