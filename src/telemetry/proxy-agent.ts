/** The way to a host through the proxy that is named for it; undefined where it is reached directly. */
import type { Agent } from 'node:http';
import { proxyFor, type ProxySettings } from '../base/http/proxy.js';

/**
 * Most machines need no proxy: what speaks to one is loaded where one is named.
 *
 * @throws {UsageError} the proxy's address makes no sense
 */
export async function proxyAgentFor(
  address: URL,
  settings: ProxySettings,
): Promise<Agent | undefined> {
  if (!proxyFor(address, settings)) return undefined;
  const { ProxyAgent } = await import('../base/http/proxy-agent.js');
  return new ProxyAgent({ settings: () => settings });
}
