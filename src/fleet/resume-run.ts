/** Puts back on the queue what it has lost of a run: the users that the log does not have as complete. */
import { openArchiveIn } from '../archive/open-archive.js';
import { openRuns } from '../archive/runs/queued-runs.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { UsageError } from '../base/error.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { Enqueued } from './enqueue-run.js';
import { lostRuns, putBack } from './lost-users.js';
import type { AttemptOptions } from './run-record.js';
import { withRedis } from './redis.js';
import { warnOfHazards } from './redis-hazards.js';

export interface ResumeOptions extends AttemptOptions {
  readonly redis: string;
  /** The archive of the run. */
  readonly out: string;
  readonly storage?: StorageOptions | undefined;
  /** The run's name. */
  readonly run: string;
  /** Default: the queue that the run was put on. */
  readonly queue?: string | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * @returns `users`: how many users the log does not have as complete; `added`: how many were put back
 * @throws {UsageError} the archive has no such run that has not ended, or it is just being finished
 * @throws {RedisError} Redis cannot be reached
 */
export async function resumeRun(options: ResumeOptions): Promise<Enqueued> {
  const { redis: url, out, run, logger = silentLogger } = options;
  return withRedis({ url, logger, retries: 'brief' }, async (redis) => {
    await warnOfHazards(redis, url, logger);
    const storage = openStorage(out, options.storage, logger);
    try {
      const archive = await openArchiveIn(storage, { logger });
      const open = (await openRuns(archive)).find((known) => known.run === run);
      if (!open) {
        throw new UsageError(
          `${storage.location} has no run "${run}" that has not ended; jobvault status ${storage.location} lists those`,
        );
      }
      const { queue } = open;
      if (options.queue !== undefined && options.queue !== queue) {
        throw new UsageError(`the run ${run} was put on the queue ${queue}; leave --queue out`);
      }
      const answer = { run, archive: out, queue, users: open.left.length };
      const lost = (await lostRuns(redis, queue, archive)).find((known) => known.run === run);
      return { ...answer, added: lost ? await putBack(redis, lost, options) : 0 };
    } finally {
      await storage.close();
    }
  });
}
