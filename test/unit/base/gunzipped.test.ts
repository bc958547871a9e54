import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gunzipped } from '../../../src/base/gunzipped.js';

const TEXT = 'a line of text\n'.repeat(20_000);
const PACKED = gzipSync(TEXT, { level: 0 });

async function* inChunks(bytes: Uint8Array, seen: string[] = []): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes.length; at += 1000) {
      yield await Promise.resolve(bytes.subarray(at, at + 1000));
    }
  } finally {
    seen.push('closed');
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

it('gives the bytes that were compressed', async () => {
  expect(await textOf(gunzipped(inChunks(PACKED)))).toBe(TEXT);
});

it('closes its source when its reader has seen enough', async () => {
  const seen: string[] = [];
  for await (const chunk of gunzipped(inChunks(PACKED, seen))) {
    expect(TEXT).toContain(chunk.toString());
    break;
  }
  await expect.poll(() => seen).toEqual(['closed']);
});

it('closes its source when the stream is damaged, and names the damage as its caller wants', async () => {
  const seen: string[] = [];
  const damaged = Buffer.concat([PACKED.subarray(0, 5000), Buffer.alloc(300_000, 7)]);
  const chunks = gunzipped(inChunks(damaged, seen), (cause) => new Error('damaged', { cause }));
  await expect(textOf(chunks)).rejects.toThrow('damaged');
  await expect.poll(() => seen).toEqual(['closed']);
});

it('passes on what its source throws, unchanged', async () => {
  const lost = new Error('the disk is gone');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield PACKED.subarray(0, 5000);
    throw await Promise.resolve(lost);
  }
  const chunks = gunzipped(broken(), () => new Error('damaged'));
  await expect(textOf(chunks)).rejects.toBe(lost);
});

it.each([
  ['a text', 'a line of text\n'],
  ['nothing', ''],
])('gives few bytes as they were: %s', async (_, text) => {
  const seen: string[] = [];
  expect(await textOf(gunzipped(inChunks(gzipSync(text), seen)))).toBe(text);
  expect(seen).toEqual(['closed']);
});

it('names the damage of few bytes, too, and of few that end too early', async () => {
  const packed = gzipSync('a line of text\n');
  const other = Buffer.from(packed);
  other[12]! ^= 1;
  for (const bytes of [other, packed.subarray(0, -4)]) {
    const chunks = gunzipped(inChunks(bytes), () => new Error('damaged'));
    await expect(textOf(chunks)).rejects.toThrow('damaged');
  }
});

it('gives few bytes that become many in pieces', async () => {
  const sizes: number[] = [];
  const packed = gzipSync(Buffer.alloc(10_000_000));
  for await (const chunk of gunzipped(inChunks(packed))) sizes.push(chunk.byteLength);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
});
