/** Decides by NO_PROXY, as curl and Go do, which hosts are reached directly. */
import { BlockList, isIP } from 'node:net';

/**
 * @param list hosts (and with them their subdomains), addresses, networks such as `10.0.0.0/8`, each
 *   with an optional port, separated by commas or spaces; `*` is every host
 */
export function isExempt(url: URL, list: string): boolean {
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
