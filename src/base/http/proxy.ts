/** How a request leaves this machine: through which proxy, if any, by given settings; and whether its API key goes unencrypted. */
import { percentDecoded, secretsInAddress, shownAddress } from '../text/address.js';
import { UsageError } from '../error.js';
import { BlockList, isIP } from 'node:net';
import type { Logger } from '../logger.js';

/** The values of the variables of these names. Without any, every host is reached directly. */
export interface ProxySettings {
  /** For requests to `http:` addresses: `http://[user:password@]host[:port]`. */
  readonly httpProxy?: string | undefined;
  /** For requests to `https:` addresses. */
  readonly httpsProxy?: string | undefined;
  /** Hosts that are reached directly nevertheless, separated by commas. */
  readonly noProxy?: string | undefined;
}

export interface Proxy {
  /** Without credentials. */
  readonly origin: string;
  /** With its credentials, percent-encoded. */
  readonly address: string;
  /** `host:port`, for messages. */
  readonly host: string;
  /** The header `proxy-authorization`; undefined where the address has no credentials. */
  readonly authorization: string | undefined;
}

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY; the lower-case spelling wins, as with curl. */
export function proxyFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  return {
    httpProxy: read('HTTP_PROXY'),
    httpsProxy: read('HTTPS_PROXY'),
    noProxy: read('NO_PROXY'),
  };
}

/** @throws {UsageError} the proxy's address is not valid; the message has no credentials */
export function proxyFor(target: URL, settings: ProxySettings = {}): Proxy | undefined {
  const [name, given] =
    target.protocol === 'https:'
      ? (['HTTPS_PROXY', settings.httpsProxy] as const)
      : (['HTTP_PROXY', settings.httpProxy] as const);
  if (given === undefined || given.trim() === '') return undefined;
  const proxy = parse(name, given.trim());
  return isExempt(target, settings.noProxy ?? '') ? undefined : proxy;
}

/** The secrets in the settings, to be removed from messages. */
export function proxySecrets({ httpProxy = '', httpsProxy = '' }: ProxySettings): string[] {
  return [httpProxy, httpsProxy].flatMap(secretsInAddress);
}

function parse(name: string, given: string): Proxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [user, password] = [
    percentDecoded(url?.username ?? ''),
    percentDecoded(url?.password ?? ''),
  ];
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '';
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && isPlain;
  if (!isUsable || user === undefined || password === undefined) {
    throw new UsageError(
      `${name} is ${JSON.stringify(shownAddress(given))}; allowed is http:// or https://, perhaps USER:PASSWORD@ (percent-encoded), and a host with its port`,
    );
  }
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const authorization = user === '' && password === '' ? undefined : `Basic ${basic}`;
  return { origin: url.origin, address: url.href, host: url.host, authorization };
}

/** Decides by NO_PROXY, as curl and Go do, which hosts are reached directly. */

/**
 * @param list hosts (and with them their subdomains), addresses, networks such as `10.0.0.0/8`, each
 *   with an optional port, separated by commas or spaces; `*` is every host
 */
function isExempt(url: URL, list: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, wantedPort] = /^(\[.*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = bare(name.replace(/^\*?\./, ''));
  if (isIP(host) !== 0) return host === wanted || isInNetwork(host, wanted);
  return host === wanted || host.endsWith(`.${wanted}`);
}

function isInNetwork(address: string, network: string): boolean {
  const [, base = '', bits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(network) ?? [];
  const family = isIP(base);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(base, Number(bits), kind);
  return isIP(address) === family && list.check(address, kind);
}

/** Without the brackets of IPv6 and the dot at the end of a full host name. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Checks and normalises the address of a service: an archive is recognised by it. */

const ALLOWED = 'allowed is http:// or https://, a host, and perhaps a port and a path';

/**
 * Where requests go. `/v2/team` at the end, as other clients expect it, is left out.
 *
 * @throws {UsageError} it is not an http or https URL, or it has credentials, a query or a fragment
 */
export function checkBaseUrl(baseUrl: string): {
  readonly origin: string;
  /** What is added before every path; without a slash at its end. */
  readonly prefix: string;
} {
  const { origin, prefix, isPlain } = parseBaseUrl(baseUrl);
  if (isPlain) return { origin, prefix };
  throw new UsageError(`the base URL ${shownAddress(baseUrl)} cannot be used; ${ALLOWED}`);
}

/**
 * As archives record it: scheme and host in lower case; no default port, credentials, query, fragment,
 * `/v2/team` or slash at the end.
 *
 * @throws {UsageError} it is not an http or https URL
 */
export function normaliseBaseUrl(baseUrl: string): string {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  return `${origin}${prefix}`;
}

function parseBaseUrl(baseUrl: string) {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `the base URL must be an http or https URL, not "${shownAddress(baseUrl)}"; ${ALLOWED}`,
    );
  }
  const { search, hash, username, password } = url;
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, '').replace(/(\/+v2\/team)?\/*$/, ''),
    isPlain: [search, hash, username, password].every((part) => part === ''),
  };
}

/** Tells of an API key that goes to another machine without encryption. */

/** Whether an address is this machine: nothing that is sent to it leaves it. */
export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A sentence about the address of a service; undefined where the key is safe on its way, and of no address at all. */
export function keyInTheClear(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' || isThisMachine(url)) return undefined;
  return `the API key and every answer go to ${url.host} unencrypted, because the base URL begins with http://: whoever is on the way can read and change them`;
}

export const ENCRYPTED = 'use an https:// address, or a tunnel that ends on this machine';

const warned = new WeakSet<Pick<Logger, 'warn'>>();

/** Once a log: a run may open the service several times. */
export function warnOfKeyInTheClear(logger: Pick<Logger, 'warn'>, baseUrl: string): void {
  const sentence = keyInTheClear(baseUrl);
  if (sentence === undefined || warned.has(logger)) return;
  warned.add(logger);
  logger.warn({}, `${sentence}; ${ENCRYPTED}`);
}
