/** A user id with a typing error gives an empty list of sessions: it must not look like success. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { ExportPlan } from '../../../src/export/plan-export.js';
import { runView } from '../../../src/cli/output/reports/fleet-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import { type RunRecord } from '../../../src/fleet/queue-records.js';
import { BatchTally } from '../../../src/fleet/batch-tally.js';
import { summarise } from '../../../src/fleet/run-summary.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { fault } from '../../support/base/fault.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
});
afterEach(() => rig[Symbol.asyncDispose]());

function words(...users: string[]): string[] {
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
  return ['export', ...place, ...users.flatMap((user) => ['--user', user])];
}

const ALLOWED = ['--allow-unknown-users'];

const NEVER =
  'the service lists no session of this user, and none is archived: check the id, or pass --allow-unknown-users';

it('a named user who was never listed is a gap: exit code 3, in the rehearsal, too', async () => {
  const [user = ''] = rig.state.userIds();
  const rehearsed = await cli([...words(user, 'adda'), '--dry-run']);
  expect(rehearsed.exitCode).toBe(3);
  expect(rehearsed.stdout).toMatch(/never seen +1, no conversation of adda; is the id right\?/);
  const told = await cli([...words(user, 'adda'), '--json']);
  expect(told.exitCode).toBe(3);
  const summary = JSON.parse(told.stdout) as ExportSummary;
  expect(summary).toMatchObject({ status: 'gaps', never_seen: ['adda'], users: { failed: 1 } });
  expect(summary.gaps).toMatchObject([
    { user: 'adda', session: null, status: 'incomplete', reason: NEVER },
  ]);
  const status = await cli(['status', rig.out, '--user', 'adda']);
  expect(status.stdout).toContain(NEVER);
});

it('of a user of whom everything was erased no export says that nothing was ever listed', async () => {
  const [user = ''] = rig.state.userIds();
  await cli(words(user));
  for (const session of rig.state.sessionIds(user)) rig.state.deleteSession(user, session);
  await eraseFromArchive({ archive: rig.out, users: [user], clock: rig.clock });
  const { stdout, stderr } = await cli([...words(user), ...ALLOWED]);
  expect(stdout).toContain(`no conversation of ${user}; is the id right?`);
  expect(stderr).toContain('none is archived: check the ids, unless everything was erased');
  expect(stdout + stderr).not.toMatch(/never listed|conversation yet/);
});

it('a named user who was never listed is known the next night, and none where allowed', async () => {
  const run = async (...flags: string[]) =>
    JSON.parse((await cli([...words('adda'), '--json', ...flags])).stdout) as ExportSummary;
  await run();
  expect((await run()).gaps).toMatchObject([{ user: 'adda', known: true }]);
  const listed = await cli(['gap', 'list', rig.out]);
  // there is no session to accept
  expect(listed.stdout).not.toContain('gap accept');
  expect(listed.stdout).toContain(
    ' What a wrong user id has left: jobvault export --user adda --allow-unknown-users clears it.\n',
  );
  expect(await run(...ALLOWED)).toMatchObject({ status: 'complete', gaps: [] });
  expect((await cli(['gap', 'list', rig.out])).stdout).toContain('has a gap');
  const rehearsed = await cli([...words('adda'), '--dry-run', ...ALLOWED]);
  expect(rehearsed.exitCode).toBe(0);
});

it('a named user who was never listed is none if only some sessions were asked for', async () => {
  await rig.run();
  expect((await cli([...words('adda'), '--search', 'x'])).exitCode).toBe(0);
});

it("an archived user of whom nothing is listed means exit code 3: the key may be another's", async () => {
  const [user = ''] = rig.state.userIds();
  await rig.run();
  for (const session of rig.state.sessionIds(user)) rig.state.deleteSession(user, session);
  expect((await cli([...words(user), '--dry-run'])).exitCode).toBe(3);
  const { exitCode, stdout } = await cli(words(user));
  expect([exitCode, stdout]).toEqual([
    3,
    expect.stringContaining('is this the API key of another project?'),
  ]);
  expect((await cli([...words(user), ...ALLOWED])).exitCode).toBe(3);
  expect((await cli([...words(user), '--allow-other-conversations'])).exitCode).toBe(0);
});

it('such users of a file are counted and named, and no gap; a comment or a heading is no user', async () => {
  const [user = ''] = rig.state.userIds();
  const file = join(rig.directory, 'users.csv');
  await writeFile(file, `# of March\nUser ID;Name\n${user};Ada\nadda;B # new\nbob;C\n`);
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
  const run = ['export', ...place, '--users-file', file];
  const rehearsed = await cli([...run, '--dry-run', '--json']);
  expect(rehearsed.exitCode).toBe(0);
  const plan = JSON.parse(rehearsed.stdout) as ExportPlan;
  expect(plan).toMatchObject({ users: 3, unknown: [] });
  expect(plan.never_seen.toSorted()).toEqual(['adda', 'bob']);
  const metrics = rig.directory;
  const told = await cli([...run, '--metrics-dir', metrics]);
  expect(told.exitCode).toBe(0);
  expect(told.stdout).toMatch(
    /never seen +2 +no conversation of (adda, bob|bob, adda); is the id right\?/,
  );
  expect(await metricsIn(metrics)).toMatch(/jobvault_run_users\{.*state="never_seen".*\} 2/);
  const first = told.stderr
    .split('\n')
    .filter((line) => line.includes('none is archived: check the ids'));
  expect(first).toHaveLength(1);
  const bob = await cli([...run.slice(0, -1), file, '--metrics-dir', metrics]);
  expect(bob.stderr).not.toContain('none is archived: check the ids');
  expect(bob.stdout).toMatch(
    /never seen +2 +no conversation of (adda, bob|bob, adda), as before: nothing is missing if the ids are right\n/,
  );
  const counted = await metricsIn(metrics);
  expect(counted).toMatch(/state="never_seen".*\} 2/);
  expect(counted).toMatch(/state="newly_never_seen".*\} 0/);
  await writeFile(file, `${user}\nadda\nbob\ncid\n`);
  const added = await cli([...run, '--metrics-dir', metrics]);
  expect(added.stdout).toMatch(/no conversation of .*; new: cid; is the id right\?\n/);
  expect(added.stderr).toMatch(
    /the service lists no session of these users, and none is archived: check the ids, unless everything was erased \(this is told once\).*cid/,
  );
  // one who is named besides is expected to be there
  expect((await cli([...run, '--user', 'bob'])).exitCode).toBe(3);
});

it('an id that was corrected in the file is told as never seen no more', async () => {
  const [user = ''] = rig.state.userIds();
  const file = join(rig.directory, 'users.csv');
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
  const run = ['export', ...place, '--users-file', file, '--min-users', '10%'];
  const told = async () => {
    const status = await cliJson<ArchiveStatus>(['status', rig.out]);
    const pages = join(rig.directory, 'report');
    const report = await cli(['report', rig.out, '--out', pages]);
    const found = await cli(['search', rig.out, 'a']);
    return {
      users: status.users.never_seen,
      named: status.never_seen,
      unread: [status.users.never_seen_unread, ...status.never_seen_unread],
      says: /^ +users +(.*)$/m.exec((await cli(['status', rig.out])).stdout)?.[1],
      caveats: status.caveats.filter(({ kind }) => kind === 'never_seen').length,
      oldest: status.oldest_listing?.user,
      before: status.last_export?.listed_before,
      isAsked: [
        (await cli(['status', rig.out])).stdout,
        report.stdout + report.stderr,
        found.stdout + found.stderr,
      ].map((text) => /if the id is right|lists no conversation of/.test(text)),
    };
  };
  await writeFile(file, `${user}\nadda\n`);
  await cli(run);
  const oldest = { oldest: user, before: 0 };
  const isAsked = [true, true, true];
  const seen = '2 (1 person with conversations): 2 complete';
  const before = { unread: [0], says: seen };
  expect(await told()).toEqual({
    ...{ users: 1, named: ['adda'], caveats: 1 },
    ...{ ...before, ...oldest, isAsked },
  });
  await writeFile(file, `${user}\n`);
  await cli(run);
  const isNotAsked = isAsked.map(() => false);
  expect(await told()).toEqual({
    users: 0,
    named: [],
    unread: [1, 'adda'],
    says: `${seen}; 1 without conversations whom exports read no more: adda`,
    caveats: 0,
    ...oldest,
    isAsked: isNotAsked,
  });
  // who asks for it by its name is told
  const asked = await cli(['report', rig.out, '--user', 'adda', '--out', `${rig.out}-adda`]);
  expect(asked.stdout + asked.stderr).toMatch(/if the id is right/);
});

it('one of a file is named once by the log, always by status and output, counted in metrics', async () => {
  await using company = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  const [user = '', lost = ''] = company.state.userIds();
  const [file, metrics] = [join(company.directory, 'u.csv'), company.directory];
  await writeFile(file, `${user}\n${lost}\n`);
  const place = ['--base-url', company.emulator.baseUrl, '--out', company.out];
  const run = ['export', ...place, '--users-file', file, '--metrics-dir', metrics];
  const counted = async () =>
    ((await metricsIn(metrics)).match(/state="(?:newly_)?vanished".*/g) ?? []).map((one) =>
      one.replace(/^state="(\w+)".*\} /, '$1 '),
    );
  expect((await cli([...run, '--log-level', 'warn'])).stderr).toBe('');
  expect(await counted()).toEqual(['vanished 0', 'newly_vanished 0']);
  for (const session of company.state.sessionIds(lost)) company.state.deleteSession(lost, session);
  const first = await cli([...run, '--log-level', 'warn']);
  expect([first.exitCode, first.stderr]).toEqual([
    0,
    expect.stringContaining(
      `the service lists nothing any more of users who had sessions: ${lost}; what is archived of them stays (this is told once)`,
    ),
  ]);
  expect(first.stdout).toContain(
    `of ${lost} the service lists nothing any more; what is archived stays`,
  );
  expect(await counted()).toEqual(['vanished 1', 'newly_vanished 1']);
  expect((await cli([...run, '--log-level', 'warn'])).stderr).toBe('');
  expect(await counted()).toEqual(['vanished 1', 'newly_vanished 0']);
  expect((await cli(['status', company.out])).stdout).toMatch(
    new RegExp(
      `^  users +2: 2 complete; 1 of whom the service lists nothing any more: ${lost}$`,
      'm',
    ),
  );
});

