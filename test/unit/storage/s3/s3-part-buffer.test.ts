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
