import { describe, expect, it } from 'vitest';
import { staleBecause } from '../../../../src/base/http/stale-answer.js';
import { fault } from '../../../support/base/fault.js';

/** @param headers by name; several values are those of a repeated header */
function because(headers: Readonly<Record<string, string | readonly string[]>>) {
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  );
  return staleBecause(
    (name) => byName.get(name) ?? null,
    (text) => text,
  );
}

describe('an answer is old that says', () => {
  it.each([
    ['Age', '1', 'Age: 1'],
    ['Age', '86400', 'Age: 86400'],
    ['Age', ' 12 ', 'Age: 12'],
    ['Age', '0.5', 'Age: 0.5'],
    ['Age', ['0', '12'], 'Age: 12'],
    ['Age', 'twelve', 'Age: twelve'],
    ['Age', '-3', 'Age: -3'],
    ['AGE', '7', 'Age: 7'],
    [
      'Warning',
      '110 cache.example "Response is Stale"',
      'Warning: 110 cache.example "Response is Stale"',
    ],
    ['warning', '111 - "Revalidation Failed"', 'Warning: 111 - "Revalidation Failed"'],
    ['Warning', '113 - "Heuristic, expiry", 110 - "Stale"', 'Warning: 110 - "Stale"'],
    ['Warning', ['299 - "soon gone"', '111 - "failed"'], 'Warning: 111 - "failed"'],
    ['X-Cache', 'HIT', 'X-Cache: HIT'],
    ['x-cache', 'hit', 'X-Cache: hit'],
    ['X-Cache', 'Hit from cloudfront', 'X-Cache: Hit from cloudfront'],
    ['X-Cache', 'STALE', 'X-Cache: STALE'],
    ['X-Cache', 'MISS, HIT', 'X-Cache: HIT'],
    ['X-Cache', 'MISS from x, HIT from y', 'X-Cache: HIT from y'],
    ['X-Cache', ['MISS from x', 'HIT from y:3128'], 'X-Cache: HIT from y:3128'],
    ['X-Cache', 'TCP_HIT', 'X-Cache: TCP_HIT'],
    [
      'X-Cache',
      'TCP_MEM_HIT from a23 (AkamaiGHost)',
      'X-Cache: TCP_MEM_HIT from a23 (AkamaiGHost)',
    ],
    ['X-Cache', 'TCP_REMOTE_HIT', 'X-Cache: TCP_REMOTE_HIT'],
    ['X-Cache', 'cp12 miss, cp7 hit/7', 'X-Cache: cp7 hit/7'],
    ['X-Cache', 'hit/2', 'X-Cache: hit/2'],
    ['X-Cache', 'cp7  hit/17', 'X-Cache: cp7  hit/17'],
    ['X-Cache', 'cp7 hit', 'X-Cache: cp7 hit'],
    ['CF-Cache-Status', 'HIT', 'CF-Cache-Status: HIT'],
    ['cf-cache-status', 'stale', 'CF-Cache-Status: stale'],
    ['CF-Cache-Status', 'UPDATING', 'CF-Cache-Status: UPDATING'],
    ['Cache-Status', 'ExampleCache; hit', 'Cache-Status: ExampleCache; hit'],
    ['Cache-Status', 'ExampleCache;hit;ttl=376', 'Cache-Status: ExampleCache;hit;ttl=376'],
    ['Cache-Status', '"Netlify Edge"; HIT', 'Cache-Status: "Netlify Edge"; HIT'],
    ['Cache-Status', 'Cache; hit=?1', 'Cache-Status: Cache; hit=?1'],
    // only this parameter, with this value, says that the origin was asked
    ['Cache-Status', 'C; hit; x-fwd-status=304', 'Cache-Status: C; hit; x-fwd-status=304'],
    ['Cache-Status', 'C; hit; fwd-status=3040', 'Cache-Status: C; hit; fwd-status=3040'],
    ['X-Cache', '"HIT"', 'X-Cache: "HIT"'],
    ['X-Cache', 'MISS, HIT,', 'X-Cache: HIT'],
    ['Age', '12,', 'Age: 12'],
    ['Warning', '299 - "a \\", 1", 110 - "b"', 'Warning: 110 - "b"'],
    ['X-Cache', `HIT ${'x'.repeat(56)}`, `X-Cache: HIT ${'x'.repeat(56)}`],
    ['Cache-Status', 'Cache; hit=true', 'Cache-Status: Cache; hit=true'],
    ['Cache-Status', 'Cache; hit; ttl=-412', 'Cache-Status: Cache; hit; ttl=-412'],
    ['Cache-Status', 'Next; hit; fwd=stale', 'Cache-Status: Next; hit; fwd=stale'],
    // the cache next to the origin had it, and the one next to us did not
    ['Cache-Status', 'Origin; hit, CDN; fwd=uri-miss', 'Cache-Status: Origin; hit'],
    [
      'Cache-Status',
      ['Origin; fwd=miss; stored', 'CDN; hit; ttl=545'],
      'Cache-Status: CDN; hit; ttl=545',
    ],
    ['Warning', '110 - "a \\"b\\" c"', 'Warning: 110 - "a \\"b\\" c"'],
    // of a cache without a name
    ['Cache-Status', '; hit', 'Cache-Status: ; hit'],
    ['Cache-Status', '"a, b"; hit', 'Cache-Status: "a, b"; hit'],
  ] as const)('%s: %s', fault('F-73'), (header, value, words) => {
    expect(because({ [header]: value })).toBe(words);
  });

  it('several of these, and the first of the list is named', () => {
    expect(because({ 'X-Cache': 'HIT', Age: '3' })).toBe('Age: 3');
    expect(because({ 'X-Cache': 'HIT', Age: '0' })).toBe('X-Cache: HIT');
  });

  it('so in many characters, or in some that nobody can read', () => {
    expect(because({ 'X-Cache': `HIT from ${'x'.repeat(100)}` })).toBe(
      `X-Cache: HIT from ${'x'.repeat(51)}…`,
    );
    expect(because({ 'X-Cache': 'HIT from \u001b[31m\u00e9' })).toBe('X-Cache: HIT from ?[31m?');
  });
});

