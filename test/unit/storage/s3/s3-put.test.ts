import { expect, it } from 'vitest';
import { putS3ObjectIf } from '../../../../src/storage/s3/s3-objects.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { cutOff, S3InMemory } from '../../../support/store/s3-in-memory.js';
import { fault } from '../../../support/base/fault.js';

const OURS = Buffer.from('ours');

function store(): { store: S3InMemory; putIf: (bytes?: Uint8Array) => Promise<boolean> } {
  const made = new S3InMemory();
  const bucket = made.bucket();
  return {
    store: made,
    putIf: (bytes = OURS) => putS3ObjectIf(bucket, 'once', bytes, 'absent'),
  };
}

/** The store has an object of our own put already when it refuses the first request that we know of. */
function repeatedByProxy({ store: place }: ReturnType<typeof store>, keepsMetadata = true): void {
  place.onAnswer = (operation, answer) => {
    if (operation !== 'PutObject' || answer.status !== 200) return answer;
    if (!keepsMetadata) strip(place);
    return { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' };
  };
}

function strip(place: S3InMemory): void {
  for (const [key, object] of place.objects)
    place.objects.set(key, { ...object, putId: undefined });
}

it(
  'a put under a condition has succeeded where only its answer was lost',
  fault('F-88'),
  async () => {
    const rig = store();
    let lost = 0;
    rig.store.onAnswer = (operation, answer) =>
      operation === 'PutObject' && lost++ === 0 ? cutOff() : answer;
    expect(await rig.putIf()).toBe(true);
    expect(rig.store.seen).toEqual(['PutObject', 'PutObject', 'HeadObject']);
  },
);

it(
  'a put under a condition has succeeded where a proxy has sent it twice, and the second was refused',
  fault('F-88'),
  async () => {
    const rig = store();
    repeatedByProxy(rig);
    expect(await rig.putIf()).toBe(true);
  },
);

it('a put under a condition has succeeded where the store has dropped the mark of the writer and has our bytes', async () => {
  const rig = store();
  repeatedByProxy(rig, false);
  expect(await rig.putIf()).toBe(true);
});

it('a put under a condition has failed where another writer has put the same bytes', async () => {
  const rig = store();
  expect(await rig.putIf()).toBe(true);
  expect(await rig.putIf()).toBe(false);
});

it.each(['ouch', 'longer'])(
  'a put under a condition has failed where an object without a mark holds %j',
  async (text) => {
    const rig = store();
    await rig.putIf(Buffer.from(text));
    strip(rig.store);
    expect(await rig.putIf()).toBe(false);
  },
);

it('a put under a condition has failed where the object that was in its way is gone', async () => {
  const rig = store();
  await rig.putIf();
  rig.store.onAnswer = (operation, answer) =>
    operation === 'HeadObject' ? { status: 404 } : answer;
  expect(await rig.putIf()).toBe(false);
});

it('a put under a condition is unknown, which is an error, where the object cannot be looked at', async () => {
  const rig = store();
  await rig.putIf();
  rig.store.onAnswer = (operation, answer) =>
    operation === 'HeadObject' ? { status: 403 } : answer;
  const put = rig.putIf();
  await expect(put).rejects.toThrow(StorageError);
  await expect(put).rejects.toThrow('cannot write once in s3://bucket/a');
});
