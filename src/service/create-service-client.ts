/** Puts the client together: one limiter, one set of connections, one count of requests. */
import { proxyFor, proxySecrets, type ProxySettings } from '../base/http/proxy.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { warnOfKeyInTheClear } from '../base/http/key-in-the-clear.js';
import { redactText } from '../base/text/redact.js';
import type { Logger } from '../base/logger.js';
import { runtimeOf, type RuntimeOptions } from '../base/runtime.js';
import { ulid } from '../base/ulid.js';
import { type Caller, waitBeforeRetry } from './call.js';
import { clockGapMs, largerGapMs } from './clock-gap.js';
import { GivenUp } from './given-up.js';
import { datasetOperations, sessionOperations } from './service-operations.js';
import { ClientClosedError, ServiceError } from './service-errors.js';
import { type Dispatcher } from './http/exchange.js';
import { openDispatcher } from './http/exchange.js';
import { RateLimiter, type Pace } from './pace/pace.js';
import type { RequestStats, ServiceClient } from './service-client.js';
import { UsageError } from '../base/error.js';
import { traceIds } from './trace-ids.js';
import { togetherOf } from './request-batch.js';

/** The signal aborts every operation. */
export interface ServiceClientOptions extends RuntimeOptions {
  /** `https://host[:port][/prefix]`, without query and credentials; may end in `/v2/team`. */
  readonly baseUrl: string;
  /** Sent in one header of requests to `baseUrl`, and nowhere else. */
  readonly apiKey: string;
  /** Default `x-pd-api-key`. */
  readonly apiKeyHeader?: string | undefined;
  /** The prefix of every request's x-pd-external-trace-id, for example the run's id. Default: a new one. */
  readonly traceId?: string | undefined;
  /** Requests per second; may be a fraction. Default 20, the service's limit per team. */
  readonly rate?: number | undefined;
  /** Instead of `rate`: a limit that several processes share. */
  readonly pace?: Pace | undefined;
  /** Requests for one operation, the first included. Default 7. */
  readonly maxAttempts?: number | undefined;
  /** For one request, from connecting to the last byte. Default 60 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Limit of one decompressed answer. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The total time that one operation may wait between its attempts. Default 2 minutes. */
  readonly retryBudgetMs?: number | undefined;
  /** Default `jobvault`. */
  readonly userAgent?: string | undefined;
  /** Default: direct connections. `proxyFromEnvironment` reads the usual variables. */
  readonly proxy?: ProxySettings | undefined;
  /** The caller's own connections, instead of `proxy`; the caller closes them. */
  readonly dispatcher?: Dispatcher | undefined;
}

export const SERVICE_DEFAULTS = {
  apiKeyHeader: 'x-pd-api-key',
  rate: 20,
  maxAttempts: 7,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 64 * 1024 * 1024,
  retryBudgetMs: 120_000,
  userAgent: 'jobvault',
} as const;

/** A shorter key could be guessed, or be part of a word in a log. */
const SHORTEST_API_KEY = 8;

/**
 * @param place where it is from, for the error: ` in /etc/jobvault/api-key`
 * @throws {UsageError} it is too short or not valid in a header; the message does not show it
 */
export function checkApiKey(apiKey: string, place = ''): string {
  if (apiKey.length > 0 && apiKey.length < SHORTEST_API_KEY) {
    throw new UsageError(
      `the API key${place} has a length of ${apiKey.length}; at least ${SHORTEST_API_KEY} characters are needed, so that it can be removed from logs`,
    );
  }
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(apiKey)) {
    throw new UsageError(
      `the API key${place} is empty or has characters that a header cannot have; allowed is printable ASCII without spaces around it`,
    );
  }
  return apiKey;
}

/** @throws {UsageError} */
function checkHeaderName(name: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    throw new UsageError(
      `the API key header ${JSON.stringify(name)} is not a header name; allowed are letters, digits and hyphens`,
    );
  }
  return name.toLowerCase();
}

/** @throws {UsageError} */
function checkPositive(option: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) {
    throw new UsageError(`${option} is ${value}; allowed is a number above 0`);
  }
  return value;
}

/** @throws {UsageError} */
function checkNotNegative(option: string, value: number): number {
  if (!(value >= 0 && Number.isFinite(value))) {
    throw new UsageError(`${option} is ${value}; allowed is a number from 0 up`);
  }
  return value;
}

