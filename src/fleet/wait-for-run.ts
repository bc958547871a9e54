/** Waits until a queued run is finished. */
import { silentLogger } from '../base/logger.js';
import type { FleetRun } from './run-summary.js';
import { readFleetRun } from './queued-run.js';
import { checkQueueName, runQueue } from './queues.js';
import { withRedis } from './redis.js';
import { systemClock } from '../base/runtime.js';
import { DEFAULT_TERMS } from '../base/terms.js';
import { UsageError } from '../base/error.js';
import { abortable } from '../base/abortable.js';
import type { FleetPlace } from './fleet-status.js';

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
  const { redis: url, run, signal, terms = DEFAULT_TERMS, onProgress } = options;
  const { logger = silentLogger } = options;
  const queue = checkQueueName(options.queue);
  return withRedis({ url, logger, terms, retries: 'endless' }, async (redis) => {
    const runs = runQueue(redis, queue);
    for (let done = -1; ;) {
      const now = await abortable(readFleetRun(runs, run), signal);
      if (!now) throw new UsageError(`the queue ${queue} has no run "${run}"`);
      if (now.state === 'finished' || now.state === 'failed') return now;
      if (now.users.done !== done) onProgress?.(now);
      done = now.users.done;
      await systemClock.sleep(terms.pollMs, signal);
    }
  });
}
