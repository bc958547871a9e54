/** Runs a worker: checks its options, connects to Redis and starts its session. */
import { randomUUID } from 'node:crypto';
import { silentLogger } from '../base/logger.js';
import { systemRandom } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { checkApiKey } from '../service/options.js';
import { checkPermissions } from './authorize-run.js';
import { assertHasArchive, queueOfWorker } from './archives-at-work.js';
import { checkQueueName } from './queues.js';
import { asRedisError, withRedis } from './redis.js';
import { idleSummary, type WorkerOptions, type WorkerResult } from './worker-options.js';
import { WorkerSession } from './worker-session.js';

/**
 * Resolves when the worker was stopped, has been idle for long enough, or cannot continue.
 *
 * @throws {UsageError} an option is invalid
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { redis: url, logger = silentLogger } = options;
  checkBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  checkPermissions(options);
  if (options.queue === undefined) assertHasArchive(options);
  const runtime = {
    logger,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    signal: options.signal ?? new AbortController().signal,
  };
  const named = options.queue === undefined ? undefined : checkQueueName(options.queue);
  const { summary, error } = await withRedis({ url, logger, retries: 'endless' }, async (redis) => {
    const worker = randomUUID();
    const queue = named ?? (await queueOfWorker({ ...options, ...runtime }));
    if (queue === undefined) return { summary: idleSummary(worker), error: undefined };
    return new WorkerSession({ ...options, ...runtime, redis, queue, worker }).run();
  });
  return { summary, error: asRedisError(url, error) };
}
