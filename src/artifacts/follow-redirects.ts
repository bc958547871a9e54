/** Sends a GET and follows redirects itself, so that every hop is checked and headers are not forwarded. */
import type { Dispatcher } from 'undici';
import { RefusedTargetError, TransferError } from './download-errors.js';
import type { Guard } from './guard.js';

export interface FollowOptions {
  readonly dispatcher: Dispatcher;
  readonly guard: Guard;
  /** `host:port` of the proxy that connects to the host, if any; its name is checked here first. */
  readonly proxyOf: (url: URL) => string | undefined;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Every request is counted here, redirects included. */
  readonly stats: { requests: number };
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
export async function follow(start: URL, options: FollowOptions): Promise<FinalAnswer> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    options.guard.check(url);
    if (options.proxyOf(url) !== undefined) await options.guard.checkName(url);
    options.signal.throwIfAborted();
    options.stats.requests++;
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
