/** The way to a host through the proxy that is named for it; undefined where it is reached directly. */
import type { Agent } from 'node:http';
import { proxyFor, type ProxySettings } from '../base/proxy.js';

/**
 * The package is large, and most machines need no proxy: it is loaded where one is named.
 *
 * @throws {UsageError} the proxy's address makes no sense
 */
export async function proxyAgentFor(
  address: URL,
  settings: ProxySettings,
): Promise<Agent | undefined> {
  const proxy = proxyFor(address, settings);
  if (!proxy) return undefined;
  const { ProxyAgent } = await import('proxy-agent');
  const { origin, authorization } = proxy;
  return new ProxyAgent({
    getProxyForUrl: () => origin,
    ...(authorization === undefined ? {} : { headers: { 'proxy-authorization': authorization } }),
  });
}
