/** Puts back on the queue what it has lost of a run. */
import type { Redis } from 'ioredis';
import { UsageError } from '../base/usage-error.js';
import type { LostRun } from './lost-users.js';
import { addUsers, putRun, type AttemptOptions } from './put-on-queue.js';
import { readable, runJobId, runQueue, userJobId, userQueue } from './queues.js';
import { decodeRunRecord } from './run-record.js';

/**
 * @returns how many users were put back
 * @throws {UsageError} the run is just being finished
 */
export async function putBack(
  redis: Redis,
  { run, queue, settings, left, lost, expected }: LostRun,
  { attempts, retryDelayMs }: AttemptOptions,
): Promise<number> {
  const record = decodeRunRecord(run, settings);
  const putting = { redis, queue, record, expected, attempts, retryDelayMs };
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
