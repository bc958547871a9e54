import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rawApi, scriptedApi } from '../../support/http/scripted-api.js';
import { failureOf, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const PAGE = '{"code":0,"data":{"total_items":1,"records":[{"id":"s1"}]}}';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

it.each([
  ['gzip', gzipSync(PAGE)],
  ['deflate', deflateSync(PAGE)],
  ['br', brotliCompressSync(PAGE)],
  ['GZIP, br', brotliCompressSync(gzipSync(PAGE))],
  ['identity', Buffer.from(PAGE)],
])('a packed body is unpacked: %s', async (encoding, body) => {
  await using api = await scriptedApi({ headers: { 'content-encoding': encoding }, body });
  await using client = testClient(api.url);
  expect((await client.listSessions({ userId })).records).toHaveLength(1);
});

it.each([
  ['zstd', /not requested/],
  ['gzip', /cannot be decompressed/],
  ['gzip, gzip, gzip', /not requested/],
])(
  'a packed body that cannot be decompressed is malformed: %s',
  fault('F-49'),
  async (encoding, message) => {
    await using api = await scriptedApi({ headers: { 'content-encoding': encoding }, body: PAGE });
    await using client = testClient(api.url);
    const error = await failureOf(client.listSessions({ userId }));
    expect(error).toMatchObject({ name: 'MalformedResponseError' });
    expect((error as Error).message).toMatch(message);
  },
);

it.each(['gzip', 'br'])(
  'a packed body that unpacks to 50 MB is stopped at the cap, memory flat: %s',
  fault('F-10'),
  async (encoding) => {
    const pack = encoding === 'gzip' ? gzipSync : brotliCompressSync;
    const bomb = pack(Buffer.alloc(50_000_000, 0x20));
    expect(bomb.length).toBeLessThan(60_000);
    await using api = await scriptedApi({
      headers: { 'content-encoding': encoding },
      body: bomb,
    });
    await using client = testClient(api.url, { maxBodyBytes: 1_000_000 });
    const before = process.memoryUsage();
    const error = await failureOf(client.listSessions({ userId }));
    const after = process.memoryUsage();
    expect(error).toMatchObject({ name: 'BodyTooLargeError', disposition: 'skip', attempts: 1 });
    const held = after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed;
    expect(held).toBeLessThan(25_000_000);
  },
);

it('a packed body that is endless without any packing is stopped too', fault('F-10'), async () => {
  await using api = await rawApi((socket) => {
    socket.write(`${HEAD}Connection: close\r\n\r\n`);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 0x20)));
      if (!socket.destroyed) socket.once('drain', pour);
    };
    pour();
  });
  await using client = testClient(api.url, { maxBodyBytes: 1_000_000 });
  expect(await failureOf(client.listSessions({ userId }))).toMatchObject({
    name: 'BodyTooLargeError',
  });
});
