/** What the storage suites write and how they compare it. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Storage } from '../../src/storage/storage.js';

export async function pathsOf(storage: Storage, prefix: string, after?: string): Promise<string[]> {
  const paths = [];
  for await (const { path } of storage.list(prefix, { after })) paths.push(path);
  return paths;
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** Bytes that differ from place to place. */
export function pattern(bytes: number): Buffer {
  const pattern = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i++) pattern[i] = (i * 31 + (i >> 8)) & 255;
  return pattern;
}

export function bytesOf(value: string): Buffer {
  return Buffer.from(value);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Large buffers: a difference is told in one line, not byte by byte. */
export function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.byteLength).toBe(expected.byteLength);
  expect(Buffer.compare(actual, expected)).toBe(0);
}
