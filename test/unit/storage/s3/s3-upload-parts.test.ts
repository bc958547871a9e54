/** How the parts of an upload are sent: a few at a time, and what becomes of them where one fails or the upload is given up. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemProcesses } from '../../../../src/base/process-identity.js';
import { SpoolDirectory } from '../../../../src/storage/s3/s3-body.js';
import { MultipartUpload } from '../../../../src/storage/s3/s3-multipart.js';
import type { S3Options } from '../../../../src/storage/s3/s3-options.js';
import { UploadJournal } from '../../../../src/storage/s3/s3-uploads.js';
import { PathTakenError, StorageError } from '../../../../src/storage/storage-errors.js';
import { type Answer, S3InMemory } from '../../../support/store/s3-in-memory.js';

const PART = Buffer.alloc(8 * 1024 * 1024, 1);
const LAST = Buffer.from('the last part');
const KEY = 'a/tables/large';
const DENIED: Answer = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' };

let store: S3InMemory;
let temporary: string;

beforeEach(async () => {
  store = new S3InMemory();
  temporary = await mkdtemp(join(tmpdir(), 'jobvault-parts-'));
});
afterEach(() => rm(temporary, { recursive: true }));

function upload(options?: S3Options): MultipartUpload {
  const spool = new SpoolDirectory(systemProcesses, temporary);
  const journal = new UploadJournal(spool, systemProcesses, 'here');
  return new MultipartUpload(store.bucket(options), journal, 'tables/large', 0);
}

const count = (operation: string) => store.seen.filter((one) => one === operation).length;
const notes = async () => (await readdir(temporary, { recursive: true })).filter(isNote);
const isNote = (name: string) => name.endsWith('.upload');

/** Keeps the answers to an operation back. @returns what lets the oldest go */
function holding(operation: string): () => void {
  const held: (() => void)[] = [];
  store.onAnswer = (asked, answer) =>
    asked === operation ? new Promise((resolve) => held.push(() => resolve(answer))) : answer;
  return () => held.shift()?.();
}

/** Until so many requests of a kind were sent; more would be sent in the turns that follow. */
async function hasSent(operation: string, times: number): Promise<void> {
  while (count(operation) < times) await turn();
  for (let more = 0; more < 20; more++) await turn();
  expect(count(operation)).toBe(times);
}

it('an upload of less than one part is one request, and nothing of it is noted', async () => {
  const small = upload();
  await small.write(LAST);
  expect(store.seen).toEqual([]);
  await small.complete();
  expect(store.seen).toEqual(['PutObject']);
  expect(store.objects.get(KEY)?.bytes).toEqual(LAST);
});

it('an upload of less than one part takes the place of what is there, unless it must be the first', async () => {
  for (const text of ['one', 'two']) {
    const small = upload();
    await small.write(Buffer.from(text));
    await small.complete();
    expect(store.objects.get(KEY)?.bytes.toString()).toBe(text);
  }
});

it('an upload of nothing is an empty object', async () => {
  const empty = upload();
  await empty.write(Buffer.alloc(0));
  await empty.complete();
  expect(store.objects.get(KEY)?.bytes).toEqual(Buffer.alloc(0));
});

it('an upload of whole parts has no empty one', async () => {
  const whole = upload();
  await whole.write(PART);
  await whole.complete();
  expect(count('UploadPart')).toBe(1);
  expect(store.objects.get(KEY)?.bytes.equals(PART)).toBe(true);
});

it('an upload sends three parts at a time', async () => {
  const release = holding('UploadPart');
  const large = upload();
  const writing = (async () => {
    for (let part = 0; part < 5; part++) await large.write(PART);
  })();
  for (const sent of [3, 4, 5]) {
    await hasSent('UploadPart', sent);
    release();
  }
  release();
  release();
  await writing;
  await large.complete();
  expect(store.objects.get(KEY)?.bytes.byteLength).toBe(5 * PART.byteLength);
});

