import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatShard, isInShard, parseShard } from '../../../src/model/shard.js';

it('a shard is written with the first as 1', () => {
  expect(parseShard('3/16')).toEqual({ index: 2, count: 16 });
  expect(parseShard('1/1')).toEqual({ index: 0, count: 1 });
  expect(formatShard({ index: 2, count: 16 })).toBe('3/16');
});

it.each(['0/16', '17/16', '3/0', '3', '3/', '/3', '-1/3', '1.5/3', '3/16/2', '1/10001', 'a/b'])(
  'a shard is not %s',
  (text) => {
    expect(parseShard(text)).toBeUndefined();
  },
);

it('a shard has each id in exactly one of all shards, whatever other ids are listed', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (id, count) => {
      const holding = Array.from({ length: count }, (_, index) => ({ index, count }));
      expect(holding.filter((shard) => isInShard(id, shard))).toHaveLength(1);
    }),
  );
});

it('a shard holds about as many as any other, and the same ones in every version', () => {
  const ids = Array.from({ length: 16_000 }, (_, i) => `user-${i}`);
  const count = ids.filter((id) => isInShard(id, { index: 2, count: 16 })).length;
  expect(Math.abs(count - 1000)).toBeLessThan(150);
  // what sha256sum says of ada begins with fdee430d40bd
  expect(isInShard('ada', { index: 0xfdee430d40bd % 16, count: 16 })).toBe(true);
});
