/** URLs that die while files still queue: pages are read again, as often as needed. */
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

it(
  'stores every file although the downloads take nearly three times as long as a URL lives',
  { ...fault('F-18'), timeout: 60_000 },
  async () => {
    await using rig = await ExportRig.start({ urlTtlMs: 2000 });
    const wanted = new Map<string, string>();
    // of each session, how many files its jobs have
    const sessions = [[24, 24], [12], [30], [6, 6, 6, 6, 6]];
    for (const sizes of sessions) {
      const session = rig.state.addSession('ann');
      for (const [job, count] of sizes.entries()) {
        const keys = Array.from({ length: count }, (_, file) => `${session}/${job}/${file}.csv`);
        for (const key of keys) {
          const text = `key\n${key}\n`;
          rig.state.putFile(key, text);
          wanted.set(key, sha256Hex(text));
        }
        const id = rig.state.newJobId(Date.now() - 86_400_000);
        rig.state.addJob('ann', session, oldJob(id, keys));
      }
    }
    rig.emulator.faults.clampPageSize = 2;
    rig.emulator.faults.fileLatencyMs = 200;
    const summary = await rig.export({ users: ['ann'], fileConcurrency: 4 });
    expect(summary).toMatchObject({ status: 'complete', gaps: [] });
    expect(summary.artifacts).toMatchObject({ stored: wanted.size, expired: 0, failed: 0 });
    const rows = await rig.rows('artifacts');
    expect(new Map(rows.map((row) => [row['name'], row['sha256']]))).toEqual(wanted);
    // more than the pages that there are
    expect(rig.emulator.stats.requests.getHistory).toBeGreaterThan(6);
  },
);
