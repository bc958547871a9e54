/** Configures the connections to the service, direct or through a proxy. */
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { Proxy } from '../../base/http/proxy.js';

export type { Dispatcher } from 'undici';

export interface DispatcherOptions {
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
