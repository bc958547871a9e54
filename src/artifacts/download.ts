/** Makes one attempt to download a URL within a deadline, and reads its response. */
import type { Dispatcher } from 'undici';
import type { Clock, Runtime } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { codeOf } from '../base/error.js';
import type { Storage } from '../storage/storage.js';
import {
  type Attempt,
  type AttemptRequest,
  RefusedTargetError,
  TransferError,
  describeFault,
  isCertificateFault,
  isProxyRefusal,
} from './artifact-fetcher.js';
import { parseRetryAfter } from '../base/backoff.js';
import type { Guard } from './guard.js';
import { receive, type SeenContents } from './receive.js';
import { sha256Hex } from '../base/digest.js';
import { downloadKey } from '../model/file-url.js';

export interface DownloadOptions extends Pick<Runtime, 'clock' | 'logger'> {
  readonly storage: Pick<Storage, 'stage'>;
  readonly dispatcher: Dispatcher;
  readonly guard: Guard;
  /** `host:port` of the proxy that connects to the host, if any; its name is checked here first. */
  readonly proxyOf: (url: URL) => string | undefined;
  readonly userAgent: string;
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  /** Of all downloads: see `ReceiveOptions`. */
  readonly hostsWithDigests?: Set<string> | undefined;
  /** Of all downloads: a cache may give for one file what another one is. */
  readonly contents?: SeenContents | undefined;
  onRequest(): void;
  onBytes(bytes: number): void;
}

const REFUSAL_BYTES = 65_536;
const RETRIED = new Set([408, 425, 429]);

/**
 * @throws the signal's reason, when it is aborted
 * @throws the storage's own errors
 */
export async function download(target: AttemptRequest, options: DownloadOptions): Promise<Attempt> {
  const { url, signal } = target;
  const { clock, timeoutMs } = options;
  const tooLate = () =>
    new TransferError(`${url.host} took longer than ${formatDuration(timeoutMs)} for the file`);
  let attempt: Attempt;
  try {
    attempt = await withinTime({ clock, ms: timeoutMs, signal, tooLate }, async (within) => {
      const answer = await send(url, within, options);
      return 'kind' in answer ? answer : await parseResponse(answer, target, within, options);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TransferError)) throw error;
    attempt = { kind: 'retry', reason: error.message, afterMs: null };
  }
  options.logger.debug(
    {
      host: url.host,
      outcome: attempt.kind,
      ...('reason' in attempt ? { reason: attempt.reason } : {}),
    },
    'tried a file',
  );
  return attempt;
}

async function send(
  url: URL,
  signal: AbortSignal,
  options: DownloadOptions,
): Promise<FinalAnswer | Attempt> {
  try {
    const onRequest = () => {
      options.onRequest();
    };
    return await follow(url, { ...options, signal, onRequest });
  } catch (error) {
    if (error instanceof RefusedTargetError) return { kind: 'rejected', reason: error.message };
    if (error instanceof TransferError) throw error;
    const reason = describeFault(url.host, error, options.proxyOf(url));
    if (isCertificateFault(error))
      return { kind: 'failed', reason: `${reason} (${codeOf(error) ?? ''})` };
    if (isProxyRefusal(error)) return { kind: 'failed', reason };
    throw new TransferError(reason, { cause: error });
  }
}

async function parseResponse(
  answer: FinalAnswer,
  target: AttemptRequest,
  within: AbortSignal,
  options: DownloadOptions,
): Promise<Attempt> {
  const { response, url } = answer;
  const { statusCode: status } = response;
  const { host } = url;
  if (status === 200) {
    const { storage, maxFileBytes: maxBytes, hostsWithDigests, contents } = options;
    const onBytes = (bytes: number) => {
      options.onBytes(bytes);
    };
    return receive(response, {
      storage,
      kind: target.kind,
      path: target.url.pathname,
      host,
      maxBytes,
      hostsWithDigests,
      others: contents && { key: sha256Hex(downloadKey(target.url.href)), contents },
      signal: target.signal,
      onBytes,
      onReceived: target.onReceived,
    });
  }
  const reason = `${host} answered ${status}`;
  const text = await shortBody(response, within);
  if (status === 401 || status === 403) return { kind: 'refused', reason };
  if (status === 400 && /<\?xml|<error/i.test(text) && /expired|token/i.test(text)) {
    return { kind: 'refused', reason: `${reason}: its token has expired` };
  }
  if (status === 404 || status === 410) return { kind: 'missing', reason };
  if (status >= 500 || RETRIED.has(status)) {
    return { kind: 'retry', reason, afterMs: retryAfterMs(response, options.clock) };
  }
  return { kind: 'failed', reason };
}

