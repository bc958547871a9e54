/** What is kept of the body of a 200: a file whose end is proven, one whose end is not, or nothing. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { receive, SeenContents, type ReceiveOptions } from '../../../src/artifacts/receive.js';
import type { StageOptions } from '../../../src/storage/storage.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { PICTURES } from '../../support/tables/tiny-image.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'a,b\n1,2\n';
const PAGE = '<!DOCTYPE html><html><body>Please sign in</body></html>';
const PICTURE = { kind: 'FILE', path: '/a.png' };
const GZIP = { kind: 'FILE', path: '/a.gz' };

interface Given {
  readonly headers?: Record<string, string | string[]>;
  readonly kind?: string;
  readonly path?: string;
  readonly maxBytes?: number;
  readonly hostsWithDigests?: Set<string>;
  readonly others?: ReceiveOptions['others'];
  readonly signal?: AbortSignal;
  readonly stage?: () => Promise<never>;
}

function receiving(body: string | Uint8Array | Readable, given: Given = {}) {
  const { headers = {}, kind = 'TABLE', path = '/a.csv', maxBytes = 10_000 } = given;
  const storage = createMemoryStorage();
  const told = { bytes: 0, received: 0, staged: [] as (StageOptions | undefined)[] };
  const stream = body instanceof Readable ? body : Readable.from([Buffer.from(body)]);
  const response = { headers, body: stream as unknown as Dispatcher.ResponseData['body'] };
  const attempt = receive(response, {
    storage: {
      stage: (options) => {
        told.staged.push(options);
        return given.stage?.() ?? storage.stage(options);
      },
    },
    kind,
    path,
    host: 'files.test',
    maxBytes,
    hostsWithDigests: given.hostsWithDigests,
    others: given.others,
    signal: given.signal ?? new AbortController().signal,
    stats: told,
    onReceived: () => told.received++,
  });
  return { attempt, told, stream, left: storage.place.staged };
}

const kindOf = async (body: string | Uint8Array, given?: Given) =>
  (await receiving(body, given).attempt).kind;

it.each<[string, string | Uint8Array, Given]>([
  ['its length', CSV, { headers: { 'content-length': '8' } }],
  ['a range that is the whole', CSV, { headers: { 'content-range': 'bytes 0-7/8' } }],
  ['chunks', CSV, { headers: { 'transfer-encoding': 'chunked' } }],
  [
    'its encoding, beside none',
    gzipSync(CSV),
    { headers: { 'content-encoding': 'identity, gzip' } },
  ],
  ['its encoding', gzipSync(CSV), { headers: { 'content-encoding': 'gzip' } }],
  ['its own format', PICTURES['png']!, { kind: 'IMAGE', path: '/a.png' }],
  ['a gzip file', gzipSync(CSV), GZIP],
  ['a gzip file of as many bytes as allowed', gzipSync('x'.repeat(10_000)), GZIP],
])('the end of a file is proven by %s', async (_, body, given) => {
  expect(await kindOf(body, given)).toBe('stored');
});

it.each<[string, string | Uint8Array, Given]>([
  ['a text', CSV, {}],
  ['a text that is said to be itself', CSV, { headers: { 'content-encoding': 'identity' } }],
  ['a picture that goes on', Buffer.concat([PICTURES['png']!, Buffer.from('x')]), PICTURE],
  ['a gzip file that is cut', gzipSync(CSV).subarray(0, -1), GZIP],
  ['a gzip file that goes on', Buffer.concat([gzipSync(CSV), Buffer.from('x')]), GZIP],
  ['a gzip file of too many bytes', gzipSync('x'.repeat(10_001)), GZIP],
])('the end of a file is not proven by %s', async (_, body, given) => {
  expect(await kindOf(body, given)).toBe('unproven end');
});

it('the end of a file refuses a body that is shorter than a range says which is the whole', async () => {
  const headers = { 'content-range': 'bytes 0-11/12' };
  const { attempt, left } = receiving(CSV, { headers });
  await expect(attempt).rejects.toThrow('files.test sent 8 bytes and announced 12');
  expect(left.size).toBe(0);
});

it('the end of a file refuses a part of a file, and closes its connection', async () => {
  const { attempt, stream, told } = receiving(CSV, {
    headers: { 'content-range': 'bytes 10-17/20' },
  });
  await expect(attempt).rejects.toThrow(
    'files.test sent a part of the file (Content-Range "bytes 10-17/20")',
  );
  expect([stream.destroyed, told.staged]).toEqual([true, []]);
  // the connection may break only now
  expect(() => stream.emit('error', new Error('reset'))).not.toThrow();
});

it('the end of a file refuses what is no range, of which it names the beginning', async () => {
  const headers = { 'content-range': 'x'.repeat(41) };
  const { attempt } = receiving(CSV, { headers });
  await expect(attempt).rejects.toThrow(`(Content-Range "${'x'.repeat(40)}")`);
});

it('a body is told as it comes, and is staged with the length that is announced', async () => {
  const known = receiving(CSV, { headers: { 'content-length': '8' } });
  expect(await known.attempt).toMatchObject({ file: { bytes: 8, rowCount: 1, columnCount: 2 } });
  expect(known.told).toEqual({ bytes: 8, received: 1, staged: [{ expectedBytes: 8 }] });
  expect(known.left.size).toBe(1);
  const unknown = receiving(CSV);
  await unknown.attempt;
  expect(unknown.told.staged).toEqual([{}]);
});

it('a body of a picture has its size, and no rows', async () => {
  const { attempt } = receiving(PICTURES['png']!, { kind: 'IMAGE', path: '/a.PNG' });
  const size = { width: expect.any(Number) as unknown, height: expect.any(Number) as unknown };
  expect(await attempt).toMatchObject({
    file: { status: 'stored', suspicious: null, rowCount: null, columnCount: null, ...size },
  });
});

it.each([
  ['attachment; filename="umsatz.csv"', 'umsatz.csv'],
  ['attachment; filename=umsatz.csv', 'umsatz.csv'],
  [`attachment; filename="a.csv"; filename*=UTF-8''M%C3%A4rz.csv`, 'März.csv'],
  [String.raw`inline; filename="C:\\temp\\say \"hi\".csv"`, 'say "hi".csv'],
  ['inline', null],
])('a body has the name that its host gives it: %s', async (header, name) => {
  const { attempt } = receiving(CSV, { headers: { 'content-disposition': header } });
  expect(await attempt).toMatchObject({ file: { sentName: name } });
});

it('a body is itself where its Content-Encoding is the name of a charset', async () => {
  for (const encoding of ['utf-8', 'UTF8', 'binary']) {
    const headers = { 'content-encoding': encoding, 'content-length': '8' };
    expect(await kindOf(CSV, { headers })).toBe('stored');
  }
});

it('a body is unpacked, and is none where its encoding is not known', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect(await receiving(gzipSync(CSV), { headers }).attempt).toMatchObject({
    file: { bytes: 8, rowCount: 1 },
  });
  const { attempt, stream } = receiving(CSV, { headers: { 'content-encoding': 'compressed' } });
  expect(await attempt).toEqual({
    kind: 'failed',
    reason: 'files.test sent the file in an encoding that cannot be read: "compressed"',
  });
  expect(stream.destroyed).toBe(true);
});

it('a body is left where the storage takes nothing', async () => {
  const full = new Error('no space left');
  const { attempt, stream } = receiving(CSV, { stage: () => Promise.reject(full) });
  await expect(attempt).rejects.toBe(full);
  expect(stream.destroyed).toBe(true);
});

it.each([
  ['/a.html', { kind: 'stored', file: { suspicious: null } }],
  ['/A.HTML', { kind: 'stored', file: { suspicious: null } }],
  ['/a', { kind: 'stored', file: { suspicious: 'a web page, possibly a login page' } }],
  ['/a.html.d/b', { kind: 'stored', file: { suspicious: 'a web page, possibly a login page' } }],
  ['/a.Csv', { reason: 'files.test sent text/html where a file named .csv should be' }],
])('a body is compared with the end of its name: %s', async (path, expected) => {
  const headers = { 'content-length': String(PAGE.length) };
  expect(await receiving(PAGE, { kind: 'FILE', path, headers }).attempt).toMatchObject(expected);
});

it('a body may be as large as allowed, and leaves nothing where it is larger', async () => {
  expect(await kindOf(CSV, { maxBytes: 8 })).toBe('unproven end');
  expect(await kindOf(CSV, { maxBytes: 8, headers: { 'content-length': '8' } })).toBe('stored');
  const { attempt, left, told } = receiving(CSV, { maxBytes: 7 });
  expect(await attempt).toMatchObject({ kind: 'rejected' });
  expect([left.size, told.received]).toEqual([0, 0]);
  const announced = receiving(CSV, { maxBytes: 7, headers: { 'content-length': '8' } });
  expect(await announced.attempt).toMatchObject({ kind: 'rejected' });
  expect([announced.stream.destroyed, announced.told.staged]).toEqual([true, []]);
});

it('a body that is not the file leaves nothing', async () => {
  const { attempt, left } = receiving(PAGE);
  expect(await attempt).toEqual({
    kind: 'not the file',
    reason: expect.stringMatching(/^files\.test sent \w/),
  });
  expect(left.size).toBe(0);
});

it('a body that breaks off leaves nothing, and the failure names its cause', async () => {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  function* broken(): Generator<Buffer> {
    yield Buffer.from(CSV);
    throw cause;
  }
  const { attempt, left } = receiving(Readable.from(broken()));
  await expect(attempt).rejects.toMatchObject({ name: 'TransferError', cause });
  expect(left.size).toBe(0);
});

it('a body leaves nothing after an interruption', async () => {
  const { attempt, left } = receiving(CSV, { signal: AbortSignal.abort(new Error('Ctrl-C')) });
  await expect(attempt).rejects.toThrow('Ctrl-C');
  expect(left.size).toBe(0);
});

const digest = (name: string, of: string | Uint8Array = CSV, form: 'base64' | 'hex' = 'base64') =>
  createHash(name).update(of).digest(form);
const LENGTH = { 'content-length': '8' };
const md5 = digest('md5');
const sha256 = digest('sha256');
const OTHER = 'a,b\n1,3\n';

const TOLD: [string, Record<string, string | string[]>][] = [
  ['Content-MD5', { 'content-md5': md5 }],
  ['x-amz-checksum-sha256', { 'x-amz-checksum-sha256': sha256 }],
  ['x-goog-hash', { 'x-goog-hash': ['crc32c=n03x6A==', `md5=${md5}`] }],
  ['x-goog-hash', { 'x-goog-hash': `crc32c=n03x6A==,md5=${md5}` }],
  ['x-goog-hash', { 'x-goog-hash': `md5=${md5}, crc32c=n03x6A==` }],
  ['x-goog-hash', { 'x-goog-hash': `crc32c=n03x6A==, md5=${md5}` }],
  ['Content-Digest', { 'content-digest': `sha-512=:AA==:, sha-256=:${sha256}:` }],
  ['Content-Digest', { 'content-digest': `sha-256=:${sha256}:,sha-512=:AA==:` }],
  ['Repr-Digest', { 'repr-digest': `sha-256=:${sha256}:` }],
  ['Repr-Digest', { 'repr-digest': `sha-512=:AA==:, sha-256=:${sha256}:` }],
  ['Digest', { digest: `SHA-256=${sha256}` }],
  ['Digest', { digest: `unixsum=30637, sha-256=${sha256} , md5=AA==` }],
];

it.each(TOLD)(
  'a digest that an answer tells of its body is compared: %s %j',
  fault('F-109'),
  async (header, told) => {
    const headers = { ...told, ...LENGTH };
    expect(await kindOf(CSV, { headers })).toBe('stored');
    const { attempt, left } = receiving(OTHER, { headers });
    await expect(attempt).rejects.toThrow(
      `files.test sent a body whose digest is not that of its ${header}`,
    );
    expect(left.size).toBe(0);
  },
);

it('a digest that an answer tells of its body is of the bytes as they were sent', async () => {
  const packed = gzipSync(CSV);
  const headers = { 'content-encoding': 'gzip', 'content-md5': digest('md5', packed) };
  expect(await kindOf(packed, { headers })).toBe('stored');
  const google = {
    'content-encoding': 'gzip',
    'x-goog-stored-content-encoding': 'gzip',
    'x-goog-hash': `md5=${digest('md5', packed)}`,
  };
  expect(await kindOf(packed, { headers: google })).toBe('stored');
  await expect(kindOf(gzipSync(OTHER), { headers: google })).rejects.toThrow('x-goog-hash');
});

it.each([
  ['no digest', { 'content-md5': 'x', digest: 'sha-256=AAAA', 'x-goog-hash': 'crc32c=AA==' }],
  [
    'of what the storage has unpacked',
    { 'x-goog-hash': `md5=${md5}`, 'x-goog-stored-content-encoding': 'gzip' },
  ],
  [
    'of several parts',
    { 'x-amz-checksum-sha256': `${sha256}-2`, etag: `"${digest('md5', CSV, 'hex')}-2"` },
  ],
])('a digest that an answer tells of its body is not compared where it is %s', async (_, told) => {
  expect(await kindOf(OTHER, { headers: { ...told, ...LENGTH } })).toBe('stored');
});

it(
  'a digest in an answer makes a file suspicious as an ETag of a host known for digests',
  fault('F-109'),
  async () => {
    const hostsWithDigests = new Set<string>();
    const etag = `"${digest('md5', CSV, 'hex')}"`;
    const doubtOf = async (body: string, more: Record<string, string> = {}) => {
      const headers = { etag, ...LENGTH, ...more };
      const { attempt } = receiving(body, { headers, hostsWithDigests });
      const received = await attempt;
      return 'file' in received ? received.file.suspicious : received.kind;
    };
    expect(await doubtOf(OTHER)).toBeNull();
    expect(await doubtOf(CSV)).toBeNull();
    expect([...hostsWithDigests]).toEqual(['files.test']);
    expect(await doubtOf(OTHER)).toBe('not the bytes of its ETag');
    expect(await doubtOf('"a\n1\n22\n')).toMatch(/^[^;]+; not the bytes of its ETag$/);
    for (const told of [
      { etag: `W/${etag}` },
      { etag: `${etag}-gzip` },
      { 'x-amz-server-side-encryption': 'aws:kms' },
      { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
    ]) {
      expect(await doubtOf(OTHER, told as Record<string, string>)).toBeNull();
    }
    expect(await doubtOf(OTHER, { 'x-amz-server-side-encryption': 'AES256' })).not.toBeNull();
  },
);

const doubts = (contents = new SeenContents()) => {
  return async (key: string, body: string, more: Record<string, string> = {}) => {
    const headers = { 'content-length': String(body.length), ...more };
    const received = await receiving(body, { headers, others: { key, contents } }).attempt;
    return 'file' in received ? received.file.suspicious : received.kind;
  };
};
const HIT = { 'x-cache': 'HIT' };

it(
  'a cached file is suspicious where the cache says so, and other bytes are not',
  fault('F-112'),
  async () => {
    const doubtOf = doubts();
    expect(await doubtOf('one', CSV, HIT)).toBeNull();
    expect(await doubtOf('two', CSV)).toBeNull();
    expect(await doubtOf('two', CSV, HIT)).toBe(
      'the bytes of another file, from the memory of a cache',
    );
    expect(await doubtOf('two', CSV, { age: '3' })).toMatch(/from the memory of a cache$/);
    expect(await doubtOf('one', CSV, HIT)).toBeNull();
    expect(await doubtOf('two', 'a,b\n1,3\n', HIT)).toBeNull();
  },
);

it(
  'a cached file is compared with a bounded number of others, the newest',
  fault('F-112'),
  async () => {
    const doubtOf = doubts(new SeenContents(1));
    expect(await doubtOf('one', CSV)).toBeNull();
    expect(await doubtOf('two', 'a,b\n1,3\n')).toBeNull();
    expect(await doubtOf('three', CSV, HIT)).toBeNull();
    expect(await doubtOf('four', CSV, HIT)).not.toBeNull();
  },
);
