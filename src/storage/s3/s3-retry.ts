/**
 * The retry strategy of the SDK's client, and the only layer with retries for S3. Outlasts outages of a minute or two;
 * permanent errors are not retried.
 */
import type { Clock } from '../../base/clock.js';
import { codeOf } from '../../base/error.js';
import type { Random } from '../../base/random.js';

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
  'BadDigest', // damaged in transit
  'XAmzContentChecksumMismatch',
]);

/** The SDK passes it back with every failure. */
interface RetryToken {
  readonly getRetryCount: () => number;
  readonly getRetryDelay: () => number;
}

interface TimedToken extends RetryToken {
  /** Of the request, on the monotonic clock. */
  readonly begunMs: number;
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

/** @param random spreads out clients that failed together */
export function jitteredRetries(
  random: Random,
  clock: Pick<Clock, 'monotonic'>,
  onTrouble: OnTrouble = () => undefined,
): Retries {
  let toldAtMs = -Infinity;
  return {
    acquireInitialRetryToken: () => Promise.resolve(token(0, 0, clock.monotonic())),
    // unlike the SDK's own strategy, without a quota over all requests: many waiting requests would use it up at once
    refreshRetryTokenForRetry: (last, info) => {
      const attempts = last.getRetryCount() + 1;
      if (attempts >= MAX_ATTEMPTS || !isMomentary(info)) {
        return Promise.reject(new Error('no further attempt'));
      }
      const nowMs = clock.monotonic();
      const begunMs = (last as TimedToken).begunMs;
      if (nowMs - begunMs >= SILENCE_MS && nowMs - toldAtMs >= SILENCE_MS) {
        toldAtMs = nowMs;
        onTrouble(info.error, attempts);
      }
      return Promise.resolve(token(attempts, delayMs(attempts, random), begunMs));
    },
    recordSuccess: () => undefined,
  };
}

/** Full jitter: a random delay whose maximum doubles with each attempt. @param attempts failed so far */
export function delayMs(attempts: number, random: Random): number {
  return random.fraction() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
}

function isMomentary({ error, errorType }: FailedAttempt): boolean {
  if (!(error instanceof Error) || error.name === 'AbortError') return false;
  // 501 is permanent: the store does not support the operation
  if (error.name === 'NotImplemented') return false;
  if (errorType !== 'CLIENT_ERROR' || TRANSIENT.has(error.name)) return true;
  return BROKEN_OFF.has(codeOf(error) ?? '');
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

function token(attempts: number, delay: number, begunMs: number): TimedToken {
  return { getRetryCount: () => attempts, getRetryDelay: () => delay, begunMs };
}
