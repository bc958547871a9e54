/** A store whose clock is a day from this machine's: what it answers is told at once, and what it refuses goes on. */
import { describe, expect, it } from 'vitest';
import { jitteredRetries } from '../../../../src/storage/s3/s3-retries.js';
import { readS3Object } from '../../../../src/storage/s3/s3-objects.js';
import { bodyOf, putS3ObjectIf } from '../../../../src/storage/s3/s3-put.js';
import { type Answer, S3InMemory } from '../../../support/store/s3-in-memory.js';
import { HeadObjectCommand } from '@aws-sdk/client-s3';

const DAY_MS = 86_400_000;

function elsewhen(refusesSkew = false): S3InMemory {
  const store = new S3InMemory();
  store.nowMs -= DAY_MS;
  store.refusesSkew = refusesSkew;
  return store;
}

async function read(bucket: ReturnType<S3InMemory['bucket']>, path = 'x'): Promise<void> {
  for await (const chunk of readS3Object(bucket, path)) expect(chunk).toBeDefined();
}

describe('a definite answer of a store with another clock', () => {
  it.each<[string, number]>([
    ['NoSuchKey', 404],
    ['NoSuchBucket', 404],
    ['NoSuchUpload', 404],
    ['NotFound', 404],
    ['PreconditionFailed', 412],
    ['InvalidRange', 416],
    ['MethodNotAllowed', 405],
    ['NotImplemented', 501],
  ])('%s is not asked for again', async (code, status) => {
    const store = elsewhen();
    const answer: Answer = { status, body: `<Error><Code>${code}</Code></Error>` };
    store.onAnswer = () => answer;
    await read(store.bucket()).catch(() => undefined);
    expect(store.seen).toEqual(['GetObject']);
  });

  it('that an object is not there, to a HEAD without a body, is not asked for again', async () => {
    const store = elsewhen();
    const bucket = store.bucket();
    const head = bucket.client.send(new HeadObjectCommand(bucket.objectAt('x')));
    await expect(head).rejects.toMatchObject({ name: 'NotFound' });
    expect(store.seen).toEqual(['HeadObject']);
  });

  it.each(['SlowDown', 'InternalError', 'ConditionalRequestConflict'])(
    'does not end what passes: %s',
    async (code) => {
      const store = elsewhen();
      const status = code === 'ConditionalRequestConflict' ? 409 : 503;
      let asked = 0;
      store.onAnswer = (_operation, answer) =>
        asked++ < 3 ? { status, body: `<Error><Code>${code}</Code></Error>` } : answer;
      expect(await putS3ObjectIf(store.bucket(), 'x', bodyOf(Buffer.from('x')), 'absent')).toBe(
        true,
      );
      expect(asked).toBeGreaterThan(3);
    },
  );
});

describe('a store that refuses requests by another clock', () => {
  it('is asked once more by its own clock, and then always by that', async () => {
    const store = elsewhen(true);
    const bucket = store.bucket();
    for (const path of ['one', 'two']) {
      expect(await putS3ObjectIf(bucket, path, bodyOf(Buffer.from(path)), 'absent')).toBe(true);
    }
    expect(store.seen).toEqual(['PutObject', 'PutObject', 'PutObject']);
    await expect(read(bucket, 'three')).rejects.toThrow();
    expect(store.seen.slice(3)).toEqual(['GetObject']);
  });

  it('is asked once more also where only the status of its refusal tells', async () => {
    const store = elsewhen(true);
    const bucket = store.bucket();
    const head = bucket.client.send(new HeadObjectCommand(bucket.objectAt('x')));
    await expect(head).rejects.toMatchObject({ name: 'NotFound' });
    expect(store.seen).toEqual(['HeadObject', 'HeadObject']);
  });

  it('and refuses them again is not asked a third time', async () => {
    const store = elsewhen(true);
    store.onAnswer = () => ({
      status: 403,
      body: '<Error><Code>RequestTimeTooSkewed</Code></Error>',
    });
    await expect(read(store.bucket())).rejects.toThrow(
      "this machine's clock is wrong (RequestTimeTooSkewed, 2 attempts)",
    );
    expect(store.seen).toHaveLength(2);
  });

  it('is asked once more also after an outage', async () => {
    const error = (name: string, status: number, clockSkewCorrected?: true) => ({
      error: Object.assign(new Error(name), {
        name,
        $metadata: { httpStatusCode: status, clockSkewCorrected },
      }),
      errorType: 'TRANSIENT',
    });
    const random = { fraction: () => 0.5, bytes: (length: number) => new Uint8Array(length) };
    const strategy = jitteredRetries(random, { monotonic: () => 0 });
    const refused = error('RequestTimeTooSkewed', 403, true);
    let token = await strategy.acquireInitialRetryToken();
    for (const failed of [error('SlowDown', 503), refused, error('SlowDown', 503, true)]) {
      token = await strategy.refreshRetryTokenForRetry(token, failed);
    }
    expect(token.getRetryCount()).toBe(3);
    await expect(strategy.refreshRetryTokenForRetry(token, refused)).rejects.toThrow();
  });
});
