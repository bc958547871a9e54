/** A run that is stopped, loses its lease, and wakes after another has committed the same users. */
import { expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { exportProcess } from '../../support/programs/library-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';
import { fault } from '../../support/base/fault.js';

it.each([3, 6])(
  'is refused by the log and plans again, when it was stopped before request %i',
  fault('F-33'),
  async (stopBefore) => {
    await using rig = await ExportRig.start({ rateLimit: 0 });
    for (const user of ['ann', 'bob']) {
      for (let session = 0; session < 4; session++) {
        const id = rig.state.addSession(user);
        for (let job = 0; job < 3; job++) {
          rig.state.addJob(user, id, oldJob(rig.state.newJobId(Date.now() - 86_400_000)));
        }
      }
    }
    const { faults } = rig.emulator;
    let requests = 0;
    const stopped = new Promise<void>((resolve) => {
      faults.beforeRequest = () => {
        if (++requests !== stopBefore) return;
        sleeper.kill('SIGSTOP');
        resolve();
      };
    });
    const sleeper = exportProcess({
      baseUrl: rig.emulator.baseUrl,
      apiKey: 'demo-key',
      users: ['ann', 'bob'],
      out: rig.out,
      rate: 10_000,
      concurrency: 1,
      terms: SHORT_TERMS,
    });
    await stopped;
    faults.beforeRequest = undefined;
    const other = await rig.export({ terms: SHORT_TERMS });
    expect(other.users).toMatchObject({ total: 2, complete: 2, failed: 0 });
    expect(other.jobs.archived).toBe(24);

    sleeper.kill('SIGCONT');
    const { summary, code } = await sleeper.ended;
    expect(code).toBeNull();
    expect(summary).toMatchObject({ status: 'complete', jobs: { archived: 0 } });
    const rows = await rig.rows('jobs');
    expect(new Set(rows.map((row) => row['job_id'])).size).toBe(24);
    expect(rows).toHaveLength(24);
    const { problems, orphans } = await rig.verify();
    expect([...problems, ...orphans]).toEqual([]);
    expect(await rig.files('_leases')).toEqual([]);
  },
);
