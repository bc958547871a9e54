import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { rawApi, scriptedApi } from '../../support/http/scripted-api.js';
import { failureOf } from '../../support/http/test-client.js';
import {
  bytesOf,
  fileRequest,
  lost,
  stored,
  testFetcher,
} from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'a,b\n1,2\n';

it.each([
  ['gzip', gzipSync(CSV)],
  ['x-gzip', gzipSync(CSV)],
  ['deflate', deflateSync(CSV)],
  ['br', brotliCompressSync(CSV)],
  ['gzip, BR', brotliCompressSync(gzipSync(CSV))],
  ['identity', Buffer.from(CSV)],
  ['aws-chunked', Buffer.from(CSV)],
])('a body in an encoding that nobody asked for is decoded from %s', async (encoding, body) => {
  await using host = await scriptedApi({ headers: { 'content-encoding': encoding }, body });
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file).toMatchObject({ bytes: CSV.length, sha256: sha256Hex(CSV), rowCount: 1 });
  expect((await bytesOf(file)).toString()).toBe(CSV);
});

it('a body in an encoding that nobody asked for fails where the encoding is unknown', async () => {
  await using host = await scriptedApi({ headers: { 'content-encoding': 'zstd' }, body: CSV });
  await using fetcher = testFetcher();
  expect(lost(await fetcher.fetch(fileRequest(host.url)))).toEqual({
    status: 'failed',
    reason: `${host.host} sent the file in an encoding that cannot be read: "zstd"`,
  });
});

it(
  'a body of 3,500 claimed encodings fails without a decoder for each',
  fault('F-49'),
  async () => {
    const encodings = Array<string>(3500).fill('br').join();
    await using host = await scriptedApi({ headers: { 'content-encoding': encodings }, body: CSV });
    await using fetcher = testFetcher();
    const before = process.memoryUsage().rss;
    expect(lost(await fetcher.fetch(fileRequest(host.url)))).toEqual({
      status: 'failed',
      reason: `${host.host} sent the file in an encoding that cannot be read: "${encodings.slice(0, 40)}"`,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(host.seen).toHaveLength(1);
  },
);

it.each([
  ['cut', gzipSync(CSV.repeat(100)).subarray(0, 20), 'is cut off'],
  ['damaged', Buffer.from(CSV), 'is damaged'],
])(
  'a body in an encoding that nobody asked for is tried again where it is %s, then given up',
  async (_, body, complaint) => {
    await using host = await scriptedApi({ headers: { 'content-encoding': 'gzip' }, body });
    await using fetcher = testFetcher({ maxAttempts: 2 });
    const outcome = lost(await fetcher.fetch(fileRequest(host.url)));
    expect(outcome.status).toBe('failed');
    expect(outcome.reason).toContain(complaint);
    expect(host.seen).toHaveLength(2);
    expect(fetcher.storage.place.staged.size).toBe(0);
  },
);

it(
  'a small body that decodes to more is stopped at the cap on decoded bytes',
  fault('F-10'),
  async () => {
    const body = gzipSync(Buffer.alloc(50_000_000, 'a,b\n'));
    expect(body.length).toBeLessThan(100_000);
    await using host = await scriptedApi({ headers: { 'content-encoding': 'gzip' }, body });
    await using fetcher = testFetcher({ maxFileBytes: 1_000_000 });
    expect(lost(await fetcher.fetch(fileRequest(host.url)))).toEqual({
      status: 'rejected',
      reason: `the file at ${host.host} is larger than 1.0 MB (--max-file-size)`,
    });
    expect(fetcher.stats.bytes).toBeLessThan(1_100_000);
    expect(fetcher.storage.place.staged.size).toBe(0);
  },
);

it('the cap is held against the announced length before a byte is read', async () => {
  await using host = await scriptedApi({
    headers: { 'content-length': '2000' },
    body: 'x'.repeat(2000),
  });
  await using fetcher = testFetcher({ maxFileBytes: 1999 });
  expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('rejected');
  expect(fetcher.stats.bytes).toBe(0);
  await using exact = testFetcher({ maxFileBytes: 2000 });
  stored(await exact.fetch(fileRequest(host.url)));
});

it('the cap ends a body that announces nothing and never ends', async () => {
  await using host = await rawApi((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    const pour = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a')));
    };
    socket.on('drain', pour);
    pour();
  });
  await using fetcher = testFetcher({ maxFileBytes: 1_000_000 });
  expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('rejected');
  expect(host.connections()).toBe(1);
});

const full = new StorageError('no space left in memory');

it.each(['stage', 'write', 'close'] as const)(
  'a storage that fails is thrown on %s, and leaves nothing staged',
  async (step) => {
    const storage = createMemoryStorage();
    await using host = await scriptedApi({ body: CSV });
    await using fetcher = testFetcher({
      storage: {
        stage: async () => {
          if (step === 'stage') throw full;
          const staged = await storage.stage();
          return Object.assign(staged, { [step]: () => Promise.reject(full) });
        },
      },
    });
    expect(await failureOf(fetcher.fetch(fileRequest(host.url)))).toBe(full);
    expect(storage.place.staged.size).toBe(0);
    expect(host.seen).toHaveLength(1);
  },
);
