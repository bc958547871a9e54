/** Reads the URL of the queue, and keeps its password out of every output. */
import { secretsInAddress } from '../../base/text/address.js';
import { checkRedisUrl } from '../../fleet/redis-url.js';

/** @throws {UsageError} it is not a Redis URL */
export function redisOf(redis: string, secrets: string[]): string {
  secrets.push(...secretsInAddress(redis));
  checkRedisUrl(redis);
  return redis;
}
