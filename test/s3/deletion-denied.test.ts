/** A bucket whose policy denies deletions: what rewrites refuse before they change anything, and what they say. */
import { PutBucketPolicyCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.js';
import { cli } from '../support/programs/cli-in-process.js';
import { EraseRig } from '../support/rigs/erase-rig.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';

describe.skipIf(!hasS3)('a bucket whose policy denies deletions', () => {
  let bucket: TestBucket;
  let people: EraseRig;
  let out: string;
  let storage: StorageOptions;

  beforeEach(async () => {
    bucket = await TestBucket.make();
    people = await EraseRig.start();
    out = `s3://${bucket.name}/archive`;
    storage = { s3: { endpoint: bucket.endpoint, forcePathStyle: true } };
    people.talk('ann', 'ann-first', ['ann.csv']);
    await people.rig.export({ out, storage });
    people.talk('ann', 'ann-second');
    await people.rig.export({ out, storage });
  });
  afterEach(async () => {
    await deny([]);
    await people[Symbol.asyncDispose]();
    await bucket[Symbol.asyncDispose]();
  });

  async function deny(prefixes: readonly string[]): Promise<void> {
    const Resource = prefixes.map((prefix) => `arn:aws:s3:::${bucket.name}/archive/${prefix}*`);
    const denied = { Effect: 'Deny', Principal: '*', Action: 's3:DeleteObject', Resource };
    const none = {
      ...denied,
      Action: 's3:GetObjectTorrent',
      Resource: `arn:aws:s3:::${bucket.name}/x`,
    };
    const Statement = [prefixes.length > 0 ? denied : none];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await bucket.client.send(new PutBucketPolicyCommand({ Bucket: bucket.name, Policy }));
  }

  async function objects(): Promise<string[]> {
    const found: string[] = [];
    for await (const { path } of (await openStorage(out, storage)).list('')) found.push(path);
    return found;
  }

  const s3 = () => ['--s3-endpoint', bucket.endpoint, '--s3-force-path-style'];

  it.each([
    ['_commits/', 'erase', ['--user', 'ann', '--yes']],
    ['_snapshots/', 'expire', ['--older-than', '1s', '--yes']],
    ['tables/', 'compact', []],
  ])('(below %s) lets %s change nothing before it allows them', async (prefix, command, flags) => {
    await deny([prefix]);
    const before = await objects();
    const run = () => cli([command, out, ...flags, ...s3()]);
    const { exitCode, stderr } = await run();
    expect([exitCode, stderr]).toEqual([
      9,
      expect.stringMatching(
        new RegExp(`nothing was changed: cannot delete ${prefix}.*denied`, 's'),
      ),
    ]);
    expect(await objects()).toEqual(before);
    await deny([]);
    expect((await run()).exitCode).toBe(0);
  });
});
