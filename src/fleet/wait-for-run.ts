/** Waits until a queued run is finished. */
import { systemClock } from '../base/system-clock.js';
import { silentLogger } from '../base/logger.js';
import { UsageError } from '../base/usage-error.js';
import { abortable } from '../base/abortable.js';
import type { FleetRun } from './run-summary.js';
import { readFleetRun } from './read-run.js';
import type { FleetPlace } from './fleet-status.js';
import { checkQueueName, readable, runJobId, runQueue } from './queues.js';
import { withRedis } from './redis.js';

const POLL_INTERVAL_MS = 1000;

export interface WaitForRunOptions extends FleetPlace {
  /** Prefix of every key in Redis. */
  readonly queue: string;
  readonly run: string;
  /** Ends the wait, not the run. */
  readonly signal?: AbortSignal | undefined;
  /** Called when more users are done. */
  readonly onProgress?: ((run: FleetRun) => void) | undefined;
}

/**
 * @returns the run, `finished` or `failed`
 * @throws {UsageError} there is no such run
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 * @throws the signal's reason
 */
export async function waitForRun(options: WaitForRunOptions): Promise<FleetRun> {
  const { redis: url, run, signal, onProgress, logger = silentLogger } = options;
  const queue = checkQueueName(options.queue);
  return withRedis({ url, logger, retries: 'endless' }, async (redis) => {
    const runs = runQueue(redis, queue);
    for (let done = -1; ;) {
      const job = await abortable(readable(runs.getJob(runJobId(run))), signal);
      if (!job) throw new UsageError(`the queue ${queue} has no run "${run}"`);
      const now = await abortable(readFleetRun(job), signal);
      if (now.state === 'finished' || now.state === 'failed') return now;
      if (now.users.done !== done) onProgress?.(now);
      done = now.users.done;
      await systemClock.sleep(POLL_INTERVAL_MS, signal);
    }
  });
}
