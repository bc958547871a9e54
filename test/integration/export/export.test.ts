/** What a first export leaves, against what the emulator holds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { doubledKeys, ExportRig } from '../../support/rigs/export-rig.js';

describe('a first export of every user', () => {
  let rig: ExportRig;
  let summary: ExportSummary;

  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 5 });
    summary = await rig.export();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('ends complete and says how much it has archived', async () => {
    const totals = rig.state.totals();
    expect(summary).toMatchObject({
      status: 'complete',
      users: { total: totals.users, complete: totals.users, failed: 0 },
      sessions: { listed: totals.sessions, new: totals.sessions, changed: 0, unchanged: 0 },
      jobs: { archived: totals.jobs },
      gaps: [],
      commits: [1],
    });
    for (const name of TABLE_NAMES) {
      expect([name, (await rig.rows(name)).length]).toEqual([name, summary.rows[name] ?? 0]);
    }
  });

  it('has as many rows as the service has sessions, jobs and blocks', async () => {
    const totals = rig.state.totals();
    expect(await rig.rows('sessions')).toHaveLength(totals.sessions);
    expect(await rig.rows('jobs')).toHaveLength(totals.jobs);
    const answers = (await rig.rows('blocks')).filter(({ role }) => role === 'answer');
    expect(answers).toHaveLength(totals.answerBlocks);
  });

  // I-23 in FORMAT.md
  it('keeps every file that is served, under its digest, once', async () => {
    const served = new Set<string>();
    for (const user of rig.state.userIds()) {
      for (const session of rig.state.sessionIds(user)) {
        for (const job of rig.state.jobIds(user, session)) {
          for (const key of rig.state.fileKeys(user, session, job)) {
            served.add(sha256Hex(rig.state.file(key)?.bytes ?? Buffer.alloc(0)));
          }
        }
      }
    }
    const stored = (await rig.files('artifacts')).map((path) => path.split(/[/.]/).at(-2) ?? '');
    expect(stored.toSorted()).toEqual([...served].toSorted());
    const rows = await rig.rows('artifacts');
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['stored']));
    expect(summary.artifacts.stored).toBe(served.size);
    expect(summary.artifacts.stored + summary.artifacts.reused).toBe(rows.length);
  });

  // I-25 in FORMAT.md
  it('holds no key twice in any table, and verifies', async () => {
    for (const name of TABLE_NAMES) expect(doubledKeys(name, await rig.rows(name))).toEqual([]);
    const report = await rig.verify();
    expect([report.problems, report.orphans]).toEqual([[], []]);
  });
});

it('names the snapshot that it leaves at its end among its commits: the last is that of status', async () => {
  await using rig = await ExportRig.start({ users: 5, sessions: 1, jobs: 1 });
  const { commits } = await rig.export({ concurrency: 1, checkpointBytes: 1 });
  const { index } = await rig.open();
  await index.refresh();
  const { head, commits: all } = index;
  expect([...all].at(-1)?.kind).toBe('snapshot');
  expect(commits).toEqual(Array.from(commits, (_, at) => at + 1));
  expect(commits.at(-1)).toBe(head?.number);
});
