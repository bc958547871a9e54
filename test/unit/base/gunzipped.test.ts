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
