/**
 * The retry strategy of the SDK's client, and the only layer with retries for S3. Outlasts outages of a minute or two;
 * permanent errors are not retried.
 */
import { codeOf } from '../../base/error.js';
import type { Clock, Random } from '../../base/runtime.js';
import { statusOf } from './s3-failure.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** Attempts; with full jitter they take about a minute on average and two at most. */
const MAX_ATTEMPTS = 16;

/** Silence before the first line about a request that is tried again, and between two lines. */
const SILENCE_MS = 5_000;

/** Codes of temporary errors that the SDK does not count as such. */
const TRANSIENT = new Set([
  'ConditionalRequestConflict',
  'ConcurrentModification', // Ceph
  'OperationAborted',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
  'AnsweredByCache',
  'BadDigest', // damaged in transit
  'XAmzContentChecksumMismatch',
]);

/** The SDK passes it back with every failure. */
interface RetryToken {
  readonly getRetryCount: () => number;
  readonly getRetryDelay: () => number;
}

interface TimedToken extends RetryToken {
  /** When the request began, on the monotonic clock. */
  readonly begunMs: number;
  /** Whether it was already sent again because this machine's clock is wrong. */
  readonly isByStoresClock: boolean;
}

/** Called with what went wrong, where a request fails for seconds: once every few seconds, for all requests. */
export type OnTrouble = (error: unknown, attempts: number) => void;

interface FailedAttempt {
  readonly error?: unknown;
  /** The SDK's classification: `CLIENT_ERROR`, `THROTTLING`, `TRANSIENT`, `SERVER_ERROR`. */
  readonly errorType: string;
}

/** The SDK's `RetryStrategyV2`. */
export interface Retries {
  acquireInitialRetryToken(): Promise<RetryToken>;
  /** @throws there is no further attempt */
  refreshRetryTokenForRetry(last: RetryToken, failed: FailedAttempt): Promise<RetryToken>;
  recordSuccess(): void;
}

/** @param random spreads out clients that failed together @param maxAttempts of each request */
export function jitteredRetries(
  random: Random,
  clock: Pick<Clock, 'monotonic'>,
  onTrouble: OnTrouble = () => undefined,
  maxAttempts = MAX_ATTEMPTS,
): Retries {
  let warnedAtMs = -Infinity;
  return {
    acquireInitialRetryToken: () => Promise.resolve(token(0, 0, clock.monotonic(), false)),
    // unlike the SDK's own strategy, without a quota over all requests: many waiting requests would use it up at once
    refreshRetryTokenForRetry: (last, info) => {
      const attempts = last.getRetryCount() + 1;
      const most = Math.min(maxAttempts, isByCache(info) ? MOST_OF_A_CACHE : maxAttempts);
      const { begunMs, isByStoresClock } = last as TimedToken;
      const isOfClock = !isByStoresClock && isRefusalOfClock(info);
      if (attempts >= most || !(isOfClock || isMomentary(info))) {
        return Promise.reject(new Error('no further attempt'));
      }
      const nowMs = clock.monotonic();
      if (nowMs - begunMs >= SILENCE_MS && nowMs - warnedAtMs >= SILENCE_MS) {
        warnedAtMs = nowMs;
        onTrouble(info.error, attempts);
      }
      const delay = delayMs(attempts, random);
      return Promise.resolve(token(attempts, delay, begunMs, isByStoresClock || isOfClock));
    },
    recordSuccess: () => undefined,
  };
}

/** Full jitter: a random delay whose maximum doubles with each attempt. @param attempts failed so far */
export function delayMs(attempts: number, random: Random): number {
  return random.fraction() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
}

/** A cache that does not let requests pass will not do so in a minute either. */
const MOST_OF_A_CACHE = 4;

function isByCache({ error }: FailedAttempt): boolean {
  return error instanceof Error && error.name === 'AnsweredByCache';
}

function isMomentary({ error, errorType }: FailedAttempt): boolean {
  if (!(error instanceof Error) || error.name === 'AbortError') return false;
  // 501 is permanent: the store does not support the operation
  if (error.name === 'NotImplemented') return false;
  if (TRANSIENT.has(error.name)) return true;
  if (errorType !== 'CLIENT_ERROR' && !isOnlyOfClock(error, errorType)) return true;
  return BROKEN_OFF.has(codeOf(error) ?? '');
}

/**
 * Where this machine's clock is wrong, the SDK signs by that of the store's last answer, calls every refusal a transient
 * error, and would ask again and again for an object that is not there.
 */
function isOnlyOfClock(error: Error, errorType: string): boolean {
  const status = statusOf(error);
  return errorType === 'TRANSIENT' && isSignedAnew(error) && status !== undefined && status < 500;
}

/** A refusal that may be the clock's: stores give it various names, and to a HEAD none. */
function isRefusalOfClock({ error }: FailedAttempt): boolean {
  const status = statusOf(error);
  return isSignedAnew(error) && (status === 400 || status === 403);
}

/** Whether the next request is signed by another time than this one. */
function isSignedAnew(error: unknown): boolean {
  const metadata = (error as { $metadata?: { clockSkewCorrected?: boolean } } | null)?.$metadata;
  return metadata?.clockSkewCorrected === true;
}

const BROKEN_OFF = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

function token(
  attempts: number,
  delay: number,
  begunMs: number,
  isByStoresClock: boolean,
): TimedToken {
  return { getRetryCount: () => attempts, getRetryDelay: () => delay, begunMs, isByStoresClock };
}
