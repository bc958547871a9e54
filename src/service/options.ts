/** The options of a service client, and their validation. */
import type { ProxySettings } from '../base/http/proxy.js';
import type { RuntimeOptions } from '../base/runtime.js';
import { UsageError } from '../base/error.js';
import type { Dispatcher } from './http/dispatcher.js';
import type { Pace } from './pace/pace.js';

/** The signal aborts every operation; the tracer records every request and every wait. */
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

/** @throws {UsageError} it is too short or not valid in a header; the message does not show it */
export function checkApiKey(apiKey: string): string {
  if (apiKey.length > 0 && apiKey.length < SHORTEST_API_KEY) {
    throw new UsageError(
      `the API key has a length of ${apiKey.length}; at least ${SHORTEST_API_KEY} characters are needed, so that it can be removed from logs`,
    );
  }
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(apiKey)) {
    throw new UsageError(
      'the API key is empty or has characters that a header cannot have; allowed is printable ASCII without spaces around it',
    );
  }
  return apiKey;
}

/** @throws {UsageError} */
export function checkHeaderName(name: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    throw new UsageError(
      `the API key header ${JSON.stringify(name)} is not a header name; allowed are letters, digits and hyphens`,
    );
  }
  return name.toLowerCase();
}

/** @throws {UsageError} */
export function checkPositive(option: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) {
    throw new UsageError(`${option} is ${value}; allowed is a number above 0`);
  }
  return value;
}

/** @throws {UsageError} */
export function checkNotNegative(option: string, value: number): number {
  if (!(value >= 0 && Number.isFinite(value))) {
    throw new UsageError(`${option} is ${value}; allowed is a number from 0 up`);
  }
  return value;
}
