/** The one place where connections are configured; a proxy would be set here. */
import { Agent, type Dispatcher } from 'undici';

export type { Dispatcher } from 'undici';

/**
 * Connections that follow no redirect and retry nothing. Certificates are checked against what
 * Node.js trusts, NODE_EXTRA_CA_CERTS included. Undici's own timeouts for headers and body are off,
 * as they count gaps: the exchange has a deadline for the whole request.
 */
export function openDispatcher(options: { readonly connectTimeoutMs: number }): Dispatcher {
  return new Agent({
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
