/** Reads the URL of the queue, and keeps its password out of every output. */
import { secretsInAddress } from '../../base/text/address.js';
import { UsageError } from '../../base/usage-error.js';
import { checkRedisUrl } from '../../fleet/redis-url.js';

/** @throws {UsageError} it is missing, or not a Redis URL */
export function redisOf(
  { redis }: { readonly redis: string | undefined },
  secrets: string[],
): string {
  if (redis === undefined) {
    throw new UsageError('no queue is named; give --redis, or set JOBVAULT_REDIS');
  }
  secrets.push(...secretsInAddress(redis));
  checkRedisUrl(redis);
  return redis;
}
