/**
 * Decides when a request to S3 is sent again. It is the only layer with retries, inside the SDK's client. It waits through
 * outages of a minute or two, and gives up at once on lasting errors.
 */
import { codeOf } from '../../base/error.js';
import type { Random } from '../../base/random.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** With full jitter: about a minute on average, two at most. */
const MAX_ATTEMPTS = 16;

/** The code of what S3 refuses for a moment, where the SDK does not know it as such. */
const MOMENTARY = new Set([
  'ConditionalRequestConflict',
  'ConcurrentModification', // as Ceph has it
  'OperationAborted',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
  'BadDigest', // damaged on its way
  'XAmzContentChecksumMismatch',
]);

/** As the SDK passes it back with every failure. */
interface RetryToken {
  readonly getRetryCount: () => number;
  readonly getRetryDelay: () => number;
}

interface FailedAttempt {
  readonly error?: unknown;
  /** What the SDK takes it for: `CLIENT_ERROR`, `THROTTLING`, `TRANSIENT`, `SERVER_ERROR`. */
  readonly errorType: string;
}

/** What the SDK's client takes as its strategy (`RetryStrategyV2`). */
export interface Retries {
  acquireInitialRetryToken(): Promise<RetryToken>;
  /** @throws there is no further attempt */
  refreshRetryTokenForRetry(last: RetryToken, failed: FailedAttempt): Promise<RetryToken>;
  recordSuccess(): void;
}

/** @param random spreads out clients that failed together */
export function jitteredRetries(random: Random): Retries {
  return {
    acquireInitialRetryToken: () => Promise.resolve(token(0, 0)),
    // no quota over all requests, as the SDK has it: many that wait at a time would use it up at once
    refreshRetryTokenForRetry: (last, info) => {
      const attempts = last.getRetryCount() + 1;
      if (attempts >= MAX_ATTEMPTS || !isMomentary(info)) {
        return Promise.reject(new Error('no further attempt'));
      }
      return Promise.resolve(token(attempts, delayMs(attempts, random)));
    },
    recordSuccess: () => undefined,
  };
}

/** Full jitter: anything up to twice as much as the time before. @param attempts that have failed */
export function delayMs(attempts: number, random: Random): number {
  return random.fraction() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
}

function isMomentary({ error, errorType }: FailedAttempt): boolean {
  if (!(error instanceof Error) || error.name === 'AbortError') return false;
  // a store that cannot do it says 501, which looks like trouble of its own
  if (error.name === 'NotImplemented') return false;
  if (errorType !== 'CLIENT_ERROR' || MOMENTARY.has(error.name)) return true;
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

function token(attempts: number, delay: number): RetryToken {
  return { getRetryCount: () => attempts, getRetryDelay: () => delay };
}
