/** How an object is read and listed: which requests are sent, what is read again, and which errors come of it. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemRandom } from '../../../../src/base/runtime.js';
import {
  listS3Objects,
  readS3Object,
  type ReadVersion,
} from '../../../../src/storage/s3/s3-objects.js';
import {
  DamagedObjectError,
  ObjectNotFoundError,
  ReplacedWhileReadError,
  StorageError,
} from '../../../../src/storage/storage-errors.js';
import type { ByteRange } from '../../../../src/storage/storage.js';
import { type Answer, S3InMemory } from '../../../support/store/s3-in-memory.js';

let store: S3InMemory;

beforeEach(() => {
  store = new S3InMemory();
  // no wait between two attempts
  vi.spyOn(systemRandom, 'fraction').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** These in turn, whatever is asked; the last one again and again. */
function answering(...answers: readonly Answer[]): void {
  let asked = 0;
  store.onAnswer = () => answers[Math.min(asked++, answers.length - 1)] as Answer;
}

/** Of the requests so far, in order. */
const sent = (header: string) => store.requests.map(({ headers }) => headers[header]);

const refused = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code></Error>`,
});

const WHOLE = '0123456789';
const whole: Answer = {
  status: 200,
  headers: { etag: '"e"', 'content-length': String(WHOLE.length) },
  body: WHOLE,
};
const cut: Answer = { ...whole, body: '0123' };
const part = (from: number, text: string, total: number | string = WHOLE.length): Answer => ({
  status: 206,
  headers: {
    etag: '"e"',
    'content-length': String(text.length),
    'content-range': `bytes ${from}-${from + text.length - 1}/${total}`,
  },
  body: text,
});

async function read(range?: ByteRange, version?: ReadVersion): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readS3Object(store.bucket(), 'x', range, version)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('an object is asked for whole, in one request', async () => {
  answering(whole);
  expect(await read()).toBe(WHOLE);
  expect([sent('range'), sent('if-match')]).toEqual([[undefined], [undefined]]);
});

it('an object is asked for from the byte where a body ended, and must be the same one', async () => {
  answering(cut, part(4, '45'), part(6, '6789'));
  const version: ReadVersion = { etag: undefined };
  expect(await read(undefined, version)).toBe(WHOLE);
  expect(sent('range')).toEqual([undefined, 'bytes=4-', 'bytes=6-']);
  expect(sent('if-match')).toEqual([undefined, '"e"', '"e"']);
  expect(version.etag).toBe('"e"');
});

it('an object is asked for in part, from its first byte, too', async () => {
  answering(part(0, '01'), part(2, '23'));
  expect(await read({ start: 0, end: 4 })).toBe('0123');
  expect(sent('range')).toEqual(['bytes=0-3', 'bytes=2-3']);
});

it('an object is read in part where the store does not tell its length', async () => {
  answering(part(2, '2345', '*'));
  expect(await read({ start: 2, end: 6 })).toBe('2345');
  expect(store.requests).toHaveLength(1);
});

it('an object is read to the end of the body where the answer does not tell its length', async () => {
  answering({ status: 200, headers: { etag: '"e"' }, body: WHOLE });
  expect(await read()).toBe(WHOLE);
  expect(store.requests).toHaveLength(1);
});

it('an object is read on after its connection has broken off', async () => {
  answering({ ...cut, breaksOff: new Error('socket hang up') }, part(4, '456789'));
  expect(await read()).toBe(WHOLE);
});

it('an object is read however often its bodies end early, as long as each has a byte', async () => {
  const first = { ...whole, headers: { ...whole.headers, 'content-length': '30' }, body: '_' };
  answering(first, ...Array.from({ length: 29 }, (_, at) => part(at + 1, '_', 30)));
  expect(await read()).toBe('_'.repeat(30));
});

it.each([
  ['end', undefined, 'the body ended early several times in a row'],
  ['break off', new Error('a wire is loose'), 'a wire is loose'],
])(
  'an object is given up where eleven bodies one after the other %s without a byte',
  async (_, breaksOff, reason) => {
    const empty: Answer = { ...whole, body: '' };
    answering(breaksOff ? { ...empty, breaksOff } : empty);
    const failed = read();
    await expect(failed).rejects.toThrow(StorageError);
    await expect(failed).rejects.toThrow(`cannot read x in s3://bucket/a: ${reason}`);
    expect(store.requests).toHaveLength(11);
  },
);

