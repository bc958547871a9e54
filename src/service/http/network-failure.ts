/** Turns errors of the network stack into errors that say what happened and whether the request may have been sent. */
import type { Dispatcher } from 'undici';
import { codeOf, messageOf } from '../../base/error.js';
import { NOT_CONNECTED } from '../../base/http/proxy.js';
import {
  MalformedResponseError,
  type ServiceError,
  type ServiceErrorDetails,
  UnreachableError,
  AuthenticationError,
} from '../service-errors.js';

/** Undici reports the status of a tunnel, and a 407 to a forwarded request, only in the message. */
const REFUSED = /Proxy response \((\d{3})\)|Proxy Authentication Required \((407)\)/;

/**
 * An error that names the proxy; undefined if it refused nothing. A refused request never reached the service.
 *
 * @param proxy `host:port`
 */
function proxyRefusal(
  thrown: unknown,
  proxy: string,
  host: string,
  details: ServiceErrorDetails,
): ServiceError | undefined {
  const [, tunnelStatus, status = tunnelStatus] = REFUSED.exec(messageOf(thrown)) ?? [];
  if (status === undefined || !/^UND_ERR_(ABORTED|INVALID_ARG)$/.test(codeOf(thrown) ?? '')) {
    return undefined;
  }
  if (status === '407') {
    return new AuthenticationError(
      `the proxy ${proxy} asks for credentials (HTTP 407); put them into its address: http://USER:PASSWORD@${proxy}`,
      details,
    );
  }
  const what = `the proxy ${proxy} refuses the connection to ${host} (HTTP ${status})`;
  const retries = Number(status) >= 500 ? 'full' : 'brief';
  return new UnreachableError(what, { ...details, mayHaveHappened: false, retries });
}

/** The code of an error before sending. */
const TOO_LATE = 'JOBVAULT_TOO_LATE';

/** Codes of errors before a connection is made, so that nothing can have been sent. */
const BEFORE_SENDING = new Set([...NOT_CONNECTED, TOO_LATE]);
/** Node.js names certificate faults after OpenSSL's verification results. */
const CERTIFICATE =
  /^(UND_ERR_PRX_TLS$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;
const CUT_SHORT = new Set(['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'Z_BUF_ERROR']);

/** For messages; both are `host:port`. */
export interface Peers {
  readonly host: string;
  /** The proxy, if there is one. */
  readonly proxy: string | undefined;
}

export function networkFailure(
  thrown: unknown,
  { host, proxy }: Peers,
  details: ServiceErrorDetails,
): ServiceError {
  const refusal = proxy === undefined ? undefined : proxyRefusal(thrown, proxy, host, details);
  if (refusal) return refusal;
  const code = codeOf(thrown) ?? '';
  const cause = new NetworkCause(thrown, details.redact);
  if (CUT_SHORT.has(code)) {
    return new MalformedResponseError('the answer was truncated', { ...details, cause });
  }
  if (/^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/.test(code) || code.startsWith('ERR_PADDING')) {
    return new MalformedResponseError(`the answer cannot be decompressed (${code})`, {
      ...details,
      cause,
    });
  }
  // with a proxy, the failed connection is the one to the proxy
  const peer = proxy !== undefined && BEFORE_SENDING.has(code) ? `the proxy ${proxy}` : host;
  return new UnreachableError(describe(code, peer, cause), {
    ...details,
    cause,
    mayHaveHappened: !(BEFORE_SENDING.has(code) || CERTIFICATE.test(code) || isConnect(thrown)),
    retries: isBrief(code) ? 'brief' : 'full',
  });
}

function isConnect(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'syscall' in thrown &&
    (thrown.syscall === 'connect' || thrown.syscall === 'getaddrinfo')
  );
}

function isTls(code: string): boolean {
  return code === 'EPROTO' || code.startsWith('ERR_SSL_');
}

function isBrief(code: string): boolean {
  return code === 'ENOTFOUND' || CERTIFICATE.test(code) || isTls(code);
}

function describe(code: string, host: string, cause: NetworkCause): string {
  if (code === 'ENOTFOUND') return `the host of ${host} cannot be found (${code})`;
  if (code === 'EAI_AGAIN') return `DNS does not answer for ${host} (${code})`;
  if (code === 'ECONNREFUSED') return `${host} refuses the connection (${code})`;
  if (code === TOO_LATE) return `the connection to ${host} came too late: nothing was sent`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `no connection to ${host} in time`;
  if (CERTIFICATE.test(code)) {
    return `the certificate of ${host} is not trusted (${code}); NODE_EXTRA_CA_CERTS can name a private authority`;
  }
  if (isTls(code)) return `${host} does not speak TLS as expected (${code})`;
  if (cause.name === 'HTTPParserError') return `${host} does not answer in HTTP`;
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE') {
    return `the connection to ${host} broke before the answer was complete (${code})`;
  }
  return `the connection to ${host} failed (${code || cause.message})`;
}

/** Keeps name, message and code of a low-level error, redacted; other fields may contain raw bytes of the answer. */
class NetworkCause extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor(thrown: unknown, redact: (text: string) => string) {
    super(redact(messageOf(thrown) || (codeOf(thrown) ?? 'unknown')));
    this.name = thrown instanceof Error ? thrown.name : 'Error';
    this.code = codeOf(thrown);
  }
}

class TooLateError extends Error {
  readonly code = TOO_LATE;
}

/** What is asked and told of a request when there is a connection, right before it is written. */
export interface RequestStart {
  /** True: nothing is sent. */
  readonly isTooLate?: (() => boolean) | undefined;
  /** From now on bytes may go. */
  readonly onRequestStart?: (() => void) | undefined;
}

/**
 * Undici begins a request when there is a connection, right before it writes: what is thrown then, is not sent. Where it
 * is too late, the request fails with `TOO_LATE`.
 */
export function atRequestStart({
  isTooLate,
  onRequestStart,
}: RequestStart): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const begun: Begun = handler;
    for (const name of ['onConnect', 'onRequestStart'] as const) {
      const begin = begun[name]?.bind(handler);
      if (!begin) continue;
      begun[name] = (...given) => {
        if (isTooLate?.()) throw new TooLateError('the connection came too late');
        onRequestStart?.();
        begin(...given);
      };
    }
    return dispatch(options, handler);
  };
}

/** A handler has one of the two, whichever its version of undici knows. */
type Begun = Partial<Record<'onConnect' | 'onRequestStart', (...given: never[]) => void>>;
