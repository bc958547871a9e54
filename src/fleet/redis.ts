/** Connects to Redis, and turns its failures into RedisErrors. */
import { Redis } from 'ioredis';
import { secretsInAddress, shownAddress } from '../base/text/address.js';
import { codeOf, JobvaultError, messageOf, type FailureKind } from '../base/error.js';
import { type Logger, silentLogger } from '../base/logger.js';
import { DEFAULT_TERMS, type Terms } from '../base/terms.js';
import { redactText } from '../base/text/redact.js';
import type { RuntimeOptions } from '../base/runtime.js';
import { RedisError } from './fleet-errors.js';
import { checkRedisUrl } from './redis-url.js';

interface RedisPlace {
  /** `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  readonly logger: Logger;
  /** Default: `DEFAULT_TERMS`. */
  readonly terms?: Terms | undefined;
  /** `brief`: fails soon, for a person at a terminal. `endless`: waits out outages after the first connection. */
  readonly retries: 'brief' | 'endless';
}

/** Attempts to connect. */
const BRIEF_ATTEMPTS = 6;
/** Steps to the longest pause between two attempts. */
const LONGEST_PAUSE = 20;

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

function connect({ url, logger, terms = DEFAULT_TERMS, retries }: RedisPlace): Redis {
  checkRedisUrl(url);
  let wasReady = false;
  const options = {
    // read by BullMQ, which otherwise prints its own warnings to stderr; ours are below
    skipVersionCheck: true,
    lazyConnect: true,
    maxRetriesPerRequest: null, // pending commands are sent again after a reconnect
    connectTimeout: 5000,
    retryStrategy: (attempt: number) => {
      const isOver = attempt >= BRIEF_ATTEMPTS && !(wasReady && retries === 'endless');
      return isOver ? null : terms.reconnectMs * Math.min(attempt, LONGEST_PAUSE);
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
  let isRefused = false;
  const note = (error: Error) => {
    if (isRefused) return;
    newest = error;
    // another attempt is refused as well
    isRefused = refusalOf(messageOf(error))?.failure === 'authentication';
    if (isRefused) redis.disconnect();
  };
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

/** Why Redis refuses, and what to do about it, in words. Redis's own text stands behind. */
interface Refusal {
  readonly words: string;
  readonly failure: FailureKind;
}

const WRONG_PASSWORD =
  'it refuses the user or the password; give both in --redis, in front of the host, as USER:PASSWORD@HOST (without a user :PASSWORD@HOST)';

/** By the first word of Redis's answer, or what older versions say instead. */
const REFUSALS: readonly (readonly [pattern: RegExp, words: string, failure?: FailureKind])[] = [
  [/^OOM\b/, 'its memory is full; raise its maxmemory, or remove what else it holds'],
  [
    /^(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/,
    'it is a node of a cluster, and a queue needs one server; name a Redis that is no cluster',
  ],
  [/^READONLY\b/, 'it is a replica, which cannot be written to; name the primary'],
  [/^MISCONF\b/, 'it cannot save to its own disk and takes no writes; look into its log'],
  [/^LOADING\b/, 'it is still loading its data; try again in a moment'],
  [/^(?:WRONGPASS|NOAUTH)\b/, WRONG_PASSWORD, 'authentication'],
  [/^ERR (?:invalid password|AUTH .*without any)/i, WRONG_PASSWORD, 'authentication'],
  [
    /^NOPERM\b/,
    "its access rules do not let this user work on the queue; allow all commands on the queue's keys",
    'authentication',
  ],
  [/^EXECABORT\b/, 'it has discarded a transaction because it refused a part of it'],
];

/**
 * @param message Redis's answer
 * @param before answers to the commands of the transaction that was discarded, if it was one
 * @returns undefined for anything else
 */
function refusalOf(message: string, before: readonly string[] = []): Refusal | undefined {
  for (const cause of before) {
    const refusal = refusalOf(cause);
    if (refusal) return refusal;
  }
  const [, words, failure = 'unreachable'] =
    REFUSALS.find(([pattern]) => pattern.test(message)) ?? [];
  return words === undefined ? undefined : { words, failure };
}

/** Finds out from INFO alone how a Redis may lose a queue. What INFO does not say is no hazard. */
interface RedisHazard {
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
export function examineRedis(
  url: string,
  { logger = silentLogger, terms }: Pick<RuntimeOptions, 'logger' | 'terms'> = {},
): Promise<RedisHazard[]> {
  return withRedis({ url, logger, terms, retries: 'brief' }, async (redis) => {
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
