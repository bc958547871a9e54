/** The gateway is killed in the middle of a run and comes back two seconds later: it costs time, nothing else. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { verifyArchive } from '../../src/archive/verify/verify.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { ExportRig } from '../support/rigs/export-rig.js';
import { BreakableGateway, hasS3ToBreak, TestBucket } from '../support/store/s3-server.js';

const OUTAGE_MS = 2000;

describe.skipIf(!hasS3ToBreak)('an outage of the store', () => {
  it('of two seconds costs a run nothing but time', async () => {
    await using bucket = await TestBucket.make();
    await using rig = await ExportRig.start({ users: 2, sessions: 4, jobs: 3 });
    const gateway = await BreakableGateway.start();
    const storage = { s3: { endpoint: gateway.endpoint, forcePathStyle: true } };
    const out = `s3://${bucket.name}/a`;
    let outage: Promise<void> | undefined;
    const breakOnce = (): void => {
      outage ??= (async () => {
        await gateway.kill();
        await wait(OUTAGE_MS);
        await gateway.restart();
      })();
    };
    let requests = 0;
    rig.emulator.faults.beforeRequest = () => {
      // between two sessions, while small checkpoints follow one another
      if (++requests === 5) breakOnce();
    };
    const summary = await rig.export({ out, storage, checkpointBytes: 1000 });
    expect(outage).toBeDefined();
    await outage;
    const again = await rig.export({ out, storage });
    const { jobs, sessions } = rig.state.totals();
    expect(summary).toMatchObject({ status: 'complete', gaps: [], jobs: { archived: jobs } });
    expect(again).toMatchObject({ sessions: { unchanged: sessions }, jobs: { archived: 0 } });
    const archive = await openArchiveIn(await openStorage(out, storage));
    const { problems, orphans } = await verifyArchive(archive);
    expect([problems, orphans]).toEqual([[], []]);
    await gateway.kill();
  });
});
