import { expect, it } from 'vitest';
import { PartBuffer, partBytesFor } from '../../../../src/storage/s3/s3-multipart.js';

const MIB = 1024 * 1024;

it('makes parts that S3 takes, and at most 10,000 of what was expected', () => {
  for (const bytes of [0, 1, 5 * MIB, 500 * MIB, 5e12]) {
    const size = partBytesFor(bytes);
    expect(size).toBeGreaterThanOrEqual(5 * MIB);
    expect(size % MIB).toBe(0);
    expect(Math.ceil(bytes / size)).toBeLessThanOrEqual(10_000);
  }
  expect(partBytesFor(0)).toBe(8 * MIB);
});

it('makes parts large enough for twice as much as was expected, and no larger', () => {
  expect(partBytesFor(5000 * 8 * MIB)).toBe(8 * MIB);
  expect(partBytesFor(5000 * 8 * MIB + 1)).toBe(9 * MIB);
});

it('copies what it takes, and gives back what does not fit', () => {
  const buffer = new PartBuffer(0);
  const chunk = Buffer.alloc(5 * MIB, 1);
  expect(buffer.take(chunk)).toHaveLength(0);
  expect(buffer.take(chunk)).toHaveLength(2 * MIB);
  chunk.fill(2);
  expect(buffer.isFull).toBe(true);
  const part = Buffer.from(buffer.empty());
  expect(part.equals(Buffer.alloc(8 * MIB, 1))).toBe(true);
  expect([buffer.bytes, buffer.isFull]).toEqual([0, false]);
});

it.each([0, 1, 100_000, 20 * MIB])(
  'gives back the bytes that it took in pieces, where %i were expected',
  (expected) => {
    const buffer = new PartBuffer(expected);
    const pieces = Array.from({ length: 60 }, (_, at) => Buffer.alloc(1 + at * 997, at));
    for (const piece of pieces) expect(buffer.take(piece)).toHaveLength(0);
    const whole = Buffer.concat(pieces);
    expect(buffer.bytes).toBe(whole.byteLength);
    expect(whole.equals(buffer.empty())).toBe(true);
    buffer.take(Buffer.from('next'));
    expect(Buffer.from(buffer.empty()).toString()).toBe('next');
  },
);

it('makes larger parts after 5000 and after every thousand more, so that 10,000 are enough', () => {
  const buffer = new PartBuffer(0);
  const filled = Buffer.alloc(64 * MIB);
  /** Of the next part. */
  const sizes: number[] = [];
  for (let part = 1; part <= 7000; part++) {
    if ([1, 5000, 5001, 6000, 6001, 7000].includes(part)) {
      const rest = buffer.take(filled);
      expect(buffer.isFull).toBe(true);
      sizes.push((filled.byteLength - rest.byteLength) / MIB);
    }
    buffer.empty();
  }
  expect(sizes).toEqual([8, 8, 16, 16, 32, 32]);
});

it.each([
  ['at first what is expected', 1 * MIB, [1], 1 * MIB],
  ['at first 64 KiB where nobody knows', 0, [1], 64 * 1024],
  ['no more while there is room', 0, [1, 64 * 1024 - 1], 64 * 1024],
  ['twice as much where there is none', 0, [64 * 1024, 1], 128 * 1024],
  ['no more than a part, whatever is expected', 9 * MIB, [1], 8 * MIB],
])('takes memory as it is needed: %s', (_, expected, pieces, memory) => {
  const buffer = new PartBuffer(expected);
  for (const bytes of pieces) buffer.take(Buffer.alloc(bytes));
  expect(buffer.empty().buffer.byteLength).toBe(memory);
});
