/** S3 at its worst: errors, throttling, errors that say 200, cut connections, refusals, writers that died. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemProcesses } from '../../src/base/process-identity.js';
import { createS3Storage } from '../../src/storage/s3/s3-storage.js';
import { StorageError } from '../../src/storage/storage-errors.js';
import type { Storage } from '../../src/storage/storage.js';
import { collect, expectSame, pathsOf, pattern } from '../conformance/storage-bytes.js';
import { startFlakyS3, type FlakyS3, type S3Fault } from '../support/store/flaky-s3.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';
import { fault } from '../support/base/fault.js';

const FAULTS: readonly S3Fault[] = [
  ...(['internal-error', 'slow-down', 'error-with-200', 'cut-request', 'cut-answer'] as const),
];

describe.skipIf(!hasS3)('a storage on S3', () => {
  let bucket: TestBucket;
  let flaky: FlakyS3;
  let temporary: string;
  let storage: Storage;

  beforeEach(async () => {
    bucket = await TestBucket.make();
    flaky = await startFlakyS3(bucket.endpoint);
    temporary = await mkdtemp(join(tmpdir(), 'jobvault-faults-'));
    storage = open();
  });
  afterEach(async () => {
    await storage.close();
    await flaky[Symbol.asyncDispose]();
    await bucket[Symbol.asyncDispose]();
    await rm(temporary, { recursive: true });
  });

  function open(options: Partial<Parameters<typeof createS3Storage>[0]> = {}): Storage {
    const { endpoint } = flaky;
    const location = `s3://${bucket.name}/a`;
    return createS3Storage({ location, endpoint, forcePathStyle: true, temporary, ...options });
  }

  /** Files that wait on this machine. */
  async function spooled(): Promise<string[]> {
    const names = await readdir(temporary, { recursive: true });
    return names.filter((name) => name.includes('/'));
  }

  it.each(FAULTS)(
    'rides out %s in every operation, and everything is as it was written',
    fault('F-31', 'F-88'),
    async (fault) => {
      // every other request, so that none meets it twice in a row for long
      flaky.faultOf = (index) => (index % 2 === 0 ? fault : undefined);
      const small = pattern(100_000);
      const large = pattern(18_000_000);
      await storage.put('small', small);
      expect(await storage.putIfAbsent('once', small)).toBe(true);
      expect(await storage.putIfAbsent('once', pattern(7))).toBe(false);
      expect(await storage.compareAndSwap('once', small, pattern(8))).toBe(true);
      const staged = await storage.stage();
      await staged.write(large);
      await staged.close();
      await staged.publish('tables/large');
      expectSame(await storage.get('small'), small);
      expectSame(await collect(storage.read('tables/large')), large);
      const range = { start: 1_000_000, end: 9_000_000 };
      expectSame(
        await collect(storage.read('tables/large', range)),
        large.subarray(range.start, range.end),
      );
      expect(await storage.stat('small')).toMatchObject({ bytes: small.length });
      expect(await pathsOf(storage, '')).toEqual(['once', 'small', 'tables/large']);
      await storage.delete('small');
      expect(await storage.stat('small')).toBeUndefined();
      expect(await spooled()).toEqual([]);
    },
  );

  it(
    'has put its object where a proxy has sent the request twice, and lost only a race of two',
    fault('F-88'),
    async () => {
      flaky.faultOf = (_index, { method }) => (method === 'PUT' ? 'sent-twice' : undefined);
      expect(await storage.putIfAbsent('once', pattern(6))).toBe(true);
      expect(await storage.putIfAbsent('once', pattern(6))).toBe(false);
      expect(await storage.compareAndSwap('once', pattern(6), pattern(8))).toBe(true);
      expect(await storage.compareAndSwap('once', pattern(6), pattern(9))).toBe(false);
      expectSame(await storage.get('once'), pattern(8));
    },
  );

  it(
    'leaves no upload of a killed process on this machine once the next one has swept',
    fault('F-31'),
    async () => {
      const dying = open();
      const staged = await dying.stage();
      await staged.write(pattern(18_000_000));
      expect(await storage.sweep()).toBe(0); // it lives
      expect(await spooled()).toHaveLength(1);
      const next = open({ processes: { self: systemProcesses.self, isDead: () => true } });
      expect(await next.sweep()).toBe(1);
      expect(await spooled()).toEqual([]);
      await next.close();
      await dying.close();
    },
  );

  it('counts what waits on this machine since before its last start, and removes it after a day', async () => {
    const earlier = { ...systemProcesses.self, boot: 'an earlier one' };
    const dying = open({ processes: { ...systemProcesses, self: earlier } });
    const staged = await dying.stage();
    await staged.write(pattern(2_000_000));
    expect([await storage.sweep(), await storage.stagedElsewhere?.()]).toEqual([0, 1]);
    const [file = ''] = await spooled();
    const old = Date.now() / 1000 - 25 * 3600;
    await utimes(join(temporary, file), old, old);
    expect([await storage.sweep(), await storage.stagedElsewhere?.()]).toEqual([1, 0]);
    await dying.close();
  });

  it('gives up at once on what is refused for good, naming bucket and action, without a secret', async () => {
    const secret = process.env['AWS_SECRET_ACCESS_KEY'] ?? '';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'canary-secret';
    const refused = open();
    const error: unknown = await refused.put('x', pattern(3)).catch((thrown: unknown) => thrown);
    process.env['AWS_SECRET_ACCESS_KEY'] = secret;
    expect(error).toBeInstanceOf(StorageError);
    expect((error as Error).message).toBe(
      `cannot write x in s3://${bucket.name}/a: the secret key does not match the access key (SignatureDoesNotMatch)`,
    );
    expect(String((error as Error).cause) + JSON.stringify(error)).not.toContain('canary');
    expect(flaky.seen).toHaveLength(1);
    await refused.close();

    const nowhere = open({ location: `s3://${bucket.name}-not/a` });
    await expect(nowhere.get('x')).rejects.toThrow(
      `cannot read x in s3://${bucket.name}-not/a: there is no such bucket (NoSuchBucket)`,
    );
    expect(flaky.seen).toHaveLength(2);
    await nowhere.close();
  });

  it("reads what another program has uploaded in parts, with a checksum of that program's choice", async () => {
    const bytes = pattern(12_000_000);
    const { client, name: Bucket } = bucket;
    const object = { Bucket, Key: 'a/tables/theirs' };
    const begun = { ...object, ChecksumAlgorithm: 'CRC32' } as const;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(begun));
    const parts = [bytes.subarray(0, 8_000_000), bytes.subarray(8_000_000)].map(
      async (Body, index) => {
        const part = { ...begun, UploadId, PartNumber: index + 1, Body };
        const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand(part));
        return { PartNumber: index + 1, ETag, ChecksumCRC32 };
      },
    );
    const MultipartUpload = { Parts: await Promise.all(parts) };
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload }));
    expectSame(await collect(storage.read('tables/theirs')), bytes);
    expectSame(await storage.get('tables/theirs'), bytes);
  });

  it('refuses a store that accepts a condition and ignores it', async () => {
    const careless = await startCareless();
    const unsafe = open({ endpoint: careless.endpoint });
    await expect(unsafe.putIfAbsent('x', pattern(3))).rejects.toThrow('ignores If-None-Match');
    await unsafe.close();
    await careless[Symbol.asyncDispose]();
  });
});

/** Answers every PUT as if it had been taken. */
async function startCareless(): Promise<FlakyS3> {
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { etag: '"x"' }).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    seen: [],
    faultOf: () => undefined,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
