/** What a run says that ends before its time: the reason, and true counts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportView } from '../../../src/cli/output/reports/export-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

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

  /** Calls `end` when so many histories are asked for. */
  const atHistory = (count: number, end: () => void) => {
    let histories = 0;
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation === 'getHistory' && ++histories === count) end();
    };
  };
  /** What totals count is asked of the first one, too. */
  const atTheNinth = (end: () => void) => {
    atHistory(10, end);
  };

  const sessionsInArchive = async () => (await rig.rows('sessions')).length;

  it(
    'counts the sessions that it has archived when it was interrupted',
    fault('F-69'),
    async () => {
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
    },
  );

  it('counts them when the key expires', fault('F-69'), async () => {
    atTheNinth(() => {
      rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1002 } }];
    });
    const { summary, error } = await rig.run({ concurrency: 1 });
    expect(summary.status).toBe('failed');
    expect(error).toBeDefined();
    expect(summary.sessions.new).toBeGreaterThan(0);
    expect(summary.sessions.new).toBe(await sessionsInArchive());
    expect(viewText(exportView(summary))).not.toContain('nothing is missing');
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

  it('tells as known what the log had before, also of a user whom it did not finish', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `lost-${at}`);
    for (const id of ids) {
      const job = rig.state.newJobId(Date.now() - 86_400_000);
      rig.state.addSession('ann', { id }, [oldJob(job, [`${id}.csv`])]);
    }
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    const whole = await rig.run({ concurrency: 1 });
    expect(whole.summary.gaps).toHaveLength(12);
    // something new, so that there is a commit
    for (const id of ids) {
      rig.state.addJob('ann', id, oldJob(rig.state.newJobId(Date.now() - 80_000_000)));
    }
    const stop = new AbortController();
    atHistory(20, () => {
      stop.abort(new Error('stopped by SIGTERM'));
    });
    const { summary } = await rig.run({ concurrency: 1, full: true, signal: stop.signal });
    expect(summary.status).toBe('interrupted');
    expect(summary.gaps.length).toBeGreaterThan(0);
    expect(summary.gaps.filter(({ known }) => known !== true)).toEqual([]);
  });
});
