/** The connection to Redis: how it is named, how long it is tried, what is said when it fails. */
import { Redis } from 'ioredis';
import { codeOf, JobvaultError, messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText, redactUrl } from '../base/text/redact.js';
import { RedisError } from './redis-error.js';
import { checkRedisUrl, redisSecrets } from './redis-url.js';

export interface RedisPlace {
  /** `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  readonly logger: Logger;
  /** `brief`: a person at a terminal is told soon. `endless`: an outage is waited out, once there was a connection. */
  readonly retries: 'brief' | 'endless';
}

/** Attempts to connect, half a second apart at most, before it is given up. */
const BRIEF_ATTEMPTS = 6;
const LONGEST_PAUSE_MS = 2000;

/**
 * Uses a connection and closes it behind.
 *
 * @throws {UsageError} the URL makes no sense
 * @throws {RedisError} Redis cannot be reached, or refuses
 */
export async function withRedis<T>(
  place: RedisPlace,
  use: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = connect(place);
  try {
    await untilReady(redis, place.url);
    return await use(redis);
  } catch (error) {
    throw inOurWords(place.url, error);
  } finally {
    redis.disconnect();
  }
}

function connect({ url, logger, retries }: RedisPlace): Redis {
  checkRedisUrl(url);
  let wasReady = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null, // what has been asked is asked again when Redis is back
    connectTimeout: 5000,
    retryStrategy: (attempt) => {
      const isHopeless = attempt >= BRIEF_ATTEMPTS && !(wasReady && retries === 'endless');
      return isHopeless ? null : Math.min(100 * attempt, LONGEST_PAUSE_MS);
    },
  });
  redis.on('ready', () => {
    if (wasReady) logger.info({}, 'Redis is back');
    wasReady = true;
  });
  redis.on('close', () => {
    if (wasReady) logger.debug({}, 'the connection to Redis has ended');
  });
  redis.on('error', (error: Error) => {
    if (wasReady) logger.warn({ reason: redactText(describe(error)) }, 'trouble with Redis');
  });
  return redis;
}

/** @throws {RedisError} no attempt has led to a connection */
async function untilReady(redis: Redis, url: string): Promise<void> {
  let newest: unknown;
  const note = (error: Error) => (newest = error);
  redis.on('error', note);
  const ready = new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('end', () => {
      reject(redisError(url, newest));
    });
  });
  redis.connect().catch(note); // tried again until `end`
  await ready;
  redis.off('error', note);
  // one that is not there would be passed over in silence, and the first one used
  const { db = 0 } = redis.options;
  if (db !== 0) await redis.select(db);
}

/** What Redis, or the connection to it, says is told as what it is; every other error as it came. */
export function inOurWords(url: string, error: unknown): unknown {
  return isRedisTrouble(error) ? redisError(url, error) : error;
}

function redisError(url: string, cause: unknown): RedisError {
  const reason = redactText(describe(cause), redisSecrets(url));
  forgetCommands(cause);
  return new RedisError(`Redis at ${redactUrl(url)} cannot be used: ${reason}`, { cause });
}

/** The error of a refused login has what was sent, the password too, in its cause. */
function forgetCommands(error: unknown): void {
  if (error instanceof AggregateError) error.errors.forEach(forgetCommands);
  else if (error instanceof Error) Reflect.deleteProperty(error, 'command');
}

/** Several addresses that all refuse make an error without words of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error === undefined
    ? 'no connection'
    : messageOf(error) || (codeOf(error) ?? 'no connection');
}

/** Of what no user and no run is the cause. */
export function isRedisTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof JobvaultError) return false;
  return (
    ['ReplyError', 'MaxRetriesPerRequestError', 'ConnectionClosedError'].includes(error.name) ||
    /^Connection is closed/.test(error.message)
  );
}
