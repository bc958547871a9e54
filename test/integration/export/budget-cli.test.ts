/** Budgets on the command line: exit codes, what a dry run foresees, what status tells. */
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { ExportPlan } from '../../../src/export/plan-export.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { writeLap } from '../../../src/archive/laps.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const DAY_MS = 86_400_000;

/** A list of all users: a run of users who are named has no part in a lap. */
function words(rig: ExportRig, ...more: string[]): string[] {
  const file = join(rig.directory, 'everybody.txt');
  writeFileSync(file, rig.state.userIds().join('\n'));
  const users = ['--users-file', file];
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
  return ['export', ...place, ...users, ...more];
}

it('a budget ends in exit 0 with what is left, and in exit 3 once the promise is broken', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 2, exactJobs: true });
  // one user after the other: two at a time share the requests as their answers come
  // two are for the pages behind the first list and the first history
  const one = words(rig, '--max-requests', '7', '--concurrency', '1');
  const first = await cliJson<ExportSummary>(one);
  expect(first.budget).toMatchObject({ checked: 3, left: { users: 1, sessions: 0 } });
  const told = await cli(words(rig, '--max-requests', '1'));
  expect([told.exitCode, told.stdout]).toEqual([0, expect.stringContaining('for later')]);
  const broken = words(rig, '--max-requests', '1', '--max-staleness', '1ms');
  const { budget, status } = await cliJson<ExportSummary>(broken, 3);
  expect(status).toBe('not_all_read');
  expect(budget?.overdue).toBe(true);
  expect((await cli(broken)).stdout).toContain('overdue');
});

it('a budget of time takes nothing in when the time is up, with all that was done committed', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 12, jobs: 2 });
  rig.emulator.faults.latencyMs = 100;
  const limits = ['--max-duration', '600ms', '--concurrency', '1'];
  const { budget, status } = await cliJson<ExportSummary>(words(rig, ...limits));
  expect(status).toBe('not_all_read');
  expect(budget?.max_duration_ms).toBe(600);
  expect(budget?.left.sessions).toBeGreaterThan(0);
  // one may have been begun when the time was up
  const begun = (await rig.rows('sessions')).length - (budget?.checked ?? 0);
  expect([0, 1]).toContain(begun);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it.each(['1ms', '5ms'])(
  'a budget of time that is over before the first answer, %s, ends as every spent budget',
  async (time) => {
    await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
    rig.emulator.faults.latencyMs = 50;
    for (const archive of ['new', 'known'] as const) {
      const ended = await cli(words(rig, '--max-duration', time));
      expect([archive, ended.exitCode, ended.stderr]).toEqual([archive, 0, '']);
      expect(ended.stdout).toMatch(/^Stopped by its budget after .*: 2 users not listed\n/);
      expect(ended.stdout).toMatch(/^ {2}users +2 +2 not read$/m);
      expect(ended.stdout).toMatch(/^ {2}for later +2 users not listed/m);
      rig.emulator.faults.latencyMs = 0;
      if (archive === 'new') await rig.export();
      rig.emulator.faults.latencyMs = 50;
    }
  },
);

it('a dry run shows what a budget would be spent on, and writes nothing', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 5, jobs: 1 });
  rig.clock.ahead -= 60 * DAY_MS;
  await rig.export();
  const files = await rig.files();
  const plan = await cliJson<ExportPlan>(words(rig, '--dry-run', '--max-requests', '8'));
  const { checks = 0, left } = plan.budget ?? {};
  expect([4, 5, 6]).toContain(checks);
  expect(left).toEqual({ users: 0, sessions: 10 - checks });
  expect(plan.sessions).toEqual({ listed: 10, archived: 10 });
  expect(await rig.files()).toEqual(files);
  const refused = await cli(words(rig, '--dry-run', '--retry-gaps'));
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('dry run')]);
});

it('status tells users whom a budget left as not yet read, apart from gaps', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 6, jobs: 1 });
  const lastExport = async () => {
    const { stdout } = await cli(['status', rig.out]);
    return /^ {2}last export +\S+Z: (.*)$/m.exec(stdout)?.[1];
  };
  const file = join(rig.directory, 'users.txt');
  await writeFile(file, rig.state.userIds().join('\n'));
  const night = (...more: string[]) => {
    const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
    return cli(['export', ...place, '--users-file', file, '--concurrency', '1', ...more]);
  };
  expect((await night()).exitCode).toBe(0);
  const [user = '', other = ''] = rig.state.userIds();
  for (let count = 0; count < 60; count++) {
    rig.state.addSession(other, { id: `more-${count}` }, [oldJob(rig.state.newJobId(0))]);
  }
  const budget = ['--max-requests', '20'];
  expect((await night(...budget)).exitCode).toBe(0);
  const before = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect([await lastExport(), before.last_export]).toEqual([
    'not complete, not all was read: 1 of 2 users finished, 1 of them complete',
    expect.objectContaining({ users: 1, outcome: 'not_all_read', partly: 1 }),
  ]);
  rig.state.addSession(user, { id: 'lossy' }, [oldJob(rig.state.newJobId(0), ['lost.csv'])]);
  const told = await night(...budget, '--json');
  const summary = JSON.parse(told.stdout) as ExportSummary;
  // gaps are counted beside what was left, and end in the exit code
  expect([told.exitCode, summary.status, summary.users]).toEqual([
    3,
    'not_all_read',
    expect.objectContaining({ complete: 0, with_gaps: 0, partly: 2 }),
  ]);
  expect(summary.gaps).toMatchObject([{ user, session: 'lossy' }]);
  const sql = 'SELECT outcome FROM runs ORDER BY began_at DESC LIMIT 1';
  expect((await cli(['query', rig.out, sql])).stdout).toContain('not_all_read');
  const after = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect([await lastExport(), after.last_export]).toEqual([
    'not complete, not all was read: 0 of 2 users finished, 0 of them complete',
    expect.objectContaining({ users: 0, outcome: 'not_all_read', partly: 2 }),
  ]);
});

