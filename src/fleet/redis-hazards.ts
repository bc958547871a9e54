/** Finds out from INFO alone how a Redis may lose a queue. What INFO does not say is no hazard. */
import type { Redis } from 'ioredis';
import { silentLogger, type Logger } from '../base/logger.js';
import { shownAddress } from '../base/text/address.js';
import { isRedisFailure, withRedis } from './redis.js';

export interface RedisHazard {
  readonly hazard: string;
  readonly fix: string;
}

/** Managed Redis may refuse CONFIG, and even INFO. */
async function readHazards(redis: Redis): Promise<RedisHazard[]> {
  try {
    return hazardsOf(await redis.info());
  } catch (error) {
    if (isRedisFailure(error) && (error as Error).name === 'ReplyError') return [];
    throw error;
  }
}

/** For a command that puts users on the queue. */
export async function warnOfHazards(redis: Redis, url: string, logger: Logger): Promise<void> {
  for (const { hazard, fix } of await readHazards(redis)) {
    logger.warn({ redis: shownAddress(url), fix }, `Redis may lose the queue: ${hazard}`);
  }
}

/**
 * For a command that only checks.
 *
 * @throws {UsageError} the URL is invalid
 * @throws {RedisError} Redis cannot be reached, or refuses
 */
export function examineRedis(url: string, logger: Logger = silentLogger): Promise<RedisHazard[]> {
  return withRedis({ url, logger, retries: 'brief' }, async (redis) => {
    await redis.ping(); // fails where a password is needed
    return readHazards(redis);
  });
}

/** @param info the answer of INFO */
export function hazardsOf(info: string): RedisHazard[] {
  const fields = new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );
  const policy = fields.get('maxmemory_policy');
  return [
    ...(fields.get('aof_enabled') === '0'
      ? [
          {
            hazard: 'it keeps no append-only file: what is on the queue is lost when it ends',
            fix: 'set appendonly yes in its configuration',
          },
        ]
      : []),
    ...(policy !== undefined && policy !== '' && policy !== 'noeviction'
      ? [
          {
            hazard: `its maxmemory-policy is ${policy}: it removes users from the queue when its memory is full`,
            fix: 'set maxmemory-policy noeviction in its configuration',
          },
        ]
      : []),
  ];
}
