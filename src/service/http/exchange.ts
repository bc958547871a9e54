/** One HTTP exchange: sends a request and reads the whole answer, within a deadline and a size; no redirects, no retries. */
import type { Clock } from '../../base/runtime.js';
import { ACCEPTED_ENCODINGS } from '../../base/decompressed.js';
import { RequestTimeoutError, ServiceError, type RequestFacts } from '../service-errors.js';
import type { ServedAt } from '../service-client.js';
import { networkFailure, atRequestStart, type RequestStart } from './network-failure.js';
import { staleBecause } from '../../base/http/stale-answer.js';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { Proxy } from '../../base/http/proxy.js';
import { readSuccess, readFailure, headerOf } from './raw-answer.js';
import { startDeadline, type Deadline } from './deadline.js';

export type { Dispatcher } from 'undici';

interface DispatcherOptions {
  readonly connectTimeoutMs: number;
  /** Default: direct connections. */
  readonly proxy?: Proxy | undefined;
}

/** Undici's own timeouts measure gaps; the exchange has a deadline for the whole request instead. */
const NO_GAP_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/**
 * Connections without redirects and retries. Certificates are checked against those that Node.js trusts,
 * NODE_EXTRA_CA_CERTS included. Through a proxy, `https:` is tunnelled: the proxy sees only the host's name,
 * never the key. `http:` requests are forwarded by the proxy.
 */
export function openDispatcher({ connectTimeoutMs, proxy }: DispatcherOptions): Dispatcher {
  const connect = { timeout: connectTimeoutMs };
  if (!proxy) return new Agent({ connect, ...NO_GAP_LIMITS });
  return new ProxyAgent({
    uri: proxy.origin,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    proxyTunnel: false,
    proxyTls: connect,
    // for a proxy that accepts the connection and never answers CONNECT
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
    factory: (origin, options: object) => new Pool(origin, { ...options, ...NO_GAP_LIMITS }),
  });
}

export interface HttpRequest extends RequestStart {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; null without such a header. */
  readonly header: (name: string) => string | null;
  /** The decompressed body; empty if the body of a failure could not be read to its end. */
  readonly text: string;
  readonly served: ServedAt;
  /** Our monotonic clock when the answer began. */
  readonly answeredAtMonotonicMs: number;
}

export interface Transport {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** `host:port` of the proxy, if there is one. */
  readonly proxy?: string | undefined;
  /** The path of the base URL, put before every path; without a slash at its end. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Time for a whole exchange, from connecting to the last byte. */
  readonly timeoutMs: number;
  /** Limit of a decompressed body. */
  readonly maxBodyBytes: number;
}

/**
 * @throws {UnreachableError} no complete answer came
 * @throws {RequestTimeoutError} the deadline has passed
 * @throws {BodyTooLargeError} a success whose body is too large
 * @throws {MalformedResponseError} a success whose body cannot be decompressed or is not text
 * @throws the signal's reason, as soon as it is aborted
 */
export async function exchange(
  transport: Transport,
  request: HttpRequest,
  facts: RequestFacts,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const { clock, timeoutMs, maxBodyBytes } = transport;
  const deadline = startDeadline(clock, timeoutMs, signal);
  const sentAtMonotonicMs = clock.monotonic();
  const dispatcher =
    request.isTooLate || request.onRequestStart
      ? transport.dispatcher.compose(atRequestStart(request))
      : transport.dispatcher;
  try {
    const answer = await dispatcher.request({
      origin: transport.origin,
      path: transport.prefix + request.path,
      method: request.method,
      headers: {
        accept: 'application/json',
        'accept-encoding': ACCEPTED_ENCODINGS,
        ...request.headers,
      },
      body: request.body ?? null,
      signal: deadline.signal,
    });
    const answeredAtMonotonicMs = clock.monotonic();
    const isSuccess = answer.statusCode >= 200 && answer.statusCode < 300;
    const text = isSuccess
      ? await readSuccess(answer, maxBodyBytes, facts)
      : await readFailure(answer, maxBodyBytes);
    if (!deadline.isOver) deadline.signal.throwIfAborted();
    const header = (name: string): string | null => headerOf(answer, name);
    const dateMs = parseDate(header('date'));
    const served = { sentAtMonotonicMs, dateMs, stale: staleBecause(header, facts.redact) };
    return { status: answer.statusCode, header, text, served, answeredAtMonotonicMs };
  } catch (thrown) {
    throw asFailure(thrown, deadline, transport, facts);
  } finally {
    deadline.release();
  }
}

/** Checks the signals first: any error after an abort is a consequence of it. */
function asFailure(
  thrown: unknown,
  deadline: Deadline,
  transport: Transport,
  facts: RequestFacts,
): unknown {
  if (thrown instanceof ServiceError) return thrown;
  if (deadline.isOver) {
    const what = `no complete answer within ${transport.timeoutMs} ms`;
    return new RequestTimeoutError(what, facts);
  }
  if (deadline.signal.aborted) return deadline.signal.reason;
  const peers = { host: new URL(transport.origin).host, proxy: transport.proxy };
  return networkFailure(thrown, peers, facts);
}

function parseDate(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
