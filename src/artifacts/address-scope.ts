/** Classifies IP addresses: only addresses of the public internet may be downloaded from. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

type AddressScope = 'public' | 'loopback' | 'private';

// Source: IANA special-purpose address registries for IPv4 and IPv6.
const PRIVATE_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba Cloud's metadata is 100.100.100.200
  ['169.254.0.0', 16], // link-local; metadata is 169.254.169.254
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments; Oracle Cloud's metadata is 192.0.0.192
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112: answers for names that should not have left a private network
  ['192.52.193.0', 24], // multicast tunnels (AMT)
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['168.63.129.16', 32], // Azure's host agent: looks public, is not
] as const;

const PRIVATE_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarking, AS112
  ['2001:db8::', 32], // documentation
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const privateRanges = new BlockList();
for (const [network, prefix] of PRIVATE_V4) privateRanges.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_V6) privateRanges.addSubnet(network, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * The scope of an address. IPv4 inside IPv6 (mapped, 6to4, NAT64) is classified by the embedded IPv4
 * address. An ISATAP address (a tunnel to an IPv4 host of the same network) is private, as is every IPv6
 * address outside global unicast, with or without a zone.
 *
 * @param address an IP literal without brackets; anything else counts as private
 */
export function scopeOf(address: string): AddressScope {
  const [bare = ''] = address.split('%', 1);
  if (isIPv4(bare)) return scopeOfV4(bare);
  if (!isIPv6(bare)) return 'private';
  if (loopback.check(bare, 'ipv6')) return 'loopback'; // also matches ::ffff:127.0.0.1
  const words = wordsOf(bare);
  const embedded = embeddedV4(words);
  if (embedded !== undefined) return scopeOfV4(embedded);
  if (isIsatap(words)) return 'private';
  const isPublic = globalUnicast.check(bare, 'ipv6') && !privateRanges.check(bare, 'ipv6');
  return isPublic ? 'public' : 'private';
}

function scopeOfV4(address: string): AddressScope {
  if (loopback.check(address, 'ipv4')) return 'loopback';
  return privateRanges.check(address, 'ipv4') ? 'private' : 'public';
}

/** The IPv4 address inside ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64) or 2002::/16 (6to4). */
function embeddedV4(words: readonly number[]): string | undefined {
  const [first, second] = words;
  const middleIsZero = words.slice(2, 6).every((word) => word === 0);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && middleIsZero;
  if (isMapped || isNat64) return dotted(words[6], words[7]);
  return first === 0x2002 ? dotted(words[1], words[2]) : undefined;
}

/** RFC 5214: the interface identifier is 0:5efe and an IPv4 address; the two masked bits may vary. */
function isIsatap(words: readonly number[]): boolean {
  return ((words[4] ?? 0) & 0xfcff) === 0 && words[5] === 0x5efe;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight 16-bit words; `URL` writes every valid form as hexadecimal with at most one `::`. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => parseInt(word, 16));
  const [left, right] = [words(head), words(tail ?? '')];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
