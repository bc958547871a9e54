/** The connection pool for file hosts, separate from the service's so that no credentials can leak into it. */
import { Agent, Dispatcher, Pool, ProxyAgent } from 'undici';
import { proxyFor, type Proxy, type ProxySettings } from '../base/http/proxy.js';
import type { Guard } from './guard.js';

export interface FileDispatcherOptions {
  readonly guard: Guard;
  /** Limit of connections to one host. */
  readonly connections: number;
  /** Aborts a download after this many milliseconds without data. */
  readonly stallMs: number;
  /** Default: every host is reached directly. */
  readonly proxy?: ProxySettings | undefined;
}

const CONNECT_TIMEOUT_MS = 15_000;

/** @throws {UsageError} a proxy's address is invalid */
export function createFileDispatcher(options: FileDispatcherOptions): Dispatcher {
  const { guard, connections, stallMs, proxy } = options;
  const timeout = Math.min(CONNECT_TIMEOUT_MS, stallMs);
  const limits = {
    connections,
    pipelining: 1,
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
    allowH2: false, // `receive.ts` looks for the ends of HTTP/1.1
  };
  const direct = new Agent({ ...limits, connect: { lookup: guard.lookup, timeout } });
  const proxied = new Map<string, Dispatcher>();
  for (const target of [new URL('http://file.invalid'), new URL('https://file.invalid')]) {
    const one = proxyFor(target, { ...proxy, noProxy: undefined });
    if (one) proxied.set(target.protocol, throughProxy(one, { ...limits, timeout }));
  }
  if (proxied.size === 0) return direct;
  return new RoutedDispatcher(direct, proxied, (url) => proxyFor(url, proxy) !== undefined);
}

interface Limits {
  readonly connections: number;
  readonly pipelining: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly allowH2: boolean;
  readonly timeout: number;
}

/** The proxy's own address may be private: the operator has configured it. */
function throughProxy(proxy: Proxy, { timeout, ...limits }: Limits): Dispatcher {
  return new ProxyAgent({
    uri: proxy.origin,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    proxyTunnel: false,
    proxyTls: { timeout },
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
    factory: (origin, options: object) => new Pool(origin, { ...options, ...limits }),
  });
}

/** Routes each request by its target: NO_PROXY may exempt a redirect's next hop. */
class RoutedDispatcher extends Dispatcher {
  readonly #direct: Dispatcher;
  readonly #proxied: ReadonlyMap<string, Dispatcher>;
  readonly #isProxied: (url: URL) => boolean;

  constructor(
    direct: Dispatcher,
    proxied: ReadonlyMap<string, Dispatcher>,
    isProxied: (url: URL) => boolean,
  ) {
    super();
    this.#direct = direct;
    this.#proxied = proxied;
    this.#isProxied = isProxied;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const url = new URL(String(options.origin));
    const way = this.#isProxied(url) ? this.#proxied.get(url.protocol) : undefined;
    return (way ?? this.#direct).dispatch(options, handler);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxied.values()].map((one) => one.destroy()));
  }
}
