/** Carries out one operation: waits for the rate limit, sends, checks the answer, retries if that is safe. The only layer of retries. */
import type { Runtime } from '../base/runtime.js';
import type { DatedAnswer } from './clock-gap.js';
import type { GivenUp } from './given-up.js';
import {
  NotFoundError,
  RateLimitedError,
  ServiceError,
  StaleAnswerError,
  type RequestFacts,
} from './service-errors.js';
import { exchange, type HttpRequest, type Transport } from './http/exchange.js';
import { linkSignals } from './http/link-signals.js';
import { parseResponse, type Success } from './parse-response.js';
import type { Pace } from './pace/pace.js';
import type { RequestStats, ServedAt, ServiceClient } from './service-client.js';
import { backoffMs, waitAsAsked } from '../base/backoff.js';

export interface Operation extends Omit<HttpRequest, 'headers'> {
  /** The operation as it follows “could not” in messages: `list sessions`. */
  readonly words: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether it lists sessions or datasets. Such a list always exists, so a 404 means a wrong address. */
  readonly isListing?: boolean | undefined;
  /** At most this many attempts, if fewer than the client's. */
  readonly maxAttempts?: number | undefined;
  /** Called with every failure that is retried. */
  readonly onRetry?: (error: ServiceError) => void;
}

/** The context that all operations of a client share. */
export interface Caller extends Pick<Runtime, 'random' | 'logger' | 'terms'> {
  readonly transport: Transport;
  readonly limiter: Pace;
  readonly limits: RetryLimits;
  /** Requests are counted here. */
  readonly stats: { -readonly [Count in keyof RequestStats]: RequestStats[Count] };
  /** Told of every request that may be sent again, and is not. */
  readonly givenUp: GivenUp;
  /** Called with every answer that has a `Date`, unless a cache gave it from its memory. */
  readonly onDate: (answer: DatedAnswer) => void;
  /** Sent with every request; the key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The next request's x-pd-external-trace-id. */
  readonly nextTraceId: () => string;
  readonly redact: (text: string) => string;
  /** Any of them aborts the operation. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Reads the result from a successful answer. */
type Reader<T> = (success: Success) => T;

/**
 * Resolves with the result of `read`. If `read` throws, the answer counts as a failure.
 *
 * @throws {ServiceError} the last attempt's
 * @throws the signal's reason, as soon as it is aborted
 */
export async function call<T>(caller: Caller, operation: Operation, read: Reader<T>): Promise<T> {
  const { controller, release } = linkSignals([...caller.signals, operation.signal]);
  try {
    return await attempts(caller, { ...operation, signal: controller.signal }, read);
  } finally {
    release();
  }
}

/**
 * Deletes. If an earlier attempt may have worked, “not found” counts as success.
 *
 * @throws {NotFoundError} the first attempt found nothing
 */
export async function callDelete(caller: Caller, operation: Operation): Promise<void> {
  const earlier: ServiceError[] = [];
  const onRetry = (error: ServiceError): void => void earlier.push(error);
  try {
    await call(caller, { ...operation, onRetry }, () => undefined);
  } catch (error) {
    const mayBeOurs = earlier.some(({ mayHaveHappened }) => mayHaveHappened);
    if (!(error instanceof NotFoundError && mayBeOurs)) throw error;
  }
}

/**
 * Asks once more where a cache has answered from its memory: it may have let go of the answer, or have been asked past.
 * The second answer counts, whatever it is.
 */
export async function askedPastCache<T extends { readonly served: ServedAt }>(
  ask: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await ask();
    if (answer.served.stale === undefined) return answer;
  } catch (error) {
    if (!(error instanceof ServiceError && error.stale !== undefined)) throw error;
  }
  return ask();
}

/**
 * For answers that do not tell how old they are: asks once more where a cache has answered from its memory.
 *
 * @throws {StaleAnswerError} that answer is old, too
 */
export async function freshAnswer<T>(
  service: Pick<ServiceClient, 'stats'>,
  read: () => Promise<T>,
  textOf: (header: string) => string,
): Promise<T> {
  for (let asked = 1; ; asked++) {
    const { stale } = service.stats;
    const answer = await read();
    const { stats } = service;
    if (stats.stale === stale) return answer;
    if (asked > 1) throw new StaleAnswerError(textOf(stats.staleBecause ?? ''));
  }
}

