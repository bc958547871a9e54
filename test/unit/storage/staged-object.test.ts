import { describe, expect, it } from 'vitest';
import { MemoryBudget, MemoryBuffer } from '../../../src/storage/staged-object.js';

function written(...texts: readonly string[]): MemoryBuffer {
  const buffer = new MemoryBuffer(new MemoryBudget());
  for (const text of texts) expect(buffer.take(Buffer.from(text))).toBe(true);
  return buffer;
}

describe('a staged object in memory', () => {
  it('is read in ranges across the chunks in which it was written', () => {
    const buffer = written('one', 'two', 'three');
    const read = (start: number, end: number): string =>
      Buffer.concat([...buffer.read({ start, end })]).toString();
    expect([read(0, 11), read(2, 5), read(6, 99)]).toEqual(['onetwothree', 'etw', 'three']);
    expect([...written().read()]).toEqual([]);
  });

  it('is joined once, however often it is read', () => {
    const buffer = written('one', 'two');
    const [first] = buffer.read();
    const [second] = buffer.read({ start: 3, end: 6 });
    expect(second?.buffer).toBe(first?.buffer);
    expect(buffer.chunks).toHaveLength(1);
  });
});