it(
  'a user who was never listed is pointed out in the output, the log and the metrics',
  fault('F-68'),
  async () => {
    const [user = ''] = rig.state.userIds();
    const metrics = rig.directory;
    const told = await cli([...words(user, 'adda'), ...ALLOWED, '--metrics-dir', metrics]);
    expect(told.exitCode).toBe(0);
    expect(told.stdout).toMatch(/never seen +1 +no conversation of adda; is the id right\?/);
    expect(told.stdout).not.toMatch(/nothing is missing$/m);
    expect(told.stderr).toMatch(
      /the service lists no session of these users, and none is archived.*/,
    );
    expect(told.stderr).toContain('adda');
    expect(await metricsIn(metrics)).toMatch(/jobvault_run_users\{.*state="never_seen".*\} 1/);
  },
);

it(
  'a user of whom no session was ever listed is named in the summary of a program',
  fault('F-68'),
  async () => {
    const [user = ''] = rig.state.userIds();
    expect(await cliJson<ExportSummary>([...words(user, 'adda'), ...ALLOWED])).toMatchObject({
      status: 'complete',
      never_seen: ['adda'],
    });
    expect((await cliJson<ExportSummary>(words(user))).never_seen).toEqual([]);
  },
);

it('a user who was never listed is not one without sessions left, nor one of a search', async () => {
  const [user = ''] = rig.state.userIds();
  await rig.run();
  for (const session of rig.state.sessionIds(user)) rig.state.deleteSession(user, session);
  expect((await rig.run()).summary.never_seen).toEqual([]);
  expect((await rig.run({ users: ['adda'], search: 'x' })).summary.never_seen).toEqual([]);
});

it(
  'a user of whom no session was ever listed is a warning of the doctor',
  fault('F-68'),
  async () => {
    const [user = ''] = rig.state.userIds();
    const doctor = async (name: string) => {
      const [, ...place] = words(name);
      return (await cli(['doctor', ...place])).stdout;
    };
    expect(await doctor('adda')).toMatch(/warn +user +the service lists no session of adda/);
    expect(await doctor(user)).not.toContain('no session');
  },
);

it(
  'a user of whom no session was ever listed is named in the summary of a fleet',
  fault('F-68'),
  () => {
    const record = { name: 'nightly', enqueued_at: '2026-01-01T00:00:00.000Z' } as RunRecord;
    const results = [{ ...new BatchTally().result(), never_seen: ['adda'] }];
    const end = {
      record,
      results,
      users: 2,
      remaining: new Set<string>(),
      doubts: [],
      budget: null,
      location: './archive',
    };
    const summary = summarise({ ...end, finishedAtMs: Date.now() });
    expect(summary.never_seen).toEqual(['adda']);
    expect(viewText(runView({ ...summary, commit: 1 }))).toContain(
      'no conversation of adda; is the id right?',
    );
  },
);
