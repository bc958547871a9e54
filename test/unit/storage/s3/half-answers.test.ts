/** Answers of a store with status 200 or 206 that hold less than they say, or something else than was asked for. */
import { describe, expect, it } from 'vitest';
import { systemProcesses } from '../../../../src/base/process-identity.js';
import { SpoolDirectory } from '../../../../src/storage/s3/spool-directory.js';
import type { S3Options } from '../../../../src/storage/s3/s3-options.js';
import { S3Storage } from '../../../../src/storage/s3/s3-storage.js';
import type { ByteRange } from '../../../../src/storage/storage.js';
import { listS3Objects, readS3Object } from '../../../../src/storage/s3/s3-objects.js';
import { type Answer, S3InMemory } from '../../../support/store/s3-in-memory.js';
import { fault } from '../../../support/base/fault.js';

/** A store whose answers, whatever is asked, are these in turn; the last one again and again. */
function answering(...answers: readonly Answer[]): S3InMemory {
  const store = new S3InMemory();
  let asked = 0;
  store.onAnswer = () => answers[Math.min(asked++, answers.length - 1)] as Answer;
  return store;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

function page(key: string, more: string): Answer {
  const object = `<Contents><Key>a/${key}</Key><Size>1</Size></Contents>`;
  return { status: 200, body: `<Result><Name>bucket</Name>${object}${more}</Result>` };
}

const TRUNCATED = '<IsTruncated>true</IsTruncated>';
const END = '<IsTruncated>false</IsTruncated>';

describe('half answers', () => {
  const next = (token: string) =>
    `${TRUNCATED}<NextContinuationToken>${token}</NextContinuationToken>`;
  const listed = async (store: S3InMemory) =>
    (await all(listS3Objects(store.bucket(), ''))).map(({ path }) => path);

  it('a list that goes on and does not say where is asked for again', async () => {
    const store = answering(page('one', TRUNCATED), page('one', next('t')), page('two', END));
    expect(await listed(store)).toEqual(['one', 'two']);
  });

  it('a list that goes on where it began is asked for again', async () => {
    const store = answering(page('one', next('t')), page('two', next('t')), page('two', END));
    expect(await listed(store)).toEqual(['one', 'two']);
  });

  it('a list that says where it goes on, and not that it does, is read on', async () => {
    const unsaid = '<NextContinuationToken>t</NextContinuationToken>';
    expect(await listed(answering(page('one', unsaid), page('two', END)))).toEqual(['one', 'two']);
    const same = answering(page('one', END + unsaid), page('two', END + unsaid));
    expect(await listed(same)).toEqual(['one', 'two']);
    const silent = answering(page('one', unsaid), page('two', unsaid));
    expect(await listed(silent)).toEqual(['one', 'two']);
  });

  it('a list that has fewer objects than it says is asked for again', fault('F-142'), async () => {
    const counted = (count: number) => `<KeyCount>${count}</KeyCount>${END}`;
    const store = answering(page('one', counted(2)), page('one', counted(1)));
    expect(await listed(store)).toEqual(['one']);
    expect(store.requests).toHaveLength(2);
    const short = answering(page('one', counted(3))).bucket({ maxAttempts: 2 });
    await expect(all(listS3Objects(short, ''))).rejects.toThrow('cannot list the objects');
  });
});

/** Nothing here is large enough to wait on this machine. */
function storageOf(store: S3InMemory, options: S3Options = {}): S3Storage {
  return new S3Storage(store.bucket(options), new SpoolDirectory(systemProcesses));
}

describe('half answers', () => {
  const page = { status: 200, body: '<html>Sign in</html>' };
  const old = { age: '7' };

  it.each([
    ['of a get', 'GetObject', (storage: S3Storage) => storage.get('x'), Buffer.from('new')],
    ['of a head', 'HeadObject', (storage: S3Storage) => storage.stat('x'), { bytes: 3 }],
  ] as const)(
    'an answer from the memory of a cache %s is asked for again, also "not found"',
    fault('F-108'),
    async (_, operation, ask, found) => {
      const store = new S3InMemory();
      const storage = storageOf(store);
      await storage.put('x', Buffer.from('new'));
      let asked = 0;
      store.onAnswer = (of, answer) => {
        if (of !== operation) return answer;
        asked++;
        if (asked === 1) return { status: 404, headers: old };
        return asked === 2 ? { ...answer, headers: { ...answer.headers, ...old } } : answer;
      };
      expect(await ask(storage)).toMatchObject(found);
      expect(asked).toBe(3);
    },
  );

  it(
    'an answer from the memory of a cache is refused where none other comes',
    fault('F-108'),
    async () => {
      const store = new S3InMemory();
      store.onAnswer = () => ({ status: 404, headers: { 'x-cache': 'HIT from squid' } });
      await expect(storageOf(store).get('x')).rejects.toMatchObject({
        name: 'StorageError',
        trouble: 'front',
        message: expect.stringMatching(
          /a cache in front of the store answers from its memory/,
        ) as string,
      });
      expect(store.seen).toHaveLength(4);
    },
  );

  it(
    "an answer from a cache's memory is not asked for: every reading request says so",
    fault('F-108'),
    async () => {
      const store = new S3InMemory();
      const storage = storageOf(store);
      await storage.put('x', Buffer.from('new'));
      await storage.get('x');
      await storage.stat('x');
      const told = store.requests.map(({ headers }) => headers['cache-control']);
      expect(told).toEqual([undefined, ...Array<string>(2).fill('no-cache, no-store')]);
    },
  );

  it("an answer from the memory of a cache of a proxy's own, to a deletion, is asked for again", async () => {
    const store = new S3InMemory();
    const storage = storageOf(store);
    await storage.put('x', Buffer.from('new'));
    let asked = 0;
    store.onAnswer = (of, answer) => (of === 'DeleteObject' && ++asked === 1 ? page : answer);
    await storage.delete('x');
    expect(asked).toBe(2);
  });
});

describe('half answers', () => {
  const WHOLE = '0123456789';
  const part = (from: number, text: string, announced = text.length): Answer => ({
    status: 206,
    headers: {
      etag: '"e"',
      'content-length': String(announced),
      'content-range': `bytes ${from}-${from + announced - 1}/${WHOLE.length}`,
    },
    body: text,
  });
  const whole: Answer = {
    status: 200,
    headers: { etag: '"e"', 'content-length': String(WHOLE.length) },
    body: WHOLE,
  };
  const cut: Answer = { ...whole, body: '0123' };
  const read = async (store: S3InMemory, range?: ByteRange) =>
    Buffer.concat(await all(readS3Object(store.bucket(), 'x', range))).toString();

  it('a range is read on where a body was shorter than its length', async () => {
    expect(await read(answering(cut, part(4, '456789')))).toBe(WHOLE);
  });

  it('a range that was answered with the whole object is refused', async () => {
    const range = { start: 4, end: 8 };
    await expect(read(answering(whole), range)).rejects.toThrow('another part');
    await expect(read(answering(cut, whole))).rejects.toThrow('another part');
  });

  it('a range of which only the beginning was sent is read on', async () => {
    const store = answering(part(2, '23'), part(4, '45'));
    expect(await read(store, { start: 2, end: 6 })).toBe('2345');
  });

  it('a range ends with the object', async () => {
    expect(await read(answering(part(8, '89')), { start: 8, end: 20 })).toBe('89');
    expect(await read(answering({ status: 416 }), { start: 30, end: 40 })).toBe('');
  });

  it('a range that the store takes for one after the end, inside the object, is refused', async () => {
    await expect(read(answering(cut, { status: 416 }))).rejects.toThrow(
      'cannot read the rest of x',
    );
  });
});

it('an object moved by a lifecycle rule out of reach is neither missing nor damaged', async () => {
  const refusal = '<Error><Code>InvalidObjectState</Code><Message>not valid</Message></Error>';
  const store = answering({ status: 403, body: refusal });
  await expect(all(readS3Object(store.bucket(), 'x'))).rejects.toThrow(
    'cannot read x in s3://bucket/a: it lies in a storage class that must be restored before it can be read (InvalidObjectState)',
  );
});
