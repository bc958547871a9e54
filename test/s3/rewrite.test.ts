/** Rewriting where there is no rename: buckets are compacted, erased from and copied as directories are. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchive } from '../../src/index.js';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.js';
import { sha256Hex } from '../../src/base/digest.js';
import { cli, cliJson } from '../support/programs/cli-in-process.js';
import { duckDbDigest } from '../support/rigs/compact-rig.js';
import { EraseRig } from '../support/rigs/erase-rig.js';
import type { ExportRig } from '../support/rigs/export-rig.js';
import { grepArchive } from '../support/store/grep-archive.js';
import { comparableBytes } from '../support/store/comparable-bytes.js';
import { makePlace, onS3, type Place } from '../support/base/place.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';
import { compactArchive, copyArchive, eraseFromArchive } from '../support/http/one-call.js';

onS3();

describe.skipIf(!hasS3)('an archive in a bucket', () => {
  let people: EraseRig;
  let rig: ExportRig;
  beforeEach(async () => {
    people = await EraseRig.start();
    rig = people.rig;
  });
  afterEach(() => people[Symbol.asyncDispose]());

  const grep = async (place: Place, texts: readonly string[]) =>
    grepArchive(await place.local(''), texts);

  it('is compacted to the same rows in fewer files, whose forerunners go after their grace', async () => {
    for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`, ['shared.csv']);
    await rig.export({ checkpointBytes: 1 });
    people.talk('ann', 'ann-second', ['ann.csv']);
    await rig.export({ checkpointBytes: 1 });
    const tables = ['sessions', 'jobs', 'blocks', 'artifacts', 'raw_jobs'];
    const digests = async (): Promise<unknown[]> => {
      const root = await rig.place.local('');
      return Promise.all(tables.map((table) => duckDbDigest(root, table)));
    };
    const before = await digests();
    const many = await rig.parts();

    const summary = await cliJson<{ status: string; merged: { files: number }; files: number }>([
      'compact',
      rig.out,
    ]);
    expect(summary.status).toBe('complete');
    expect(await digests()).toEqual(before);
    expect(summary.files).toBeLessThan(many.length);
    expect(await rig.parts()).toHaveLength(summary.files + summary.merged.files);
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });

    rig.clock.ahead = 8 * 86_400_000;
    const { replaced } = await compactArchive({ archive: rig.out, clock: rig.clock });
    expect(replaced).toEqual({ kept: 0, deleted: summary.merged.files });
    expect(await rig.parts()).toHaveLength(summary.files);
  });

  it('loses by an expiry what is older and not on hold', async () => {
    for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`, ['shared.csv']);
    await rig.export();
    const by = ['--reason', 'Matter 1', '--by', 'Grace'];
    expect((await cli(['hold', 'add', rig.out, '--user', 'ben', ...by])).exitCode).toBe(0);
    const words = ['expire', rig.out, '--older-than', '1d', '--yes'];
    const done = { status: 'complete', expired: 1, refused: 0, held: 1 };
    expect(await cliJson(words)).toMatchObject(done);
    const left = await rig.rows('sessions');
    expect(left.map((row) => row['session_id'])).toEqual(['ben-first']);
    expect(await grep(rig.place, ['ann-first', 'ann-has-asked'])).toEqual([]);
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  });

  it('is held, released and expired by the library, too, and prints its holds in one line', async () => {
    for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`);
    await rig.export();
    await using archive = await openArchive(rig.out);
    await archive.hold({ sessions: ['ann-first'], reason: 'Matter 1', by: 'Grace' });
    await archive.hold({ users: ['ben'], reason: 'Matter 2', by: 'Grace' });
    await archive.release({ users: ['ben'], reason: 'closed', by: 'Alan' });
    const [ofAnn, ofBen] = await archive.holds();
    expect(await cliJson(['hold', 'list', rig.out])).toEqual({
      holds: [
        {
          hold_id: ofAnn?.id,
          user_id: null,
          session_id: 'ann-first',
          reason: 'Matter 1',
          by: 'Grace',
          since: ofAnn?.since,
          released_at: null,
          released_by: null,
          release_reason: null,
          set_by: null,
          request_id: null,
          other_spellings: [],
          same_persons: [],
        },
        {
          hold_id: ofBen?.id,
          user_id: 'ben',
          session_id: null,
          reason: 'Matter 2',
          by: 'Grace',
          since: ofBen?.since,
          released_at: ofBen?.release?.at,
          released_by: 'Alan',
          release_reason: 'closed',
          set_by: null,
          request_id: null,
          other_spellings: [],
          same_persons: [],
        },
      ],
    });
    const done = await archive.expire({ olderThanMs: 86_400_000 });
    expect(done).toMatchObject({ status: 'complete', expired: 1, refused: 0, held: 1 });
    const left = await rig.rows('sessions');
    expect(left.map((row) => row['session_id'])).toEqual(['ann-first']);
  });

  it('holds no byte of one of three users once they are erased, and everything of the others', async () => {
    const traces = await people.archived(['parquet', 'xlsx']);
    const found = await grep(rig.place, traces['ann']!);
    expect(found.length).toBeGreaterThan(30);
    const others = await grep(rig.place, ['ben-first', 'cyd-first', 'for-two']);
    expect(others).not.toEqual([]);
    const head = (await rig.open()).log.head();
    const { number, digest } = (await head)!;

    const summary = await cliJson(['erase', rig.out, '--user', 'ann', '--yes']);
    expect(summary).toMatchObject({ status: 'erased', kept: null, erased: { sessions: 2 } });
    expect(await grep(rig.place, traces['ann']!)).toEqual([]);
    const jobs = (await rig.rows('jobs')).map((row) => String(row['user_id'])).sort();
    expect(jobs).toEqual(['ben', 'ben', 'cyd', 'cyd', 'cyd']);
    expect(await grep(rig.place, ['for-two'])).not.toEqual([]);
    const verified = await cli(['verify', rig.out, '--expect-head', `${number}:${digest}`]);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.any(String)]);
    expect((await rig.files()).filter((path) => /^_(erasures|leases)/.test(path))).toEqual([]);
  });

  it('is copied to another bucket, to a directory and back, equal in all bytes but its own name', async () => {
    await people.archived(['parquet']);
    await using bucket = await makePlace(rig.directory);
    await using again = await makePlace(rig.directory);
    const directory = join(rig.directory, 'copy');
    const fromDisk = async (path: string) => readFile(join(directory, path));
    const paths = (await rig.files()).filter((path) => !path.startsWith('_uploads/'));
    const digests = (read: (path: string) => Promise<Buffer>) =>
      Promise.all(paths.map(async (path) => sha256Hex(comparableBytes(path, await read(path)))));
    const expected = await digests((path) => rig.place.read(path));

    for (const [from, to] of [
      [rig.out, bucket.out],
      [bucket.out, directory],
      [directory, again.out],
    ] as const) {
      expect(await cliJson(['copy', from, to])).toMatchObject({ status: 'complete', removed: 0 });
      expect((await cli(['verify', to])).exitCode).toBe(0);
    }
    expect(await digests((path) => bucket.read(path))).toEqual(expected);
    expect(await digests(fromDisk)).toEqual(expected);
    expect(await digests((path) => again.read(path))).toEqual(expected);
    expect(await again.files()).toEqual(paths);

    await eraseFromArchive({ archive: rig.out, users: ['ann'] });
    const { removed, kept } = await copyArchive({ archive: rig.out, target: bucket.out });
    expect(removed).toBeGreaterThan(0);
    expect(kept).toBeNull();
    expect(await grep(bucket, ['ann-first', 'ann-has-asked'])).toEqual([]);
  });
});

describe.skipIf(!hasS3)('a bucket that keeps what is deleted', () => {
  let people: EraseRig;
  beforeEach(async () => {
    people = await EraseRig.start();
    for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`);
  });
  afterEach(() => people[Symbol.asyncDispose]());

  const accessTo = (bucket: TestBucket): StorageOptions => ({
    s3: { endpoint: bucket.endpoint, forcePathStyle: true },
  });

  /** Name and time of every object, which a write would change. */
  async function stateOf(out: string, storage: StorageOptions): Promise<string[]> {
    const there: string[] = [];
    for await (const { path, modifiedAtMs } of (await openStorage(out, storage)).list('')) {
      there.push(`${path} ${modifiedAtMs}`);
    }
    return there;
  }

  // I-46 in FORMAT.md
  it('is not erased from where it has object lock: nothing changes, and a sentence says why', async () => {
    await using bucket = await TestBucket.make({ objectLock: true });
    const out = `s3://${bucket.name}/locked`;
    const storage = accessTo(bucket);
    await people.rig.export({ out, storage });
    const before = await stateOf(out, storage);
    const refused = await cli([
      'erase',
      out,
      '--user',
      'ann',
      '--yes',
      '--s3-endpoint',
      bucket.endpoint,
    ]);
    const sentence = `jobvault: nothing can be erased from ${out}: the bucket has object lock and keeps deleted objects until their retention ends\n`;
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(await stateOf(out, storage)).toEqual(before);
  });

  it('is erased from where it has versions, and the report says that they stay', async () => {
    await using bucket = await TestBucket.make();
    const VersioningConfiguration = { Status: 'Enabled' as const };
    await bucket.client.send(
      new PutBucketVersioningCommand({ Bucket: bucket.name, VersioningConfiguration }),
    );
    const out = `s3://${bucket.name}/versioned`;
    await people.rig.export({ out, storage: accessTo(bucket) });
    const place = [out, '--user', 'ann', '--s3-endpoint', bucket.endpoint];
    const planned = await cli(['erase', ...place, '--dry-run']);
    const told = 'the bucket keeps old versions until they expire or are deleted';
    expect(planned.stdout).toContain(told);
    const erased = await cli(['erase', ...place, '--yes']);
    expect([erased.exitCode, erased.stdout]).toEqual([0, expect.stringContaining(told)]);
    const verified = await cli(['verify', out, '--s3-endpoint', bucket.endpoint]);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.any(String)]);
  });
});