it("a damaged object, unlike the store's checksum of it, is not read again", async () => {
  answering({ ...whole, headers: { ...whole.headers, 'x-amz-checksum-crc32': 'AAAAAA==' } });
  await expect(read()).rejects.toThrow(DamagedObjectError);
  expect(store.requests).toHaveLength(1);
});

it('an object is missing, replaced or out of reach', async () => {
  answering(refused(404, 'NoSuchKey'));
  await expect(read()).rejects.toThrow(ObjectNotFoundError);
  answering(cut, refused(412, 'PreconditionFailed'));
  await expect(read()).rejects.toThrow(ReplacedWhileReadError);
  answering(refused(403, 'AccessDenied'));
  await expect(read()).rejects.toThrow('cannot read x in s3://bucket/a: permission is denied');
});

it('an object is let go of where the store sends another part of it', async () => {
  answering(whole);
  await expect(read({ start: 4, end: 8 })).rejects.toThrow('another part');
  expect(store.bodies.map(({ destroyed }) => destroyed)).toEqual([true]);
  answering({ status: 206, headers: { etag: '"e"' }, body: '4567' });
  await expect(read({ start: 4, end: 8 })).rejects.toThrow('another part');
});

const object = (key: string, more = '<Size>1</Size>') =>
  `<Contents><Key>a/${key}</Key>${more}</Contents>`;
const page = (objects: string, token?: string): Answer => {
  const next = token ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
  const end = `<IsTruncated>${token !== undefined}</IsTruncated>${next}`;
  return { status: 200, body: `<Result><Name>bucket</Name>${objects}${end}</Result>` };
};
async function listed(prefix: string, after?: string) {
  const all = [];
  for await (const one of listS3Objects(store.bucket(), prefix, after)) all.push(one);
  return all;
}

it('a list of objects is asked for page by page, below a prefix, after a path', async () => {
  answering(page(object('tables/b'), 't'), page(object('tables/c')));
  const all = await listed('tables/', 'tables/a');
  expect(all.map(({ path }) => path)).toEqual(['tables/b', 'tables/c']);
  const asked = store.requests.map(({ query }) => [
    ...[query['prefix'], query['start-after'], query['continuation-token']],
  ]);
  expect(asked).toEqual([
    ['a/tables/', 'a/tables/a', undefined],
    ['a/tables/', 'a/tables/a', 't'],
  ]);
});

it('a list of objects begins with the first object, and may be empty', async () => {
  answering(page(''));
  expect(await listed('')).toEqual([]);
  expect(store.requests[0]?.query).not.toHaveProperty('start-after');
});

it("a list tells each object's length and second of writing, as a request for it does", async () => {
  const date = '<LastModified>2026-01-02T03:04:05.900Z</LastModified>';
  answering(page(object('one', `<Size>7</Size>${date}`) + object('two', '')));
  expect(await listed('')).toEqual([
    { path: 'one', bytes: 7, modifiedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5) },
    { path: 'two', bytes: 0, modifiedAtMs: 0 },
  ]);
});

it('a list of objects has no object that only shows an empty folder', async () => {
  answering(page(object('') + object('tables/') + object('tables/x')));
  expect((await listed('')).map(({ path }) => path)).toEqual(['tables/x']);
});

it('a list of objects says what cannot be listed', async () => {
  answering(refused(403, 'AccessDenied'));
  await expect(listed('')).rejects.toThrow('cannot list the objects in s3://bucket/a: ');
  await expect(listed('tables/')).rejects.toThrow('cannot list tables/ in s3://bucket/a: ');
});
