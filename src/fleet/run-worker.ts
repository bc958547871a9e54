/** Runs a worker: it claims users from the queue, exports them, and finishes runs until it is stopped. */
import { randomUUID } from 'node:crypto';
import { silentLogger } from '../base/logger.js';
import { systemRandom } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { checkApiKey } from '../service/options.js';
import { checkOwnPlaces } from './allowed-place.js';
import { checkQueueName, DEFAULT_QUEUE } from './queues.js';
import { inOurWords, withRedis } from './redis.js';
import type { WorkerOptions, WorkerResult } from './worker-options.js';
import { WorkerSession } from './worker-session.js';

/**
 * Resolves when the worker was stopped, has been idle for long enough, or cannot go on.
 *
 * @throws {UsageError} an option makes no sense
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { redis: url, logger = silentLogger } = options;
  checkBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  checkOwnPlaces(options);
  const queue = checkQueueName(options.queue ?? DEFAULT_QUEUE);
  const { summary, error } = await withRedis({ url, logger, retries: 'endless' }, (redis) =>
    new WorkerSession({
      ...options,
      redis,
      queue,
      logger,
      worker: randomUUID(),
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      signal: options.signal ?? new AbortController().signal,
    }).run(),
  );
  return { summary, error: inOurWords(url, error) };
}