async function attempts<T>(caller: Caller, operation: Operation, read: Reader<T>): Promise<T> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    await caller.limiter.acquire(operation.signal);
    const sentAtMs = caller.transport.clock.monotonic();
    caller.stats.requests++;
    if (attempt > 1) caller.stats.retries++;
    try {
      const value = await read(await send(caller, operation, attempt));
      if (attempt > 1) {
        const facts = { operation: operation.words, attempts: attempt };
        const waited = { waitedMs: Math.round(waitedMs) };
        caller.logger.info({ ...facts, ...waited }, `answered after ${attempt} attempts`);
      }
      return value;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const waitMs = afterFailure(caller, operation, { error, attempt, sentAtMs, waitedMs });
      if (waitMs === undefined) throw error;
      waitedMs += waitMs;
      await caller.transport.clock.sleep(waitMs, operation.signal);
    }
  }
}

async function send(caller: Caller, operation: Operation, attempt: number): Promise<Success> {
  const { transport, redact } = caller;
  const externalTraceId = caller.nextTraceId();
  const facts: RequestFacts = {
    operation: operation.words,
    isListing: operation.isListing,
    attempts: attempt,
    externalTraceId,
    redact,
  };
  const headers = {
    ...caller.headers,
    'x-pd-external-trace-id': externalTraceId,
    ...(operation.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const askedAtMs = transport.clock.now();
  const answer = await exchange(transport, { ...operation, headers }, facts, operation.signal);
  const { dateMs, sentAtMonotonicMs, stale } = answer.served;
  caller.limiter.answered(sentAtMonotonicMs, answer.answeredAtMonotonicMs);
  if (stale !== undefined) {
    caller.stats.stale++;
    caller.stats.staleBecause ??= stale;
  } else if (dateMs !== null) {
    caller.onDate({ dateMs, askedAtMs, heardAtMs: transport.clock.now() });
  }
  const traceId = redact(answer.header('x-pd-trace-id') ?? '');
  caller.logger.debug(
    {
      operation: operation.words,
      attempt,
      status: answer.status,
      externalTraceId,
      traceId,
      tookMs: Math.round(transport.clock.monotonic() - sentAtMonotonicMs),
      characters: answer.text.length,
      ...(stale === undefined ? {} : { stale }),
    },
    'the service answered',
  );
  return parseResponse(answer, facts, { nowMs: transport.clock.now(), origin: transport.origin });
}

interface Failure {
  readonly error: ServiceError;
  readonly attempt: number;
  readonly sentAtMs: number;
  readonly waitedMs: number;
}

/** After a 429, slows all callers down. Returns the milliseconds until the next attempt; undefined for none. */
function afterFailure(caller: Caller, operation: Operation, failure: Failure): number | undefined {
  const { error, attempt, sentAtMs, waitedMs } = failure;
  if (error instanceof RateLimitedError) {
    caller.stats.rateLimited++;
    caller.limiter.slowDown(pauseAfter(error, attempt, caller.limits), sentAtMs);
  }
  const progress = { attempts: attempt, waitedMs, isRepeatable: operation.method !== 'POST' };
  const maxAttempts = Math.min(operation.maxAttempts ?? Infinity, caller.limits.maxAttempts);
  const limits = { ...caller.limits, maxAttempts };
  const waitMs = waitBeforeRetry(error, progress, limits, caller);
  const facts = {
    operation: operation.words,
    attempt,
    code: error.code,
    status: error.status,
    externalTraceId: error.externalTraceId,
    traceId: error.traceId,
  };
  if (waitMs === undefined) {
    // a refusal may be the expected answer, for example after a deletion, so the caller decides how to log it
    if (error.disposition === 'retry') caller.givenUp.add(error, facts);
    else caller.logger.debug(facts, error.message);
    return undefined;
  }
  operation.onRetry?.(error);
  caller.logger.info({ ...facts, waitMs: Math.round(waitMs) }, `${error.message}; trying again`);
  return waitMs;
}

/** Decides whether and when a failed request is sent again. */
interface RetryLimits {
  /** Requests for one operation, the first included. */
  readonly maxAttempts: number;
  /** The total time that one operation may wait between its attempts. */
  readonly budgetMs: number;
}

interface RetryProgress {
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
  context: Pick<Runtime, 'random' | 'terms'>,
): number | undefined {
  if (error.disposition !== 'retry') return undefined;
  if (error.mayHaveHappened && !progress.isRepeatable) return undefined;
  const retries = error.retries === 'brief' ? BRIEF_ATTEMPTS : limits.maxAttempts;
  if (progress.attempts >= Math.min(retries, limits.maxAttempts)) return undefined;
  const ownMs = backoffMs(progress.attempts, context);
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
