/** Every range that is not public, at its first and last address, and the addresses on either side. */
import { describe, expect, it } from 'vitest';
import { scopeOf } from '../../../src/artifacts/address-scope.js';
import { fault } from '../../support/base/fault.js';

const NONE = undefined;

describe.each([
  // what it is, the address before, its first, its last, the address after
  ['this network', NONE, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['private use', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['carrier-grade NAT', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['link-local', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['private use', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['protocol assignments', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['documentation', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['AS112', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['AMT relays', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['6to4 relays', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['private use', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['AS112', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['benchmarking', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['documentation', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['documentation', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['multicast and reserved', '223.255.255.255', '224.0.0.0', '255.255.255.255', NONE],
  ['Azure’s host agent', '168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['protocol assignments', last('2000:ffff'), '2001::', last('2001:1ff'), '2001:200::'],
  ['documentation', last('2001:db7'), '2001:db8::', last('2001:db8'), '2001:db9::'],
  ['AS112', last('2620:4f:7fff'), '2620:4f:8000::', last('2620:4f:8000'), '2620:4f:8001::'],
  ['documentation', last('3ffe:ffff'), '3fff::', last('3fff:fff'), '3fff:1000::'],
  ['below global unicast', NONE, '::2', last('1fff'), '2000::'],
  ['above global unicast', last('3fff'), '4000::', last('ffff'), NONE],
])('%s from %s', (_what, before, first, end, after) => {
  it(`is not public from ${first} to ${end}`, fault('F-20'), () => {
    expect(scopeOf(first)).toBe('private');
    expect(scopeOf(end)).toBe('private');
  });

  it('ends there', () => {
    for (const neighbour of [before, after]) {
      if (neighbour !== undefined) expect(scopeOf(neighbour), neighbour).toBe('public');
    }
  });
});

it('knows the edges of loopback', () => {
  for (const address of ['127.0.0.0', '127.255.255.255', '::1'])
    expect(scopeOf(address), address).toBe('loopback');
  for (const address of ['126.255.255.255', '128.0.0.0'])
    expect(scopeOf(address), address).toBe('public');
  for (const address of ['::', '::2']) expect(scopeOf(address), address).toBe('private');
});

it.each([
  ['mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255', '::ffff:8.8.8.8'],
  ['NAT64', '64:ff9b::0.0.0.0', '64:ff9b::255.255.255.255', '64:ff9b::8.8.8.8'],
  ['6to4', '2002::', last('2002'), '2002:808:808::1'],
])(
  'IPv4 inside IPv6 is judged as IPv4 from the first to the last address: %s',
  (_what, first, end, inside) => {
    expect(scopeOf(first)).toBe('private');
    expect(scopeOf(end)).toBe('private');
    expect(scopeOf(inside)).toBe('public');
  },
);

it.each([
  ['::fffe:8.8.8.8', 'private'],
  ['::1:ffff:8.8.8.8', 'private'],
  ['64:ff9a::8.8.8.8', 'private'],
  ['65:ff9b::8.8.8.8', 'private'],
  ['64:ff9c::8.8.8.8', 'private'],
  ['64:ff9b::1:808:808', 'private'],
  ['64:ff9b:1::808:808', 'private'],
  [last('2001'), 'public'],
  ['2003::', 'public'],
])('IPv4 inside IPv6 is none outside of these: %s is %s', (address, scope) => {
  expect(scopeOf(address)).toBe(scope);
});

it.each(['0:5efe', '100:5efe', '200:5efe', '300:5efe'])(
  'IPv4 inside IPv6 is never public behind an ISATAP interface: …:%s:…',
  (isatap) => {
    for (const inner of ['a00:1', '7f00:1', '808:808']) {
      expect(scopeOf(`2606:4700:1:2:${isatap}:${inner}`), inner).toBe('private');
    }
  },
);

it.each(['400:5efe', '1:5efe', '0:5efd', '0:5eff', '5efe:0'])(
  'IPv4 inside IPv6 is not taken for ISATAP where the interface is another: …:%s:…',
  (other) => {
    expect(scopeOf(`2606:4700:1:2:${other}:a00:1`)).toBe('public');
  },
);

/** The last address that begins with these words. */
function last(words: string): string {
  const given = words.split(':');
  return [...given, ...Array<string>(8 - given.length).fill('ffff')].join(':');
}
