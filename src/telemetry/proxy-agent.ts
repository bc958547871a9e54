/** The way to a host that HTTPS_PROXY, HTTP_PROXY and NO_PROXY lay down; undefined where it is the direct one. */
import type { Agent } from 'node:http';

/** The package is large, and most machines need no proxy: it is loaded where one is named. */
export async function proxyAgentFor({ protocol }: URL): Promise<Agent | undefined> {
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const names = [name, name.toLowerCase(), 'ALL_PROXY', 'all_proxy'];
  if (names.every((variable) => !process.env[variable])) return undefined;
  const { ProxyAgent } = await import('proxy-agent');
  return new ProxyAgent();
}