/** Longer than connecting takes on a working network; the rest of a request's time is for the answer. */
const MAX_CONNECT_MS = 10_000;

/** A cache on the way must neither answer from its memory nor keep the answer; the second is for HTTP/1.0. */
const FROM_THE_ORIGIN = { 'cache-control': 'no-cache, no-store', pragma: 'no-cache' } as const;

/**
 * A client for one service and one key. `close` aborts running operations.
 *
 * @throws {UsageError} an option makes no sense
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { clock, random, logger, terms, signal } = runtimeOf(options);
  const { origin, prefix } = checkBaseUrl(options.baseUrl);
  const apiKey = checkApiKey(options.apiKey);
  warnOfKeyInTheClear(logger, options.baseUrl);
  const keyHeader = checkHeaderName(options.apiKeyHeader ?? SERVICE_DEFAULTS.apiKeyHeader);
  const positive = (name: 'rate' | 'maxAttempts' | 'requestTimeoutMs' | 'maxBodyBytes'): number =>
    checkPositive(name, options[name] ?? SERVICE_DEFAULTS[name]);
  const timeoutMs = positive('requestTimeoutMs');
  const rate = positive('rate');
  const limiter = options.pace ?? new RateLimiter({ clock, rate });
  const limits = {
    maxAttempts: positive('maxAttempts'),
    budgetMs: checkNotNegative(
      'retryBudgetMs',
      options.retryBudgetMs ?? SERVICE_DEFAULTS.retryBudgetMs,
    ),
  };
  const maxBodyBytes = positive('maxBodyBytes');
  const connectTimeoutMs = Math.min(timeoutMs, MAX_CONNECT_MS);
  const proxy = options.dispatcher ? undefined : proxyFor(new URL(origin), options.proxy);
  const dispatcher = options.dispatcher ?? openDispatcher({ connectTimeoutMs, proxy });
  const secrets = [apiKey, ...proxySecrets(options.proxy ?? {})];
  const closing = new AbortController();
  const stats: Caller['stats'] = {
    requests: 0,
    retries: 0,
    rateLimited: 0,
    stale: 0,
    staleBecause: null,
  };
  const givenUp = new GivenUp(logger, clock);
  let gapMs: number | null = null;
  const caller: Caller = {
    transport: { dispatcher, origin, prefix, clock, timeoutMs, maxBodyBytes, proxy: proxy?.host },
    limiter,
    limits,
    random,
    logger,
    terms,
    stats,
    givenUp,
    onDate: (answer) => void (gapMs = largerGapMs(gapMs, clockGapMs(answer))),
    headers: {
      [keyHeader]: apiKey,
      ...FROM_THE_ORIGIN,
      'user-agent': options.userAgent ?? SERVICE_DEFAULTS.userAgent,
    },
    nextTraceId: traceIds(options.traceId ?? `jobvault-${ulid(clock, random)}`),
    redact: (text) => redactText(text, secrets),
    signals: [closing.signal, signal],
  };
  let closed: Promise<void> | undefined;
  return {
    ...sessionOperations(caller),
    ...datasetOperations(caller),
    together: (count) => togetherOf(caller, count, rate),
    waitAfter(error, progress) {
      if (!(error instanceof ServiceError)) return undefined;
      return waitBeforeRetry(error, { ...progress, isRepeatable: true }, limits, { random, terms });
    },
    get stats() {
      return { ...stats };
    },
    get clockGapMs() {
      return gapMs;
    },
    async close() {
      if (!closing.signal.aborted) {
        givenUp.tell();
        tellOfCache(logger, stats);
      }
      closing.abort(new ClientClosedError());
      closed ??= options.dispatcher ? Promise.resolve() : dispatcher.close();
      await closed;
    },
  };
}

/** One line for one cause, however many listings it puts in doubt. */
function tellOfCache(logger: Logger, { requests, stale, staleBecause }: RequestStats): void {
  if (stale === 0) return;
  logger.warn(
    { requests, stale },
    `a cache between jobvault and the service gave ${stale} of ${requests} answers from its memory (${staleBecause}), though jobvault asks past it: they prove nothing; let requests to /v2/team pass it`,
  );
}
