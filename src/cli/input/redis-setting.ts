/** Where the queue is; its password is never printed. */
import { UsageError } from '../../base/usage-error.js';
import { checkRedisUrl, redisSecrets } from '../../fleet/redis-url.js';

/** @throws {UsageError} none is named, or it is no URL of a Redis */
export function redisOf(
  { redis }: { readonly redis: string | undefined },
  secrets: string[],
): string {
  if (redis === undefined) {
    throw new UsageError('no queue is named; give --redis, or set JOBVAULT_REDIS');
  }
  secrets.push(...redisSecrets(redis));
  checkRedisUrl(redis);
  return redis;
}