describe('an answer is not old that says', () => {
  it.each([
    ['Age', '0'],
    ['Age', '00'],
    ['Age', ['0', '0']],
    ['Age', ''],
    ['Warning', '112 - "Disconnected Operation"'],
    ['Warning', '113 - "Heuristic Expiration"'],
    ['Warning', '199 - "110 is another one"'],
    ['Warning', '299 - "a, 110, b"'],
    ['Warning', '299 - "a \\", 110 - b"'],
    ['Warning', '1100 - "no such code"'],
    ['X-Cache', 'MISS'],
    ['X-Cache', 'Miss from cloudfront'],
    ['X-Cache', 'RefreshHit from cloudfront'],
    ['X-Cache', 'TCP_REFRESH_HIT'],
    ['X-Cache', 'TCP_MISS'],
    ['X-Cache', 'HIT, MISS'],
    ['X-Cache', 'cp12 hit/7, cp7 miss'],
    ['X-Cache', 'cp7 pass'],
    ['X-Cache', 'hitch/7'],
    ['X-Cache', 'MISS from hit/7'],
    ['X-Cache', 'HIT from x, MISS from y'],
    ['X-Cache', 'CONFIG_NOCACHE'],
    ['X-Cache', 'Error from hit'],
    ['X-Cache', ''],
    ['CF-Cache-Status', 'MISS'],
    ['CF-Cache-Status', 'DYNAMIC'],
    ['CF-Cache-Status', 'BYPASS'],
    ['CF-Cache-Status', 'EXPIRED'],
    ['CF-Cache-Status', 'REVALIDATED'],
    ['Cache-Status', 'ExampleCache; fwd=miss; stored'],
    ['Cache-Status', 'ExampleCache; fwd=stale'],
    ['Cache-Status', 'ExampleCache; fwd=stale; fwd-status=304'],
    ['Cache-Status', 'ExampleCache; hit; fwd=stale; fwd-status=304; stored'],
    ['Cache-Status', 'C; hit; fwd-status = "304"'],
    ['Cache-Status', 'C; hit = ?0'],
    ['X-Cache', 'HIT, MISS,'],
    ['Cache-Status', 'ExampleCache; hit=?0; fwd=bypass'],
    ['Cache-Status', 'hit; fwd=miss'],
    ['Cache-Status', 'Cache; fwd=miss; detail="a; hit"'],
    ['Cache-Status', 'Cache; fwd=miss; detail=hit'],
    ['Cache-Status', 'Cache; hits=3'],
    ['X-Cache-Hits', '3'],
    ['Via', '1.1 varnish'],
    ['Cache-Control', 'max-age=3600'],
  ] as const)('%s: %s', fault('F-73'), (header, value) => {
    expect(because({ [header]: value })).toBeUndefined();
  });

  it('nothing', () => {
    expect(because({})).toBeUndefined();
  });
});
