/** Carries out one operation: waits its turn, sends, judges the answer, and tries again where that is safe. The only layer of retries. */
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { Note, Tracer } from '../base/tracer.js';
import type { DatedAnswer } from './clock-gap.js';
import { NotFoundError } from './errors/not-found-error.js';
import { RateLimitedError } from './errors/rate-limited-error.js';
import { ServiceError, type RequestFacts } from './errors/service-error.js';
import { exchange, type HttpRequest, type Transport } from './http/exchange.js';
import { linkSignals } from './http/link-signals.js';
import { judge, type Success } from './judge.js';
import type { Pace } from './pace/pace.js';
import { pauseAfter, waitBeforeRetry, type RetryLimits } from './pace/retry.js';
import type { RequestStats } from './service-client.js';

export interface Operation extends Omit<HttpRequest, 'headers'> {
  /** In words, as it follows “could not”: `list sessions`. */
  readonly words: string;
  readonly signal?: AbortSignal | undefined;
  /** Of all sessions or datasets, which there always is: where there is none, the address is wrong. */
  readonly isListing?: boolean | undefined;
  /** Fewer than the client's. */
  readonly maxAttempts?: number | undefined;
  /** Called with every failure that is followed by another attempt. */
  readonly onRetry?: (error: ServiceError) => void;
}

/** What all operations of a client share. */
export interface Caller {
  readonly transport: Transport;
  readonly limiter: Pace;
  readonly limits: RetryLimits;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  /** Counted here. */
  readonly stats: { -readonly [Count in keyof RequestStats]: RequestStats[Count] };
  /** Called with every answer that has a `Date`. */
  readonly onDate: (answer: DatedAnswer) => void;
  /** Sent with every request; the key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The next request's x-pd-external-trace-id. */
  readonly nextTraceId: () => string;
  readonly redact: (text: string) => string;
  /** Each of them aborts the operation. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Takes out of a success what was asked for. */
export type Reader<T> = (success: Success) => T;

/**
 * Resolves with what `read` makes of the answer; an answer that it throws at has failed like any other.
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
 * Deletes. Where an earlier attempt left open whether it worked, “not found” is what success looks like.
 *
 * @throws {NotFoundError} it was not there in the first place
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

async function attempts<T>(caller: Caller, operation: Operation, read: Reader<T>): Promise<T> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    await caller.tracer.span('pace', {}, () => caller.limiter.acquire(operation.signal));
    const sentAtMs = caller.transport.clock.monotonic();
    caller.stats.requests++;
    if (attempt > 1) caller.stats.retries++;
    try {
      const fields = { operation: operation.words, attempt };
      const value = await caller.tracer.span('request', fields, async (note) =>
        read(await send(caller, operation, attempt, note)),
      );
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
      await caller.tracer.span('backoff', {}, () =>
        caller.transport.clock.sleep(waitMs, operation.signal),
      );
    }
  }
}

async function send(
  caller: Caller,
  operation: Operation,
  attempt: number,
  note: Note,
): Promise<Success> {
  const { transport, redact } = caller;
  const externalTraceId = caller.nextTraceId();
  note({ externalTraceId });
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
  const { dateMs, sentAtMonotonicMs } = answer.served;
  caller.limiter.answered(sentAtMonotonicMs, answer.answeredAtMonotonicMs);
  if (dateMs !== null) caller.onDate({ dateMs, askedAtMs, heardAtMs: transport.clock.now() });
  const traceId = redact(answer.header('x-pd-trace-id') ?? '');
  note({ status: answer.status, traceId });
  caller.logger.debug(
    {
      operation: operation.words,
      attempt,
      status: answer.status,
      externalTraceId,
      traceId,
      tookMs: Math.round(transport.clock.monotonic() - sentAtMonotonicMs),
      characters: answer.text.length,
    },
    'the service answered',
  );
  return judge(answer, facts, { nowMs: transport.clock.now(), origin: transport.origin });
}

interface Failure {
  readonly error: ServiceError;
  readonly attempt: number;
  readonly sentAtMs: number;
  readonly waitedMs: number;
}

/** Slows everybody down after a 429; milliseconds until the next attempt, or `undefined` when there is none. */
function afterFailure(caller: Caller, operation: Operation, failure: Failure): number | undefined {
  const { error, attempt, sentAtMs, waitedMs } = failure;
  if (error instanceof RateLimitedError) {
    caller.stats.rateLimited++;
    caller.limiter.slowDown(pauseAfter(error, caller.limits), sentAtMs);
  }
  const progress = { attempts: attempt, waitedMs, isRepeatable: operation.method !== 'POST' };
  const maxAttempts = Math.min(operation.maxAttempts ?? Infinity, caller.limits.maxAttempts);
  const limits = { ...caller.limits, maxAttempts };
  const waitMs = waitBeforeRetry(error, progress, limits, caller.random);
  const facts = {
    operation: operation.words,
    attempt,
    code: error.code,
    status: error.status,
    externalTraceId: error.externalTraceId,
    traceId: error.traceId,
  };
  if (waitMs === undefined) {
    // an answer that says no may be just what was wanted, as after a deletion: who asked says what it means
    const level = error.disposition === 'retry' ? 'warn' : 'debug';
    caller.logger[level](facts, error.message);
    return undefined;
  }
  operation.onRetry?.(error);
  caller.logger.info({ ...facts, waitMs: Math.round(waitMs) }, `${error.message}; trying again`);
  return waitMs;
}
