/** Whether a failed request is sent again, and after how long. */
import type { Random } from '../../base/random.js';
import { RateLimitedError } from '../errors/rate-limited-error.js';
import type { ServiceError } from '../errors/service-error.js';
import { backoffMs } from '../../base/backoff.js';

export interface RetryLimits {
  /** Requests for one operation, the first included. */
  readonly maxAttempts: number;
  /** The longest that one operation may spend waiting between its attempts, all together. */
  readonly budgetMs: number;
}

export interface Progress {
  /** Requests sent so far. */
  readonly attempts: number;
  readonly waitedMs: number;
  /** Whether sending twice does no more than sending once: GET and DELETE. */
  readonly isRepeatable: boolean;
}

/** For what seldom passes by itself: a host that has no address, a certificate, a login page. */
const BRIEF_ATTEMPTS = 3;
/** What a 429 means that names no time: the limit counts by the second. */
const DEFAULT_PAUSE_MS = 1000;

/** Milliseconds to wait before the next attempt, or `undefined` when there should be none. */
export function waitBeforeRetry(
  error: ServiceError,
  progress: Progress,
  limits: RetryLimits,
  random: Random,
): number | undefined {
  if (error.disposition !== 'retry') return undefined;
  if (error.mayHaveHappened && !progress.isRepeatable) return undefined;
  const retries = error.retries === 'brief' ? BRIEF_ATTEMPTS : limits.maxAttempts;
  if (progress.attempts >= Math.min(retries, limits.maxAttempts)) return undefined;
  const ownMs = backoffMs(progress.attempts, random);
  const leastMs = error instanceof RateLimitedError ? DEFAULT_PAUSE_MS : 0;
  const waitMs = error.retryAfterMs ?? Math.max(leastMs, ownMs);
  return progress.waitedMs + waitMs > limits.budgetMs ? undefined : waitMs;
}

/** How long everybody must keep still after a 429; bounded, so that an absurd header cannot stop a run for a day. */
export function pauseAfter(error: RateLimitedError, limits: RetryLimits): number {
  return Math.min(error.retryAfterMs ?? DEFAULT_PAUSE_MS, limits.budgetMs);
}