/** The text of an error answer, up to 64 KiB. Never throws: the status is enough. */
async function shortBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += (chunk as Buffer).toString('latin1');
      if (text.length > REFUSAL_BYTES) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  return text;
}

function retryAfterMs({ headers }: Dispatcher.ResponseData, clock: Clock): number | null {
  const [retryAfter] = [headers['retry-after']].flat();
  const [date] = [headers['date']].flat();
  const hostNowMs = Date.parse(date ?? '');
  return parseRetryAfter(retryAfter, Number.isNaN(hostNowMs) ? clock.now() : hostNowMs);
}

/** Sends a GET and follows redirects itself, so that every hop is checked and headers are not forwarded. */

export interface FollowOptions {
  readonly dispatcher: Dispatcher;
  readonly guard: Guard;
  /** `host:port` of the proxy that connects to the host, if any; its name is checked here first. */
  readonly proxyOf: (url: URL) => string | undefined;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Called before every request, redirects included. */
  onRequest(url: URL): void;
}

export interface FinalAnswer {
  /** The URL of the last hop. */
  readonly url: URL;
  readonly response: Dispatcher.ResponseData;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const DRAIN_BYTES = 16_384;

/**
 * The first answer that is not a redirect. The caller must consume its body. A redirect from https to
 * http is refused: it would send the signature and the file unencrypted.
 *
 * @throws {RefusedTargetError} a guard refuses a hop, or there are more than five
 * @throws {TransferError} a redirect without a location
 * @throws the connection's error, or the signal's reason
 */
async function follow(start: URL, options: FollowOptions): Promise<FinalAnswer> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    options.guard.check(url);
    if (options.proxyOf(url) !== undefined) await options.guard.checkName(url);
    options.signal.throwIfAborted();
    options.onRequest(url);
    const response = await get(url, options);
    if (!REDIRECTS.has(response.statusCode)) return { url, response };
    await response.body.dump({ limit: DRAIN_BYTES, signal: options.signal });
    if (redirects === MAX_REDIRECTS) {
      throw new RefusedTargetError(`${start.host} redirected more than ${MAX_REDIRECTS} times`);
    }
    const next = targetOf(response, url);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new RefusedTargetError(`${url.host} redirects from https to plain http`);
    }
    url = next;
  }
}

function get(url: URL, { dispatcher, userAgent, signal }: FollowOptions) {
  return dispatcher.request({
    signal,
    method: 'GET',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
  });
}

function targetOf({ headers }: Dispatcher.ResponseData, from: URL): URL {
  const [location] = [headers['location']].flat();
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new TransferError(`${from.host} redirected without saying where to`);
  }
  return new URL(location, from);
}

/** Runs work under a total timeout: unlike an idle timeout, it also ends a download of one byte per second. */

export interface TimeLimit extends Pick<Runtime, 'clock' | 'signal'> {
  readonly ms: number;
  /** The reason that the work's signal is aborted with when the time is over. */
  tooLate(): Error;
}

/** Created once: without a reason Node creates an exception for each abort. */
const WORK_IS_DONE = new Error('the work is done');

/** Runs `work` under a signal that follows `limit.signal` and is aborted when the time is over. */
async function withinTime<T>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, ms, signal } = limit;
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const follow = () => inner.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  clock.sleep(ms, timer.signal).then(
    () => inner.abort(limit.tooLate()),
    () => undefined, // the work was done first
  );
  try {
    return await work(inner.signal);
  } finally {
    signal.removeEventListener('abort', follow);
    timer.abort(WORK_IS_DONE);
  }
}