it('an upload is in order and complete where its first part was the last to be answered', async () => {
  let answerFirst = (): void => undefined;
  store.onAnswer = (asked, answer) => {
    if (asked === 'CompleteMultipartUpload') {
      // as a store that tells no checksum: only the ETag proves it
      const object = store.objects.get(KEY);
      if (object) store.objects.set(KEY, { ...object, checksum: undefined });
      return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
    }
    if (asked !== 'UploadPart' || count('UploadPart') > 1) return answer;
    return new Promise((resolve) => {
      answerFirst = () => resolve(answer);
    });
  };
  const one = upload();
  await one.write(Buffer.concat([PART, LAST]));
  const completing = one.complete();
  await hasSent('UploadPart', 2);
  answerFirst();
  await completing;
  // stores refuse parts in another order
  const completed = String(store.requests[store.seen.indexOf('CompleteMultipartUpload')]?.body);
  expect(completed).toMatch(/<PartNumber>1<.*<PartNumber>2</s);
  expect(store.objects.get(KEY)?.bytes.equals(Buffer.concat([PART, LAST]))).toBe(true);
});

it.each([
  [undefined, 'SHA256', 'COMPOSITE-SUMS'],
  [{ checksum: 'crc32' }, 'CRC32', undefined],
  [{ checksum: 'none' }, undefined, undefined],
] as const)(
  'an upload asks for the checksums that are chosen: %j',
  async (options, algorithm, sums) => {
    const one = upload(options);
    await one.write(Buffer.concat([PART, LAST]));
    await one.complete();
    const headers = store.requests.map((request) => request.headers);
    const created = headers[store.seen.indexOf('CreateMultipartUpload')];
    expect(created?.['x-amz-checksum-algorithm']).toBe(algorithm);
    const completed = String(store.requests[store.seen.indexOf('CompleteMultipartUpload')]?.body);
    expect(completed.includes('<ChecksumSHA256>')).toBe(sums !== undefined);
    expect(completed).toMatch(/<PartNumber>1<.*<PartNumber>2</s);
  },
);

it('an upload is noted on this machine until it is whole or given up', async () => {
  const done = upload();
  await done.write(PART);
  expect(await notes()).toHaveLength(1);
  await done.complete();
  expect(await notes()).toEqual([]);
  const given = upload();
  await given.write(PART);
  await given.abort();
  expect(await notes()).toEqual([]);
});

it('an upload is refused before its first part where objects are to be locked, and the bucket has no lock', async () => {
  const retainUntil = { untilMs: Date.UTC(2030, 0, 1) };
  const locked = upload({ objectLock: 'GOVERNANCE', retainUntil });
  await expect(locked.write(PART)).rejects.toThrow('the bucket has no object lock');
  expect(store.uploads).toEqual([]);
});

describe('an upload of which a part is refused', () => {
  /** All parts but the first. */
  const refusing = (): void => {
    store.onAnswer = (asked, answer) =>
      asked === 'UploadPart' && count('UploadPart') > 1 ? DENIED : answer;
  };
  const why = 'cannot write tables/large in s3://bucket/a: permission is denied';

  it('an upload of which a part is refused takes no more, and is not completed', async () => {
    refusing();
    const broken = upload();
    await broken.write(PART);
    await broken.write(PART);
    await hasSent('UploadPart', 2);
    await expect(broken.write(LAST)).rejects.toThrow(why);
    await expect(broken.write(PART)).rejects.toThrow(why);
    await expect(broken.complete()).rejects.toThrow(StorageError);
    expect(count('UploadPart')).toBe(2);
    expect(store.objects.size).toBe(0);
  });

  it('an upload of which a part is refused is not completed where it is the last one', async () => {
    refusing();
    const broken = upload();
    await broken.write(PART);
    await broken.write(LAST);
    await expect(broken.complete()).rejects.toThrow(why);
    expect(store.objects.size).toBe(0);
    await broken.abort();
    expect([store.uploads, await notes()]).toEqual([[], []]);
  });
});

describe('an upload that is given up', () => {
  it('before its first part asks for nothing', async () => {
    const given = upload();
    await given.write(LAST);
    await given.abort();
    expect(store.seen).toEqual([]);
  });

  it('an upload that is given up is gone once its parts have arrived, and is given up once', async () => {
    const release = holding('UploadPart');
    const given = upload();
    await given.write(PART);
    const aborting = given.abort();
    await hasSent('UploadPart', 1);
    expect(count('AbortMultipartUpload')).toBe(0);
    release();
    await aborting;
    await given.abort();
    expect(count('AbortMultipartUpload')).toBe(1);
    expect(store.uploads).toEqual([]);
  });

  it('an upload that is given up stays as it is once it was completed', async () => {
    const done = upload();
    await done.write(PART);
    await done.complete();
    await done.abort();
    expect(count('AbortMultipartUpload')).toBe(0);
    expect(store.objects.has(KEY)).toBe(true);
  });

  it('an upload that is given up can be given up although a part of it was refused, and once more where that was refused', async () => {
    const given = upload();
    await given.write(PART);
    store.onAnswer = (asked, answer) => (asked === 'AbortMultipartUpload' ? DENIED : answer);
    await expect(given.abort()).rejects.toThrow('cannot delete an unfinished upload');
    expect(await notes()).toHaveLength(1);
    store.onAnswer = (_, answer) => answer;
    await given.abort();
    expect(await notes()).toEqual([]);
  });
});

