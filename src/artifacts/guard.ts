/** Allows requests only to public addresses. Checks names and literal addresses before connecting. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { proxyFor, type Proxy, type ProxySettings } from '../base/http/proxy.js';
import { isThisMachine } from '../base/http/key-in-the-clear.js';
import { isIP, type LookupFunction } from 'node:net';
import { RefusedTargetError, TransferError } from './download-errors.js';
import { Agent, Dispatcher, Pool, ProxyAgent } from 'undici';
import { scopeOf } from './address-scope.js';

/** `loopback` allows this machine but no others in its network, `only-loopback` nothing else; `true` allows any address. */
export type PrivateNetwork = boolean | 'loopback' | 'only-loopback';

/** `loopback` if the service is on this machine: its files are here as well. */
export function privateNetworkOf(baseUrl: string): 'loopback' | false {
  if (!URL.canParse(baseUrl)) return false;
  return isThisMachine(new URL(baseUrl)) ? 'loopback' : false;
}

export interface Guard {
  /**
   * Checks scheme, credentials and a literal address. Names are checked by `lookup`, which is not
   * called for literals.
   *
   * @throws {RefusedTargetError}
   */
  check(url: URL): void;
  /**
   * Resolves a name for a connection and fails with RefusedTargetError if any of its addresses is
   * refused. The connection uses an address from this same answer, which prevents DNS rebinding.
   */
  readonly lookup: LookupFunction;
  /**
   * Checks a name before a request goes to a proxy: the proxy connects, so `lookup` is not called. The
   * proxy may resolve the name differently; that is its operator's responsibility.
   *
   * @throws {RefusedTargetError}
   * @throws {TransferError} the name cannot be resolved here, so it cannot be checked
   */
  checkName(url: URL): Promise<void>;
}

interface GuardOptions {
  readonly allowPrivateNetwork: PrivateNetwork;
  /** Resolves names. Default: the machine's resolver. */
  readonly lookup?: LookupFunction | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const { allowPrivateNetwork, lookup: resolve = systemLookup } = options;

  function isAllowed(address: string): boolean {
    if (allowPrivateNetwork === true) return true;
    const scope = scopeOf(address);
    if (allowPrivateNetwork === 'only-loopback') return scope === 'loopback';
    return scope === 'public' || (scope === 'loopback' && allowPrivateNetwork === 'loopback');
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, options, (error, address, family) => {
      if (error) {
        callback(error, address, family);
        return;
      }
      const refused = addressesOf(address).find((candidate) => !isAllowed(candidate));
      if (refused === undefined) callback(null, address, family);
      else callback(new RefusedTargetError(`${hostname} leads to ${refusal(refused)}`), '', 0);
    });
  };

  return {
    lookup,

    async checkName({ hostname }) {
      const address = hostname.replace(/^\[|\]$/g, '');
      if (allowPrivateNetwork === true || isIP(address) !== 0) return;
      const error = await new Promise<Error | null>((settle) => {
        lookup(hostname, { all: true }, settle);
      });
      if (error === null) return;
      if (error instanceof RefusedTargetError) throw error;
      throw new TransferError(
        `${hostname} does not resolve on this machine, so its address cannot be checked before a request to the proxy (--allow-private-network leaves the check to the proxy)`,
        { cause: error },
      );
    },

    check(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new RefusedTargetError(`only http and https are fetched, not ${url.protocol}`);
      }
      if (url.username !== '' || url.password !== '') {
        throw new RefusedTargetError(`the URL of ${url.host} carries a user name or password`);
      }
      const address = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0 && !isAllowed(address))
        throw new RefusedTargetError(refusal(address));
    },
  };
}

function refusal(address: string): string {
  return `${address}, which is not a public address (--allow-private-network allows it)`;
}

function addressesOf(answer: string | LookupAddress[]): string[] {
  return typeof answer === 'string' ? [answer] : answer.map(({ address }) => address);
}

/** The connection pool for file hosts, separate from the service's so that no credentials can leak into it. */
interface FileDispatcherOptions {
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
    const proxyOfTarget = proxyFor(target, { ...proxy, noProxy: undefined });
    if (proxyOfTarget)
      proxied.set(target.protocol, throughProxy(proxyOfTarget, { ...limits, timeout }));
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
    await Promise.all(
      [this.#direct, ...this.#proxied.values()].map((dispatcher) => dispatcher.destroy()),
    );
  }
}
