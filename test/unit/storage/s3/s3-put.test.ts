/** How an object is put in one request: what is sent, what is sent again, and whether a lost answer was a success. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemRandom } from '../../../../src/base/runtime.js';
import type { S3Options } from '../../../../src/storage/s3/s3-options.js';
import {
  bodyOf,
  MAX_PUT_BYTES,
  type PutBody,
  putS3Object,
  putS3ObjectIf,
} from '../../../../src/storage/s3/s3-put.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { pattern } from '../../../conformance/storage-bytes.js';
import { type Answer, cutOff, S3InMemory } from '../../../support/store/s3-in-memory.js';
import { fault } from '../../../support/base/fault.js';

const OURS = Buffer.from('ours');

let store: S3InMemory;
beforeEach(() => {
  store = new S3InMemory();
  // no wait between two attempts
  vi.spyOn(systemRandom, 'fraction').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const putIf = (bytes: Uint8Array = OURS) =>
  putS3ObjectIf(store.bucket(), 'once', bodyOf(bytes), 'absent');

/** The store has an object of our own put already when it refuses the first request that we know of. */
function repeatedByProxy(keepsMetadata = true): void {
  store.onAnswer = (operation, answer) => {
    if (operation !== 'PutObject' || answer.status !== 200) return answer;
    if (!keepsMetadata) strip();
    return { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' };
  };
}

function strip(): void {
  for (const [key, object] of store.objects)
    store.objects.set(key, { ...object, putId: undefined });
}

/** Of the requests so far, in order. */
const sent = (header: string) => store.requests.map(({ headers }) => headers[header]);

const refused = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code></Error>`,
});

it(
  'a put under a condition has succeeded where only its answer was lost',
  fault('F-88'),
  async () => {
    let lost = 0;
    store.onAnswer = (operation, answer) =>
      operation === 'PutObject' && lost++ === 0 ? cutOff() : answer;
    expect(await putIf()).toBe(true);
    expect(store.seen).toEqual(['PutObject', 'PutObject', 'HeadObject']);
  },
);

it(
  'a put has succeeded where a proxy has sent it twice, and the second was refused',
  fault('F-88'),
  async () => {
    repeatedByProxy();
    expect(await putIf()).toBe(true);
  },
);

it("a put succeeded where the store dropped the writer's mark and has our bytes", async () => {
  repeatedByProxy(false);
  expect(await putIf()).toBe(true);
});

it('a put under a condition has failed where another writer has put the same bytes', async () => {
  expect(await putIf()).toBe(true);
  expect(await putIf()).toBe(false);
});

it.each(['ouch', 'longer'])(
  'a put under a condition has failed where an object without a mark holds %j',
  async (text) => {
    await putIf(Buffer.from(text));
    strip();
    expect(await putIf()).toBe(false);
  },
);

it('a put under a condition has failed where the object that was in its way is gone', async () => {
  await putIf();
  store.onAnswer = (operation, answer) => (operation === 'HeadObject' ? { status: 404 } : answer);
  expect(await putIf()).toBe(false);
});

it('a put is unknown, which is an error, where the object cannot be looked at', async () => {
  await putIf();
  store.onAnswer = (operation, answer) => (operation === 'HeadObject' ? { status: 403 } : answer);
  const put = putIf();
  await expect(put).rejects.toThrow(StorageError);
  await expect(put).rejects.toThrow('cannot write once in s3://bucket/a');
});

const BYTES = Buffer.from('bytes');
const etagOf = () => store.objects.get('a/x')?.etag ?? '';

it('a put sends the bytes with their length and checksum', async () => {
  await putS3Object(store.bucket(), 'x', bodyOf(BYTES));
  expect(store.objects.get('a/x')).toMatchObject({ bytes: BYTES, putId: undefined });
  await putS3ObjectIf(store.bucket(), 'y', bodyOf(BYTES), 'absent');
  expect(sent('content-length')).toEqual(['5', '5']);
  const sum = createHash('sha256').update(BYTES).digest('base64');
  expect(sent('x-amz-checksum-sha256')).toEqual([sum, sum]);
});

it('a put replaces the object that has the given ETag, and no other one', async () => {
  await putS3Object(store.bucket(), 'x', bodyOf(Buffer.from('before')));
  const ifMatch = etagOf();
  expect(await putS3ObjectIf(store.bucket(), 'x', bodyOf(BYTES), { ifMatch })).toBe(true);
  expect(store.objects.get('a/x')?.bytes).toEqual(BYTES);
  expect(await putS3ObjectIf(store.bucket(), 'x', bodyOf(Buffer.from('late')), { ifMatch })).toBe(
    false,
  );
  expect(store.objects.get('a/x')?.bytes).toEqual(BYTES);
});

it('a put replaces nothing where there is no object any more', async () => {
  const ifMatch = '"gone"';
  expect(await putS3ObjectIf(store.bucket(), 'x', bodyOf(BYTES), { ifMatch })).toBe(false);
  expect(store.seen).toEqual(['PutObject']);
});

it('a put fails where the store refuses it otherwise, also for a bucket that is not there', async () => {
  store.onAnswer = () => refused(403, 'AccessDenied');
  const why = 'cannot write x in s3://bucket/a: permission is denied';
  await expect(putS3Object(store.bucket(), 'x', bodyOf(BYTES))).rejects.toThrow(why);
  for (const condition of ['absent', { ifMatch: '"e"' }] as const) {
    await expect(putS3ObjectIf(store.bucket(), 'x', bodyOf(BYTES), condition)).rejects.toThrow(why);
  }
  store.onAnswer = () => refused(404, 'NoSuchBucket');
  await expect(putS3ObjectIf(store.bucket(), 'x', bodyOf(BYTES), 'absent')).rejects.toThrow(
    StorageError,
  );
});

it('a put failed where the markless object in its way is gone before it was read', async () => {
  await putS3Object(store.bucket(), 'x', bodyOf(BYTES));
  store.onAnswer = (operation, answer) =>
    operation === 'GetObject' ? refused(404, 'NoSuchKey') : answer;
  expect(await putS3ObjectIf(store.bucket(), 'x', bodyOf(BYTES), 'absent')).toBe(false);
  expect(store.seen).toEqual(['PutObject', 'PutObject', 'HeadObject', 'GetObject']);
});

it('a put is refused where its objects are to be locked, and the bucket has no lock', async () => {
  const until = { untilMs: Date.UTC(2030, 0, 1) };
  const options: S3Options = { objectLock: 'GOVERNANCE', retainUntil: until };
  const why = 'cannot lock objects in s3://bucket/a: the bucket has no object lock';
  await expect(putS3Object(store.bucket(options), 'x', bodyOf(BYTES))).rejects.toThrow(why);
  const put = putS3ObjectIf(store.bucket(options), 'x', bodyOf(BYTES), 'absent');
  await expect(put).rejects.toThrow(why);
  expect(store.objects.size).toBe(0);
});

const LARGE = pattern(3_000_000);

/** Bytes that are read again for each attempt. */
function streamed(bytes: Buffer = LARGE) {
  const counts = { opened: 0, closed: 0 };
  const content = async function* () {
    counts.opened++;
    try {
      for (let at = 0; at < bytes.length; at += 65_536) {
        await Promise.resolve();
        yield bytes.subarray(at, at + 65_536);
      }
    } finally {
      counts.closed++;
    }
  };
  const body: PutBody = { ...bodyOf(bytes), content };
  return { body, counts };
}

it.each([{}, { checksum: 'crc32' }, { checksum: 'none' }] as const)(
  'a body from a file goes in one request, as the SDK sends one of memory: %j',
  async (options) => {
    await putS3Object(store.bucket(options), 'x', streamed().body);
    await putS3Object(store.bucket(options), 'x', bodyOf(LARGE));
    expect(store.objects.get('a/x')?.bytes.equals(LARGE)).toBe(true);
    expect(store.seen).toEqual(['PutObject', 'PutObject']);
    const [fromFile, inMemory] = store.requests.map(({ headers }) =>
      Object.fromEntries(
        Object.entries(headers).filter(([name]) => /^content|^x-amz-(c|s)/.test(name)),
      ),
    );
    expect(fromFile).toEqual(inMemory);
    const names = Object.keys(fromFile ?? {});
    expect(names).toContain('x-amz-content-sha256');
    expect(names.some((name) => name.startsWith('x-amz-checksum-'))).toBe(
      !('checksum' in options) || options.checksum !== 'none',
    );
  },
);

it.each([
  ['is refused for a moment', () => refused(503, 'SlowDown')],
  ['has no answer', cutOff],
])(
  'a body that is read from a file is sent from its beginning where a request %s',
  async (_, fail) => {
    let asked = 0;
    store.onAnswer = (__, answer) => (++asked <= 2 ? fail() : answer);
    const { body, counts } = streamed();
    await putS3Object(store.bucket(), 'x', body);
    expect(store.objects.get('a/x')?.bytes.equals(LARGE)).toBe(true);
    expect([store.seen.length, counts]).toEqual([3, { opened: 3, closed: 3 }]);
  },
);

it('a body that is read from a file is closed where a request ends before it was read', async () => {
  let asked = 0;
  store.onRequest = () => (++asked === 1 ? refused(500, 'InternalError') : undefined);
  store.readsBodies = false;
  const { body, counts } = streamed();
  await putS3Object(store.bucket(), 'x', body);
  expect(counts.closed).toBe(counts.opened);
});

it('a body that is read from a file is put as the first one, or not at all', async () => {
  const put = () => putS3ObjectIf(store.bucket(), 'x', streamed().body, 'absent');
  expect([await put(), await put()]).toEqual([true, false]);
  store.onAnswer = (operation, answer) => {
    if (operation !== 'PutObject') return answer;
    strip();
    return refused(412, 'PreconditionFailed');
  };
  expect(await put()).toBe(true);
  const other = streamed(Buffer.alloc(LARGE.length)).body;
  expect(await putS3ObjectIf(store.bucket(), 'x', other, 'absent')).toBe(false);
});

it('a body that is read from a file and cannot be read has failed for that, at once', async () => {
  const content = async function* () {
    await Promise.resolve();
    yield LARGE.subarray(0, 10);
    throw new StorageError('cannot read data that waits to be uploaded');
  };
  const put = putS3Object(store.bucket(), 'x', { ...bodyOf(LARGE), content });
  await expect(put).rejects.toThrow('cannot read data that waits to be uploaded');
  expect([store.seen.length, store.objects.size]).toEqual([1, 0]);
});

it('a body that the store says to have with another checksum is sent again', async () => {
  let asked = 0;
  store.onAnswer = (_, answer) => {
    const headers = { ...answer.headers, 'x-amz-checksum-sha256': `${'A'.repeat(43)}=` };
    return ++asked === 1 ? { ...answer, headers } : answer;
  };
  await putS3Object(store.bucket(), 'x', streamed().body);
  expect(store.seen).toEqual(['PutObject', 'PutObject']);
});

it('a body may take as long as a slow line needs, beyond the time for an answer', async () => {
  await putS3Object(store.bucket(), 'x', { ...streamed().body, bytes: 2 ** 30 });
  expect(store.timeoutsMs).toEqual([300_000 + 2 ** 30 / 125]);
});

it('a body of more than 5 GiB is refused before anything is sent', async () => {
  const body = { ...streamed().body, bytes: MAX_PUT_BYTES + 1 };
  const put = putS3Object(store.bucket(), 'x', body);
  await expect(put).rejects.toMatchObject({
    message:
      'cannot write x in s3://bucket/a: it has 5.4 GB, and a bucket takes at most 5.4 GB (5 GiB) in one object',
    trouble: 'size',
  });
  expect(store.seen).toEqual([]);
});
