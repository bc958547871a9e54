/** How a request leaves this machine: through which proxy, if any, by given settings; and whether its API key goes unencrypted. */
import { percentDecoded, secretsInAddress, shownAddress } from '../text/address.js';
import { UsageError } from '../error.js';
import { isExempt } from './no-proxy.js';

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

/** Codes of errors before a connection is made: through a proxy, the connection is the one to the proxy. */
export const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

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
