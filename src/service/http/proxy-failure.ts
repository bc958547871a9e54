/** Turns a proxy's refusal into an error that names the proxy. */
import { codeOf, messageOf } from '../../base/error.js';
import { AuthenticationError } from '../errors/authentication-error.js';
import type { ServiceError, ServiceErrorDetails } from '../errors/service-error.js';
import { UnreachableError } from '../errors/unreachable-error.js';

/** Undici reports the status of a tunnel, and a 407 to a forwarded request, only in the message. */
const REFUSED = /Proxy response \((\d{3})\)|Proxy Authentication Required \((407)\)/;

/**
 * Undefined if the proxy refused nothing. A refused request never reached the service.
 *
 * @param proxy `host:port`
 */
export function proxyRefusal(
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
