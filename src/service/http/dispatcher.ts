/** The one place where connections to the service are configured, through a proxy or not. */
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { Proxy } from '../../base/http/proxy.js';

export type { Dispatcher } from 'undici';

export interface DispatcherOptions {
  readonly connectTimeoutMs: number;
  /** Default: the service is reached directly. */
  readonly proxy?: Proxy | undefined;
}

/** Undici's own timeouts count gaps; the exchange has a deadline for the whole request. */
const NO_GAP_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/**
 * Connections that follow no redirect and retry nothing. Certificates are checked against what
 * Node.js trusts, NODE_EXTRA_CA_CERTS included. Through a proxy, `https:` is tunnelled: the proxy sees
 * the host's name and nothing else, no key among it. `http:` is handed over, as proxies expect it.
 */
export function openDispatcher({ connectTimeoutMs, proxy }: DispatcherOptions): Dispatcher {
  const connect = { timeout: connectTimeoutMs };
  if (!proxy) return new Agent({ connect, ...NO_GAP_LIMITS });
  return new ProxyAgent({
    uri: proxy.origin,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    proxyTunnel: false,
    proxyTls: connect,
    // a proxy that takes the connection and never answers CONNECT
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
    factory: (origin, options: object) => new Pool(origin, { ...options, ...NO_GAP_LIMITS }),
  });
}