describe('an upload that must be the first', () => {
  const other = { bytes: LAST, etag: '"x"', putId: undefined, checksum: undefined };

  it('an upload that must be the first replaces none that stands there, also in a store that does not keep the condition', async () => {
    store.objects.set(KEY, other);
    const second = upload();
    await second.write(PART);
    store.onRequest = (_, { headers }) => {
      Reflect.deleteProperty(headers, 'if-none-match');
      return undefined;
    };
    await expect(second.complete('if-absent')).rejects.toThrow(PathTakenError);
    expect(store.objects.get(KEY)).toBe(other);
    await second.abort();
  });

  it('an upload that must be the first and is refused as taken is so, although what took its place has gone', async () => {
    const first = upload();
    await first.write(PART);
    store.onAnswer = (asked, answer) => {
      if (asked !== 'CompleteMultipartUpload') return answer;
      store.objects.clear();
      return { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' };
    };
    await expect(first.complete('if-absent')).rejects.toThrow(PathTakenError);
  });

  it('an upload that must be the first is not put where the store does not tell whether there is one', async () => {
    const first = upload();
    await first.write(PART);
    store.onRequest = (asked) => (asked === 'HeadObject' ? { status: 403 } : undefined);
    const why = 'cannot write tables/large in s3://bucket/a: ';
    await expect(first.complete('if-absent')).rejects.toThrow(why);
    expect([store.objects.size, count('CompleteMultipartUpload')]).toEqual([0, 0]);
    await first.abort();
  });
});

it('an upload is known by its checksum where the store gives ETags of its own, as with keys of a customer', async () => {
  const one = upload();
  await one.write(PART);
  store.onAnswer = (asked, answer) => {
    const object = store.objects.get(KEY);
    if (asked !== 'CompleteMultipartUpload' || !object) return answer;
    store.objects.set(KEY, { ...object, etag: '"of its own"' });
    return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
  };
  await one.complete();
  const asked = store.requests[store.seen.indexOf('HeadObject')];
  expect(asked?.headers['x-amz-checksum-mode']).toBe('ENABLED');
});

async function refusedBy(operation: string, refusal: Answer): Promise<void> {
  const one = upload();
  await one.write(PART);
  store.onAnswer = (asked, answer) => {
    if (asked === 'CompleteMultipartUpload' && operation !== asked) {
      return {
        ...answer,
        body: String(answer.body).replace(/<ChecksumSHA256>.*<\/ChecksumSHA256>/, ''),
      };
    }
    return asked === operation ? refusal : answer;
  };
  await one.complete();
}

it('an upload whose completion is refused has failed', async () => {
  const why = 'cannot write tables/large in s3://bucket/a: permission is denied';
  await expect(refusedBy('CompleteMultipartUpload', DENIED)).rejects.toThrow(why);
  expect(count('HeadObject')).toBe(0);
});

it('an upload that the store does not begin has failed', async () => {
  store.onRequest = (asked) => (asked === 'CreateMultipartUpload' ? DENIED : undefined);
  const why = 'cannot write tables/large in s3://bucket/a: permission is denied';
  await expect(upload().write(PART)).rejects.toThrow(why);
});

it('an upload whose completion was lost, and cannot be looked at, has failed for that', async () => {
  const one = upload();
  await one.write(PART);
  store.onAnswer = (asked, answer) => {
    if (asked === 'HeadObject') return { status: 403 };
    if (asked !== 'CompleteMultipartUpload') return answer;
    return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
  };
  await expect(one.complete()).rejects.toThrow('in s3://bucket/a: permission is denied');
});

it('an upload whose completion cannot be looked at has failed, and so has one after which there is nothing', async () => {
  const denied = refusedBy('HeadObject', { status: 403 });
  await expect(denied).rejects.toThrow('cannot write tables/large in s3://bucket/a: ');
  const gone = refusedBy('HeadObject', { status: 404 });
  await expect(gone).rejects.toThrow('cannot write tables/large in s3://bucket/a: it is not there');
});
