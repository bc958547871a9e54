/** One HTTP exchange: sends a request and reads the whole answer, within a deadline and a size; no redirects, no retries. */
import type { Clock } from '../../base/runtime.js';
import { ACCEPTED_ENCODINGS, decoded } from '../../base/decompressed.js';
import {
  RequestTimeoutError,
  ServiceError,
  type RequestFacts,
  BodyTooLargeError,
  MalformedResponseError,
} from '../service-errors.js';
import type { ServedAt } from '../service-client.js';
import { networkFailure, atRequestStart, type RequestStart } from './network-failure.js';
import { staleBecause } from '../../base/http/stale-answer.js';
import { setMaxListeners } from 'node:events';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { Proxy } from '../../base/http/proxy.js';
import type { Readable } from 'node:stream';

/** Configures the connections to the service, direct or through a proxy. */

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

/** Joins the two causes that end a request early in one signal: its deadline and the caller's signal. */

interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the deadline has passed. */
  readonly isOver: boolean;
  /** Must be called when the work is done: releases the timer and the caller's signal. */
  release(): void;
}

/** @param ms from now, on the monotonic clock */
function startDeadline(clock: Clock, ms: number, signal?: AbortSignal): Deadline {
  const { controller, release } = linkSignals([signal]);
  const timer = new AbortController();
  let isOver = false;
  clock.sleep(ms, timer.signal).then(
    () => {
      isOver = !controller.signal.aborted;
      controller.abort(new Error('the deadline is over'));
    },
    () => undefined, // released in time
  );
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    release() {
      timer.abort();
      release();
    },
  };
}

/** Joins several signals in one, and leaves no listeners on them. */

interface LinkedSignal {
  /** Aborted with the reason of the first signal that is aborted. */
  readonly controller: AbortController;
  /** Must be called when the work is done. */
  readonly release: () => void;
}

/**
 * AbortSignal.any is not used: in Node.js 20 each call leaves something on a long-lived signal, and an export
 * makes many calls under one signal.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const releases = signals.flatMap((signal) => {
    if (!signal) return [];
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    setMaxListeners(0, signal); // as many as there are calls at a time; Node.js warns from 11 on
    signal.addEventListener('abort', abort, { once: true });
    return [() => signal.removeEventListener('abort', abort)];
  });
  return {
    controller,
    release: () => {
      for (const release of releases) release();
    },
  };
}

/**
 * Reads the text of an answer: decompressed, within a size, in UTF-8, and tells one that a cache gave from its memory. An
 * unreadable body of a failure is no further error.
 */

/** The body of a failure is only quoted. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024;

/** Status, headers (in lower case) and body. */
type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** The values of a repeated header are joined with commas; null without such a header. */
function headerOf(answer: RawAnswer, name: string): string | null {
  const value = answer.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/**
 * @throws {BodyTooLargeError} the decompressed body has more than `maxBytes`
 * @throws {MalformedResponseError} an unknown encoding, or not UTF-8: invalid bytes are refused
 *   rather than replaced, because an archive must not alter data
 * @throws what the connection or zlib throws
 */
async function readSuccess(
  answer: RawAnswer,
  maxBytes: number,
  facts: RequestFacts,
): Promise<string> {
  const details = {
    ...facts,
    status: answer.statusCode,
    traceId: headerOf(answer, 'x-pd-trace-id'),
  };
  const decoded = await decodeBody(
    answer.body,
    headerOf(answer, 'content-encoding') ?? '',
    maxBytes,
  );
  switch (decoded.outcome) {
    case 'too large':
      throw new BodyTooLargeError(
        `the decompressed answer has more than ${maxBytes} bytes`,
        details,
      );
    case 'unknown encoding':
      throw new MalformedResponseError('the answer has an encoding that was not requested', {
        ...details,
        retries: 'brief',
      });
    case 'whole':
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(decoded.bytes); // also removes a byte order mark
      } catch {
        throw new MalformedResponseError('the answer is not valid UTF-8', details);
      }
  }
}

/** The beginning of a failure's body; empty if it cannot be read: the status is enough. */
async function readFailure(answer: RawAnswer, maxBytes: number): Promise<string> {
  if (answer.statusCode < 400) {
    discard(answer.body);
    return '';
  }
  const encoding = headerOf(answer, 'content-encoding') ?? '';
  try {
    const decoded = await decodeBody(
      answer.body,
      encoding,
      Math.min(maxBytes, MAX_ERROR_BODY_BYTES),
    );
    return decoded.outcome === 'whole' ? decoded.bytes.toString('utf8') : '';
  } catch {
    return '';
  }
}

/** Decompresses a body as a stream, up to a limit of decompressed bytes, so that memory is bounded. */

type DecodedBody =
  | { readonly outcome: 'whole'; readonly bytes: Buffer }
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'unknown encoding' };

/**
 * @param encoding the Content-Encoding header
 * @param maxBytes limit of the decompressed body
 * @throws what the connection or zlib throws
 */
async function decodeBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<DecodedBody> {
  body.on('error', ignore); // undici reports a destroyed body as an error; the loop below sees real ones
  const unpacked = decoded(body, encoding);
  if (typeof unpacked === 'string') {
    discard(body);
    return { outcome: 'unknown encoding' };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return { outcome: 'too large' }; // leaving the loop destroys the streams
    chunks.push(chunk);
  }
  return { outcome: 'whole', bytes: Buffer.concat(chunks, bytes) };
}

/** Ends a body that will not be read, and its connection. */
function discard(body: Readable): void {
  body.on('error', ignore);
  body.destroy();
}

function ignore(): void {
  // said by the name
}
