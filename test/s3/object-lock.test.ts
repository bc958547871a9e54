/** An archive that nobody may alter: what is retained, what is not, and what verify says of it. */
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { verifyArchive, type VerifyReport } from '../../src/archive/verify/verify.js';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.js';
import { cli } from '../support/programs/cli-in-process.js';
import { ExportRig } from '../support/rigs/export-rig.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';
import { fault } from '../support/base/fault.js';

const HOUR = 3_600_000;

describe.skipIf(!hasS3)('a bucket with object lock', () => {
  let bucket: TestBucket;
  let rig: ExportRig;

  beforeEach(async () => {
    bucket = await TestBucket.make({ objectLock: true });
    rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  });
  afterEach(async () => {
    await rig[Symbol.asyncDispose]();
    await bucket[Symbol.asyncDispose]();
  });

  const place = () => `s3://${bucket.name}/locked`;
  const access = (): StorageOptions => ({
    s3: { endpoint: bucket.endpoint, forcePathStyle: true },
  });
  const locked = (): StorageOptions => ({
    s3: { ...access().s3, objectLock: 'COMPLIANCE', retainUntil: { forMs: HOUR } },
  });

  async function verify(): Promise<VerifyReport> {
    const archive = await openArchiveIn(await openStorage(place(), access()));
    return verifyArchive(archive);
  }

  it('retains all that is archived, nothing of the housekeeping; the server refuses to delete', async () => {
    const began = Date.now();
    await rig.export({ out: place(), storage: locked() });
    await rig.export({ out: place(), storage: locked() });
    const { client, name: Bucket } = bucket;
    const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const kinds = new Set<string>();
    for (const { Key = '', VersionId } of Versions) {
      const path = Key.slice('locked/'.length);
      kinds.add(path.split('/')[0] ?? '');
      const head = await client.send(new HeadObjectCommand({ Bucket, Key, VersionId }));
      if (/^_(?!commits\/)/.test(path)) {
        expect([path, head.ObjectLockMode]).toEqual([path, undefined]);
        continue;
      }
      expect([path, head.ObjectLockMode]).toEqual([path, 'COMPLIANCE']);
      expect(head.ObjectLockRetainUntilDate?.getTime()).toBeGreaterThanOrEqual(began + HOUR - 1000);
      await expect(
        client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
      ).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    }
    for (const kind of ['_commits', '_laps', 'artifacts', 'jobvault.json', 'tables']) {
      expect(kinds).toContain(kind);
    }
  });

  it('verify reports how much is retained until when, and what is not although the rest is', async () => {
    await rig.export({ out: place(), storage: locked() });
    const { retention, files, artifacts, problems } = await verify();
    // beside them jobvault.json, the commit and its lists of jobs and users
    expect(retention?.retained).toBe(files + artifacts + 4);
    expect(retention).toMatchObject({ modes: ['COMPLIANCE'], unprotected: [] });
    expect(retention?.earliestEndMs).toBeGreaterThan(Date.now());
    expect(problems).toEqual([]);

    const [user = ''] = rig.state.userIds();
    rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
    await rig.export({ out: place(), storage: access() });
    const { unprotected = [] } = (await verify()).retention ?? {};
    expect(unprotected).toContain('_commits/000000000002.json');
    expect(unprotected).not.toContain('_commits/000000000001.json');
  });

  it('shows in verify what a delete marker hides, the newest commit too', async () => {
    await rig.export({ out: place(), storage: locked() });
    await rig.export({ out: place(), storage: locked() });
    const storage = await openStorage(place(), access());
    const paths: string[] = [];
    for await (const { path } of storage.list('tables/jobs/')) {
      if (!path.includes('/_delta_log/')) paths.push(path);
    }
    const [part = ''] = paths;
    await storage.delete(part);
    await storage.delete('_commits/000000000002.json');
    const { problems } = await verify();
    expect(problems.filter(({ problem }) => problem === 'hidden').map(({ path }) => path)).toEqual([
      '_commits/000000000002.json',
      part,
    ]);
  });

  it(
    'lets nothing be deleted where a delete marker hides the newest commit: it may be a hold',
    fault('F-110'),
    async () => {
      await rig.export({ out: place(), storage: locked() });
      const [user = ''] = rig.state.userIds();
      const s3 = ['--s3-endpoint', bucket.endpoint, '--s3-force-path-style'];
      const at = ['--base-url', rig.emulator.baseUrl, ...s3];
      const why = ['--reason', 'Matter 7', '--by', 'Legal'];
      await cli(['hold', 'add', place(), '--user', user, ...why, ...s3]);
      const storage = await openStorage(place(), access());
      await storage.delete('_commits/000000000002.json');
      const [session = ''] = rig.state.sessionIds(user);
      for (const command of [
        ['prune', place(), '--all', '--yes', ...at],
        ['sessions', 'delete', session, '--user', user, '--out', place(), '--yes', ...at],
        ['export', '--user', user, '--out', place(), ...at],
      ]) {
        const { exitCode, stderr } = await cli(command);
        expect([command[0], exitCode]).toEqual([command[0], 4]);
        expect(stderr).toContain('_commits/000000000002.json is hidden by a delete marker');
      }
      expect(rig.emulator.stats.requests.deleteSession).toBe(0);
    },
  );

  it('is needed for --s3-object-lock: another bucket is refused before anything is written', async () => {
    const plain = await TestBucket.make();
    const out = `s3://${plain.name}/x`;
    const { error } = await rig
      .run({ out, storage: locked() })
      .catch((thrown: unknown) => ({ error: thrown }));
    expect((error as Error).message).toContain('the bucket has no object lock');
    const there: unknown[] = [];
    for await (const object of (await openStorage(out, access())).list('')) there.push(object);
    expect(there).toEqual([]);
    await plain[Symbol.asyncDispose]();
  });
});
