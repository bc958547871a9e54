/** Files of answers that do not say where they end, of parts of files, and of files with something behind them. */
import { deflateSync, brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { rawApi } from '../../support/http/scripted-api.js';
import {
  bytesOf,
  fileRequest,
  lost,
  stored,
  testFetcher,
} from '../../support/http/test-fetcher.js';
import { PICTURES } from '../../support/tables/tiny-image.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'city,population\nBern,134794\nZug,30934\n';
const CUT = CSV.slice(0, 30);

function head(...headers: string[]): string {
  return ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
}

/** A host that sends the answers in turn, repeats the last one, and closes each connection. */
function hostOf(...answers: readonly (readonly [string, string | Buffer])[]) {
  return rawApi((socket, connection) => {
    const [start, body] = answers[Math.min(connection, answers.length) - 1]!;
    socket.write(start);
    socket.end(body);
  });
}

it(
  'a table of unknown end is downloaded twice, and marked where both have the same bytes',
  fault('F-75'),
  async () => {
    await using host = await hostOf([head(), CSV]);
    await using fetcher = testFetcher();
    const file = stored(await fetcher.fetch(fileRequest(host.url)));
    expect(file).toMatchObject({ sha256: sha256Hex(CSV), suspicious: 'unproven end' });
    expect((await bytesOf(file)).toString()).toBe(CSV);
    expect(host.connections()).toBe(2);
    expect(fetcher.storage.place.staged.size).toBe(1);
  },
);

it.each([
  ['first', CUT, CSV],
  ['second', CSV, CUT],
])(
  'a table without length and without chunks is lost where the %s download is cut off mid-row',
  fault('F-75'),
  async (_, first, second) => {
    await using host = await hostOf([head(), first], [head(), second]);
    await using fetcher = testFetcher();
    const outcome = lost(await fetcher.fetch(fileRequest(host.url)));
    expect(outcome.status).toBe('failed');
    expect(outcome.reason).toMatch(
      /^127\.0\.0\.1:\d+ does not say where the file ends \(no length, no chunks\), and two downloads differ: \d+ and \d+ bytes$/,
    );
    expect(fetcher.storage.place.staged.size).toBe(0);
  },
);

it('a table of unknown end is stored without a mark where the second download proves its end', async () => {
  await using host = await hostOf([head(), CUT], [head(`Content-Length: ${CSV.length}`), CSV]);
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file).toMatchObject({ sha256: sha256Hex(CSV), suspicious: null });
  expect(fetcher.storage.place.staged.size).toBe(1);
});

it('a table without length and without chunks is lost where there is no second download', async () => {
  await using host = await hostOf([head(), CSV], ['HTTP/1.1 404 Not Found\r\n\r\n', '']);
  await using fetcher = testFetcher();
  expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('missing');
  expect(fetcher.storage.place.staged.size).toBe(0);
});

it('a table without length and without chunks keeps its other mark', async () => {
  await using host = await hostOf([head(), '']);
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file.suspicious).toBe('an empty file; unproven end');
});

it.each(['Transfer-Encoding: gzip', 'Connection: close'])(
  'a table without length and without chunks is not proven by %s',
  async (header) => {
    await using host = await hostOf([head(header), CSV]);
    await using fetcher = testFetcher();
    expect(stored(await fetcher.fetch(fileRequest(host.url))).suspicious).toBe('unproven end');
  },
);

it.each([
  ['Content-Length', head(`Content-Length: ${CSV.length}`, 'Connection: close'), CSV],
  [
    'the last chunk',
    head('Transfer-Encoding: chunked', 'Connection: close'),
    `${CSV.length.toString(16)}\r\n${CSV}\r\n0\r\n\r\n`,
  ],
  [
    'a Content-Range of the whole',
    head(`Content-Range: bytes 0-${CSV.length - 1}/${CSV.length}`),
    CSV,
  ],
  ['gzip', head('Content-Encoding: gzip'), gzipSync(CSV)],
  [
    'two members of gzip',
    head('Content-Encoding: gzip'),
    Buffer.concat([gzipSync(CSV.slice(0, 9)), gzipSync(CSV.slice(9))]),
  ],
  ['deflate', head('Content-Encoding: deflate'), deflateSync(CSV)],
  ['brotli', head('Content-Encoding: br'), brotliCompressSync(CSV)],
])('an end of a table is proven by %s', async (_, start, body) => {
  await using host = await hostOf([start, body]);
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file).toMatchObject({ sha256: sha256Hex(CSV), suspicious: null });
  expect(host.connections()).toBe(1);
});

