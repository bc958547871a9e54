/** Decides whether and when a failed request is sent again. */
import type { Random } from '../../base/runtime.js';
import { RateLimitedError, type ServiceError } from '../service-errors.js';
import { backoffMs, waitAsAsked } from '../../base/backoff.js';

export interface RetryLimits {
  /** Requests for one operation, the first included. */
  readonly maxAttempts: number;
  /** The total time that one operation may wait between its attempts. */
  readonly budgetMs: number;
}

export interface RetryProgress {
  /** Requests sent so far. */
  readonly attempts: number;
  readonly waitedMs: number;
  /** Whether the request is idempotent: GET and DELETE. */
  readonly isRepeatable: boolean;
}

/** For rarely temporary failures: an unknown host, a certificate, a login page. */
const BRIEF_ATTEMPTS = 3;
/** The pause after a 429 without a time: the limit is per second. */
const DEFAULT_PAUSE_MS = 1000;

/** Milliseconds until the next attempt; undefined for none. */
export function waitBeforeRetry(
  error: ServiceError,
  progress: RetryProgress,
  limits: RetryLimits,
  random: Random,
): number | undefined {
  if (error.disposition !== 'retry') return undefined;
  if (error.mayHaveHappened && !progress.isRepeatable) return undefined;
  const retries = error.retries === 'brief' ? BRIEF_ATTEMPTS : limits.maxAttempts;
  if (progress.attempts >= Math.min(retries, limits.maxAttempts)) return undefined;
  const ownMs = backoffMs(progress.attempts, random);
  const leastMs = error instanceof RateLimitedError ? DEFAULT_PAUSE_MS : 0;
  const waitMs = waitAsAsked(progress.attempts, error.retryAfterMs, Math.max(leastMs, ownMs));
  return progress.waitedMs + waitMs > limits.budgetMs ? undefined : waitMs;
}

/**
 * The pause of all requests after a 429; bounded, so that an absurd header cannot stop a run for a day.
 *
 * @param attempts of the operation that was refused, this one included
 */
export function pauseAfter(error: RateLimitedError, attempts: number, limits: RetryLimits): number {
  const pauseMs = waitAsAsked(attempts, error.retryAfterMs, DEFAULT_PAUSE_MS);
  return Math.min(pauseMs, limits.budgetMs);
}
