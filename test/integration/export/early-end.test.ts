/** What a run says that ends before its time: the reason, and true counts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportReport } from '../../../src/cli/output/reports/export-report.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

const SESSIONS = 12;

describe('a run of one user that ends before its time', () => {
  let rig: ExportRig;

  beforeEach(async () => {
    rig = await ExportRig.start({ rateLimit: 0 });
    for (let session = 0; session < SESSIONS; session++) {
      const id = rig.state.addSession('ann');
      rig.state.addJob('ann', id, oldJob(rig.state.newJobId(Date.now() - 86_400_000)));
    }
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  /** Calls `end` at the history of the ninth session. */
  const atTheNinth = (end: () => void) => {
    let histories = 0;
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation === 'getHistory' && ++histories === 9) end();
    };
  };

  const sessionsInArchive = async () => (await rig.rows('sessions')).length;

  it('counts the sessions that it has archived when it was interrupted', async () => {
    const stop = new AbortController();
    atTheNinth(() => {
      stop.abort(new Error('stopped by SIGTERM'));
    });
    const { summary } = await rig.run({ concurrency: 1, signal: stop.signal });
    expect(summary).toMatchObject({ status: 'interrupted', users: { total: 1, complete: 0 } });
    expect(summary.sessions.new).toBe(8);
    expect(summary.sessions.new).toBe(await sessionsInArchive());
    expect(summary.sessions.listed).toBe(SESSIONS);
    expect(summary.jobs.archived).toBe(8);
  });

  it('counts them when the key expires', async () => {
    atTheNinth(() => {
      rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1002 } }];
    });
    const { summary, error } = await rig.run({ concurrency: 1 });
    expect(summary.status).toBe('failed');
    expect(error).toBeDefined();
    expect(summary.sessions.new).toBeGreaterThan(0);
    expect(summary.sessions.new).toBe(await sessionsInArchive());
    expect(exportReport(summary)).not.toContain('nothing is missing');
  });

  it('counts no session twice that the next run finishes', async () => {
    const stop = new AbortController();
    atTheNinth(() => {
      stop.abort(new Error('stopped by SIGTERM'));
    });
    await rig.run({ concurrency: 1, signal: stop.signal });
    rig.emulator.faults.beforeRequest = undefined;
    const { sessions } = await rig.export();
    expect(sessions).toEqual({ listed: 12, new: 4, changed: 0, unchanged: 8, failed: 0 });
  });
});
