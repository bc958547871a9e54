/** Allows requests only to public addresses. Checks names and literal addresses before connecting. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { proxyFor, type Proxy, type ProxySettings } from '../base/http/proxy.js';
import { isThisMachine } from '../base/http/key-in-the-clear.js';
import { isIP, type LookupFunction, BlockList, isIPv4, isIPv6 } from 'node:net';
import { RefusedTargetError, TransferError } from './download-errors.js';
import { Agent, Dispatcher, Pool, ProxyAgent } from 'undici';

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

/** Classifies IP addresses: only addresses of the public internet may be downloaded from. */

type AddressScope = 'public' | 'loopback' | 'private';

// Source: IANA special-purpose address registries for IPv4 and IPv6.
const PRIVATE_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba Cloud's metadata is 100.100.100.200
  ['169.254.0.0', 16], // link-local; metadata is 169.254.169.254
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments; Oracle Cloud's metadata is 192.0.0.192
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112: answers for names that should not have left a private network
  ['192.52.193.0', 24], // multicast tunnels (AMT)
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['168.63.129.16', 32], // Azure's host agent: looks public, is not
] as const;

const PRIVATE_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarking, AS112
  ['2001:db8::', 32], // documentation
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const privateRanges = new BlockList();
for (const [network, prefix] of PRIVATE_V4) privateRanges.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_V6) privateRanges.addSubnet(network, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * The scope of an address. IPv4 inside IPv6 (mapped, 6to4, NAT64) is classified by the embedded IPv4
 * address. An ISATAP address (a tunnel to an IPv4 host of the same network) is private, as is every IPv6
 * address outside global unicast, with or without a zone.
 *
 * @param address an IP literal without brackets; anything else counts as private
 */
export function scopeOf(address: string): AddressScope {
  const [bare = ''] = address.split('%', 1);
  if (isIPv4(bare)) return scopeOfV4(bare);
  if (!isIPv6(bare)) return 'private';
  if (loopback.check(bare, 'ipv6')) return 'loopback'; // also matches ::ffff:127.0.0.1
  const words = wordsOf(bare);
  const embedded = embeddedV4(words);
  if (embedded !== undefined) return scopeOfV4(embedded);
  if (isIsatap(words)) return 'private';
  const isPublic = globalUnicast.check(bare, 'ipv6') && !privateRanges.check(bare, 'ipv6');
  return isPublic ? 'public' : 'private';
}

function scopeOfV4(address: string): AddressScope {
  if (loopback.check(address, 'ipv4')) return 'loopback';
  return privateRanges.check(address, 'ipv4') ? 'private' : 'public';
}

/** The IPv4 address inside ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64) or 2002::/16 (6to4). */
function embeddedV4(words: readonly number[]): string | undefined {
  const [first, second] = words;
  const middleIsZero = words.slice(2, 6).every((word) => word === 0);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && middleIsZero;
  if (isMapped || isNat64) return dotted(words[6], words[7]);
  return first === 0x2002 ? dotted(words[1], words[2]) : undefined;
}

/** RFC 5214: the interface identifier is 0:5efe and an IPv4 address; the two masked bits may vary. */
function isIsatap(words: readonly number[]): boolean {
  return ((words[4] ?? 0) & 0xfcff) === 0 && words[5] === 0x5efe;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight 16-bit words; `URL` writes every valid form as hexadecimal with at most one `::`. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => parseInt(word, 16));
  const [left, right] = [words(head), words(tail ?? '')];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
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