it.each(['png', 'jpeg', 'gif', 'webp'])(
  'an end of a %s is proven by its own format',
  async (format) => {
    const image = PICTURES[format]!;
    await using host = await hostOf([head(), image]);
    await using fetcher = testFetcher();
    const file = stored(await fetcher.fetch(fileRequest(host.url, { kind: 'IMAGE' })));
    expect(file).toMatchObject({ sha256: sha256Hex(image), suspicious: null });
    expect(host.connections()).toBe(1);
  },
);

it.each([
  ['a png with more behind it', Buffer.concat([PICTURES['png']!, Buffer.from('and more')])],
  ['a gif with more behind it', Buffer.concat([PICTURES['gif']!, Buffer.from('and more')])],
  ['an avif, which may end after any box', PICTURES['avif']!],
])('an end is not proven by %s', async (_, body) => {
  await using host = await hostOf([head(), body]);
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url, { kind: 'IMAGE' })));
  expect(file.suspicious).toBe('unproven end');
});

it.each([
  ['whole', gzipSync(CSV), null],
  ['cut off', gzipSync(CSV).subarray(0, -4), 'unproven end'],
  ['followed by something', Buffer.concat([gzipSync(CSV), Buffer.from('\0\0')]), 'unproven end'],
])('an end of a gzip file that is %s is looked for in the file', async (_, body, suspicious) => {
  await using host = await hostOf([head(), body]);
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url, { kind: 'FILE' })));
  expect(file).toMatchObject({ mediaType: 'application/gzip', suspicious });
  expect((await bytesOf(file)).equals(body)).toBe(true);
});

it.each([
  [`bytes 0-29/${CSV.length}`, 'the beginning'],
  [`bytes 8-${CSV.length - 1}/${CSV.length}`, 'the end'],
  [`bytes 0-${CSV.length - 1}/*`, 'of who knows how much'],
  [`bytes */${CSV.length}`, 'nothing'],
  ['rows 0-1/2', 'in another unit'],
])(
  'a 200 that is not the file is refused with the Content-Range %s: %s',
  fault('F-77'),
  async (range) => {
    const body = CSV.slice(0, 30);
    const start = head(`Content-Range: ${range}`, `Content-Length: ${body.length}`);
    await using host = await hostOf([start, body]);
    await using fetcher = testFetcher({ maxAttempts: 2 });
    const outcome = lost(await fetcher.fetch(fileRequest(host.url)));
    expect(outcome.status).toBe('failed');
    expect(outcome.reason).toContain(`sent a part of the file (Content-Range "${range}")`);
    expect(host.connections()).toBe(2);
  },
);

it.each([
  ['fewer bytes than its Content-Range', [`Content-Range: bytes 0-99/100`], CSV],
  [
    'another length than its Content-Range',
    [`Content-Range: bytes 0-99/100`, `Content-Length: ${CSV.length}`],
    CSV,
  ],
  ['fewer bytes than its Content-Length', ['Content-Length: 100', 'Connection: close'], CSV],
  [
    'fewer chunks than it began',
    ['Transfer-Encoding: chunked', 'Connection: close'],
    `${CSV.length.toString(16)}\r\n${CSV}\r\n`,
  ],
  [
    'fewer compressed bytes than its Content-Length',
    ['Content-Encoding: gzip', 'Content-Length: 999'],
    gzipSync(CSV),
  ],
])(
  'a 200 that is not the file is refused where it has %s',
  fault('F-77'),
  async (_, headers, body) => {
    await using host = await hostOf([head(...headers), body]);
    await using fetcher = testFetcher({ maxAttempts: 2 });
    expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('failed');
    expect(host.connections()).toBe(2);
    expect(fetcher.storage.place.staged.size).toBe(0);
  },
);

it.each([
  ['gzip', Buffer.concat([gzipSync(CSV), Buffer.from('rest')])],
  ['gzip', Buffer.concat([gzipSync(CSV), Buffer.alloc(512)])],
  ['deflate', Buffer.concat([deflateSync(CSV), Buffer.from('rest')])],
  ['br', Buffer.concat([brotliCompressSync(CSV), Buffer.from('rest')])],
])(
  'a 200 that is not the file is refused where bytes follow the end of %s',
  fault('F-77'),
  async (encoding, body) => {
    const start = head(`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`);
    await using host = await hostOf([start, body]);
    await using fetcher = testFetcher({ maxAttempts: 2 });
    const outcome = lost(await fetcher.fetch(fileRequest(host.url)));
    expect(outcome.status).toBe('failed');
    expect(outcome.reason).toContain('sent compressed data that is damaged');
  },
);
