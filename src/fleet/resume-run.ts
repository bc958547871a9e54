/** Puts back on the queue what it has lost of a run: the users that the log does not have as complete. */
import type { Redis } from 'ioredis';
import { openArchive } from '../archive/open-archive.js';
import { openRuns } from '../archive/runs/queued-runs.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { UsageError } from '../base/usage-error.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { warnOfHazards, type Enqueued } from './enqueue-run.js';
import { lostRuns, type LostRun } from './lost-users.js';
import { addUsers, putRun, type AttemptOptions } from './put-on-queue.js';
import { readable, runJobId, runQueue, userJobId, userQueue } from './queues.js';
import { withRedis } from './redis.js';
import { decodeRunRecord } from './run-record.js';

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
      const archive = await openArchive(storage);
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

/** @returns how many users were put back */
async function putBack(
  redis: Redis,
  { run, queue, settings, left, lost }: LostRun,
  { attempts, retryDelayMs }: AttemptOptions,
): Promise<number> {
  const record = decodeRunRecord(run, settings);
  const putting = { redis, queue, record, attempts, retryDelayMs };
  const job = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  const state = await job?.getState();
  if (state === 'waiting-children') {
    await forget(redis, queue, run, lost);
    await addUsers({ ...putting, users: lost });
    return lost.length;
  }
  if (job && !['failed', 'completed', 'unknown'].includes(state ?? '')) {
    throw new UsageError(`the run ${run} is just being finished; run the same command again`);
  }
  await job?.remove({ removeChildren: false });
  await forget(redis, queue, run, lost);
  // with the users that are still on the queue, so that the run waits for them, too
  await putRun({ ...putting, users: left });
  return lost.length;
}

const FORGOTTEN_AT_ONCE = 1000;

/** Removes what is left of users whom no worker would be offered: their ids would count as known. */
async function forget(
  redis: Redis,
  queue: string,
  run: string,
  lost: readonly string[],
): Promise<void> {
  const users = userQueue(redis, queue);
  const listed = new Set(await redis.lrange(users.toKey('wait'), 0, -1));
  for (let from = 0; from < lost.length; from += FORGOTTEN_AT_ONCE) {
    const removal = redis.pipeline();
    for (const user of lost.slice(from, from + FORGOTTEN_AT_ONCE)) {
      const id = userJobId(run, user);
      if (listed.has(id)) removal.lrem(users.toKey('wait'), 0, id);
      for (const set of ['delayed', 'failed', 'completed']) removal.zrem(users.toKey(set), id);
      removal.del(users.toKey(id));
    }
    for (const [error] of (await removal.exec()) ?? []) if (error) throw error;
  }
}
