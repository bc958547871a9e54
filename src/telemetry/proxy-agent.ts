/** Creates the HTTP agent for a host behind a proxy; undefined if no proxy is set for it. */
import { type ProxySettings, proxyFor } from '../base/http/proxy.js';
import type { Agent } from 'node:http';

/**
 * Loads the proxy's code only if it is needed.
 *
 * @throws {UsageError} the proxy's address is invalid
 */
export async function proxyAgentFor(
  address: URL,
  settings: ProxySettings,
): Promise<Agent | undefined> {
  if (!proxyFor(address, settings)) return undefined;
  const { ProxyAgent } = await import('../base/http/proxy-agent.js');
  return new ProxyAgent({ settings: () => settings });
}
