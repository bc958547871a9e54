/** Connects to Redis, and turns its failures into RedisErrors. */
import { secretsInAddress, shownAddress } from '../base/text/address.js';
import { Redis } from 'ioredis';
import { codeOf, JobvaultError, messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/text/redact.js';
import { RedisError } from './redis-error.js';
import { refusalOf } from './redis-refusal.js';
import { checkRedisUrl } from './redis-url.js';

export interface RedisPlace {
  /** `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  readonly logger: Logger;
  /** `brief`: fails soon, for a person at a terminal. `endless`: waits out outages after the first connection. */
  readonly retries: 'brief' | 'endless';
}

/** Attempts to connect, at most half a second apart. */
const BRIEF_ATTEMPTS = 6;
const LONGEST_PAUSE_MS = 2000;

/**
 * Opens a connection, uses it and closes it.
 *
 * @throws {UsageError} the URL is invalid
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
    throw asRedisError(place.url, error);
  } finally {
    redis.disconnect();
  }
}

function connect({ url, logger, retries }: RedisPlace): Redis {
  checkRedisUrl(url);
  let wasReady = false;
  const options = {
    // read by BullMQ, which otherwise prints its own warnings to stderr; `redis-hazards.ts` has ours
    skipVersionCheck: true,
    lazyConnect: true,
    maxRetriesPerRequest: null, // pending commands are sent again after a reconnect
    connectTimeout: 5000,
    retryStrategy: (attempt: number) => {
      const isOver = attempt >= BRIEF_ATTEMPTS && !(wasReady && retries === 'endless');
      return isOver ? null : Math.min(100 * attempt, LONGEST_PAUSE_MS);
    },
  };
  const redis = new Redis(url, options);
  redis.on('ready', () => {
    if (wasReady) logger.info({}, 'reconnected to Redis');
    wasReady = true;
  });
  redis.on('close', () => {
    if (wasReady) logger.debug({}, 'connection to Redis closed');
  });
  redis.on('error', (error: Error) => {
    if (wasReady) logger.warn({ reason: redactText(describe(error)) }, 'Redis connection error');
  });
  return redis;
}

/** @throws {RedisError} all attempts to connect failed */
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
  // the client would silently use the first database if this one does not exist
  const { db = 0 } = redis.options;
  if (db !== 0) await redis.select(db);
}

/** Turns failures of Redis or its connection into a RedisError; other errors are returned unchanged. */
export function asRedisError(url: string, error: unknown): unknown {
  return isRedisFailure(error) ? redisError(url, error) : error;
}

function redisError(url: string, cause: unknown): RedisError {
  const reason = redactText(describe(cause), secretsInAddress(url));
  const refusal = refusalOf(messageOf(cause), answersBefore(cause));
  forgetCommands(cause);
  const words = refusal ? `${refusal.words} (${reason})` : reason;
  const { failure = 'unreachable' } = refusal ?? {};
  return new RedisError(`Redis at ${shownAddress(url)} cannot be used: ${words}`, {
    cause,
    failure,
  });
}

/** What Redis answered to the parts of a transaction that it discarded. */
function answersBefore(error: unknown): string[] {
  const { previousErrors } = (error ?? {}) as { readonly previousErrors?: unknown };
  return Array.isArray(previousErrors) ? previousErrors.map(messageOf) : [];
}

/** The error of a refused login contains the command, with the password. */
function forgetCommands(error: unknown): void {
  if (error instanceof AggregateError) error.errors.forEach(forgetCommands);
  else if (error instanceof Error) Reflect.deleteProperty(error, 'command');
}

/** If several addresses refuse, the error is an AggregateError without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error === undefined
    ? 'no connection'
    : messageOf(error) || (codeOf(error) ?? 'no connection');
}

/** Whether Redis or its connection is the cause, not a user or a run. */
export function isRedisFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof JobvaultError) return false;
  return (
    ['ReplyError', 'MaxRetriesPerRequestError', 'ConnectionClosedError'].includes(error.name) ||
    /^Connection is closed/.test(error.message)
  );
}