it('who has a conversation that a budget left unchecked is not finished', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 20, jobs: 1 });
  rig.clock.ahead -= 60 * DAY_MS;
  expect((await cli(words(rig))).exitCode).toBe(0);
  rig.clock.ahead += 60 * DAY_MS;
  const [user = ''] = rig.state.userIds();
  for (const session of rig.state.sessionIds(user)) rig.state.addJob(user, session);
  const night = words(rig, '--max-requests', '14', '--concurrency', '1');
  const { users, budget, status } = await cliJson<ExportSummary>(night);
  expect(status).toBe('not_all_read');
  expect(budget?.left).toMatchObject({ users: 0 });
  const { partly } = users;
  expect([1, 2]).toContain(partly);
  expect(users).toMatchObject({ complete: 2 - partly, not_read: 0, not_finished: 0 });
  const told = await cliJson<ArchiveStatus>(['status', rig.out]);
  const lastExport = { users: 2 - partly, partly, outcome: 'not_all_read' };
  expect([told.last_export, told.runs[0]]).toMatchObject([lastExport, lastExport]);
  const text = (await cli(['status', rig.out])).stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain(`not all was read: ${2 - partly} of 2 users finished`);
  expect(text).not.toContain('2 of 2 users, no gaps, 0 ');
  const asOf = "SELECT count(*)::INT AS runs FROM runs WHERE outcome IN ('complete', 'gaps')";
  const asked = ['query', rig.out, asOf];
  expect((await cli(asked)).stdout).toMatch(/\b1\b/);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it('status tells what a budget needs: the cost of a full pass, and how long a lap takes', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 5, jobs: 1 });
  rig.clock.ahead -= 3 * DAY_MS;
  await rig.export();
  rig.clock.ahead += 2 * DAY_MS;
  await rig.export();
  const status = ['status', rig.out, '--rate', '2'];
  const { laps, full_check: cost } = await cliJson<ArchiveStatus>(status);
  expect(cost).toEqual({ requests: 12, rate: 2, duration_ms: 6000 });
  expect(laps).toMatchObject([{ scope: 'all', number: 3, overdue: false }]);
  expect(Math.round((laps[0]?.last_ms ?? 0) / DAY_MS)).toBe(2);
  const text = (await cli(status)).stdout.replaceAll(/\s+/g, ' ');
  expect(text).toMatch(
    / lap number 3 round all conversations since .*, the lap before took 2 days/,
  );
  expect(text).toContain(
    'checking everything takes at least 12 requests, one for each conversation and page of conversations: 6.0 s at 2 requests a second (--rate) ',
  );
  const late = await cli([...status, '--max-staleness', '1d']);
  expect(late.stdout.replaceAll(/\s+/g, ' ')).toContain('LONGER than --max-staleness');
});

it('status does not say how long a lap took that one run of a queue went through', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  await rig.archived();
  const storage = await openStorage(rig.out);
  const [beganAtMs, head] = [rig.clock.now(), { number: 2, digest: null }];
  // the run has ended the first lap, and the second begins where the first did
  const lap = { number: 2, beganAtMs, lastBeganAtMs: beganAtMs, place: 0, head };
  await writeLap(storage, 'queue', lap);
  expect((await cliJson<ArchiveStatus>(['status', rig.out])).laps).toMatchObject([
    { scope: 'queue', number: 2, last_ms: null },
  ]);
  const row = /^ {2}lap of the queue +number 2 round all conversations since \S+$/m;
  expect((await cli(['status', rig.out])).stdout).toMatch(row);
});

it('an export that fails before there is an archive still prints its line, if asked for JSON', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  const line = await cliJson<{ status: string; error: string }>(words(rig), 6, {
    JOBVAULT_API_KEY: 'no-such-key',
  });
  expect(line).toMatchObject({ status: 'failed', archive: rig.out });
  expect(line.error).toMatch(/key/i);
  expect(line.error).not.toContain('no-such-key');
});
