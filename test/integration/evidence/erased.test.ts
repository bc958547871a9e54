/** A pack says what erasures have taken, also when a later export has listed the user without it. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { deletionEntry } from '../../support/store/archive-samples.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 6, jobs: 1 });
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const erase = async (...what: string[]): Promise<void> => {
  await cliJson(['erase', rig.out, ...what, '--reason', 'asked', '--yes']);
};
let packs = 0;
async function pack(user: string) {
  const out = join(rig.directory, `pack-${++packs}`);
  const given = ['evidence', rig.out, '--user', user, '--out', out];
  const { exitCode, stdout } = await cli([...given, '--json']);
  const { caveats } = JSON.parse(stdout) as { readonly caveats: readonly Caveat[] };
  const readme = await readFile(join(out, 'data', 'README.txt'), 'utf8');
  const summary = await readFile(join(out, 'data', 'summary.csv'), 'utf8');
  const [names = '', row = ''] = summary.replace('\ufeff', '').split('\r\n');
  const at = (column: string) => row.split(',')[names.split(',').indexOf(column)];
  return {
    exitCode,
    counts: caveatCounts({ caveats }, 'erased', 'maybe_erased', 'erasures', 'gap', 'not_proven'),
    told: readme.replace(/\s+/g, ' ').slice('EVIDENCE PACK '.length),
    complete: at('complete'),
    erased: at('erased'),
  };
}

it('a conversation that is erased and deleted is told as erased after every later export', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const [gone = ''] = rig.state.sessionIds(user);
  await erase('--session', gone);
  rig.state.deleteSession(user, gone);
  for (let night = 0; night < 2; night++) {
    const run = await rig.export();
    expect([run.status, run.users]).toMatchObject([
      'incomplete-by-decision',
      { complete: 1, incomplete_by_decision: 1 },
    ]);
    expect(run).not.toHaveProperty('maybe_erased_before');
    const { told, ...facts } = await pack(user);
    expect(told).toMatch(/^Not complete, by decision: 1 of 6 conversations was erased /);
    expect(told).toMatch(/the archive has 1 erasure [(]1 conversation[)], of 20\d\d-\d\d-\d\d/);
    const counts = { erased: 1, erasures: 1 };
    expect(facts).toEqual({ exitCode: 0, counts, complete: 'by decision', erased: '1' });
  }
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  expect(stdout).toContain(
    '5 conversations listed, 5 announced, all of them archived; 1 conversation of this user erased before',
  );
  const status = (await cli(['status', rig.out])).stdout;
  expect(status).toMatch(
    /^ {2}users +2: 1 complete, 1 not complete, by decision [(]accepted gaps, or erased[)]$/m,
  );
  expect(status).toMatch(
    /^ {2}note +the archive has 1 erasure [(]1 conversation[)], of 20\d\d-\d\d-\d\d: (nothing of )?what was erased is /m,
  );
  const { told, ...facts } = await pack(other);
  expect(told).toMatch(
    /^Complete, leaving aside what was erased: the archive has 1 erasure [(]1 conversation[)], of 20\d\d-\d\d-\d\d /,
  );
  expect(facts).toEqual({
    exitCode: 0,
    counts: { erasures: 1 },
    complete: 'yes',
    erased: '0',
  });
});

it('what counts show is told as the least where there are more erasures than that', async () => {
  const [user = ''] = rig.state.userIds();
  const [deleted = '', erased = ''] = rig.state.sessionIds(user);
  // of what was no longer at the service before it was erased, no listing tells
  rig.state.deleteSession(user, deleted);
  await rig.export();
  await erase('--session', deleted);
  await erase('--session', erased);
  rig.state.deleteSession(user, erased);
  await rig.export();
  const { told } = await pack(user);
  expect(told).toMatch(
    /^Not complete, by decision: 1 of 5 conversations was erased, and up to \d+ more that the log does not name /,
  );
});

it('an erased conversation that the service still has comes back, and is missing no more', async () => {
  const [user = ''] = rig.state.userIds();
  const [gone = ''] = rig.state.sessionIds(user);
  await erase('--session', gone);
  expect((await pack(user)).counts).toEqual({ erased: 1, erasures: 1 });
  const { maybe_erased_before: back } = await rig.export();
  expect(back).toBe(1);
  const { counts, complete } = await pack(user);
  expect([counts, complete]).toEqual([{ erasures: 1 }, 'yes']);
});

it('an export says that what was erased may be back, and says it once', async () => {
  const [user = ''] = rig.state.userIds();
  const url = ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
  const run = () => cli(['export', ...url, ...rig.state.userIds().flatMap((id) => ['--user', id])]);
  await erase('--user', user);
  const { stdout, stderr } = await run();
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'erased before 6 new conversations may be some that were erased (receipts do not say which): if the service still had them,',
  );
  expect(stderr).toContain('6 new conversations may be some that were erased');
  expect((await run()).stdout).not.toContain('erased before');
});

it('erased conversations are counted among those of everybody, and those that are left', async () => {
  const [user = ''] = rig.state.userIds();
  await erase('--session', rig.state.sessionIds(user)[0] ?? '');
  for (const [words, erased] of [
    [[], [1, 12]],
    [
      ['--user', user],
      [1, 6],
    ],
  ] as const) {
    const out = join(rig.directory, `report-${++packs}`);
    const given = ['report', rig.out, ...words, '--out', out];
    const report = await cliJson<{ readonly sessions: number; readonly caveats: Caveat[] }>(given);
    const told = report.caveats.find(({ kind }) => kind === 'erased');
    expect([told?.count, told?.total]).toEqual(erased);
    expect(report.sessions + (told?.count ?? 0)).toBe(told?.total);
    expect(told?.why).toContain(`the archive has ${report.sessions} of the `);
  }
});

it('what is no longer at the service is among those that are left, as every output says', async () => {
  const [user = ''] = rig.state.userIds();
  const [gone = '', erased = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  await rig.export();
  await erase('--session', erased);
  rig.state.deleteSession(user, erased);
  await rig.export();
  const { told } = await pack(user);
  expect(told).toContain('conversations 5 ');
  expect(told).toContain('1 conversation is no longer at the service: it stays in the archive');
});

it('a person who was erased and is archived again is never told to be simply complete', async () => {
  const [user = ''] = rig.state.userIds();
  await erase('--user', user);
  const [gone = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  await rig.export();
  const { told, counts } = await pack(user);
  expect(told).toMatch(/^Complete, leaving aside what was erased: /);
  expect(counts).toEqual({ erasures: 1 });
});

async function statusOf(user: string) {
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  const [headline = ''] = stdout.split('\n');
  const text = stdout.replace(/\s+/g, ' ');
  const { details } = await cliJson<{ readonly details: readonly UserDetail[] }>([
    ...['status', rig.out, '--user', user],
  ]);
  return { headline, text, status: details[0]?.status };
}

it('status says of a user what a pack says, also of erasures before the last listing', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const [early = '', late = ''] = rig.state.sessionIds(user);
  await erase('--session', early);
  rig.state.deleteSession(user, early);
  await rig.export();
  await erase('--session', late);
  for (const [whose, status] of [
    [other, 'complete'],
    [user, 'incomplete-by-decision'],
  ] as const) {
    const { told } = await pack(whose);
    const found = await statusOf(whose);
    const headline = found.headline.slice(whose.length + 2);
    expect([told.toLowerCase().startsWith(headline), found.status]).toEqual([true, status]);
    expect(found.text).toContain('the archive has 2 erasures (2 conversations), the last of ');
    expect(found.text).toContain(`jobvault erase ${rig.out} --list`);
  }
  expect((await statusOf(other)).text).toContain(
    `${other}: complete, leaving aside what was erased: the archive has 2 erasures (2 conversations), `,
  );
});

it('what is certainly erased is told as certain, whatever files are missing', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const [holed = '', gone = '', erased = ''] = rig.state.sessionIds(user);
  rig.state.addJob(user, holed, oldJob(rig.state.newJobId(0), ['lost.csv']));
  rig.state.deleteSession(user, gone);
  await rig.export();
  await erase('--session', erased);
  const certain = { erased: 1, erasures: 1, gap: 1 };
  expect((await pack(user)).counts).toEqual(certain);
  expect((await pack(other)).counts).toEqual({ erasures: 1 });
  rig.state.deleteSession(user, erased);
  await rig.export();
  expect((await pack(user)).counts).toEqual(certain);
});

it('no more may be erased of a user than the listing lacks, without what others certainly lack', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const [gone = '', pruned = '', erased = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  await rig.export();
  // one that prune has deleted since may be any of those that were listed
  const { log } = await rig.open();
  const { run } = await log.read(1);
  const deletion = deletionEntry(user, pruned);
  const draft = { kind: 'prune', base: 2, run, checkpoint: 9, tool: 't', scope: {} } as const;
  await log.append({ ...draft, deletions: [deletion] });
  await erase('--session', erased);
  const [first = '', second = '', third = ''] = rig.state.sessionIds(other);
  for (const session of [first, second]) await erase('--session', session);
  expect((await pack(other)).counts).toEqual({ erased: 2, erasures: 3 });
  expect((await pack(user)).counts).toEqual({ maybe_erased: 1, erasures: 3 });
  await erase('--session', third);
  expect((await pack(user)).counts).toEqual({ maybe_erased: 1, erasures: 4 });
});

it('the first page calls a user what its headline does, and counts what was erased', async () => {
  const [user = ''] = rig.state.userIds();
  await erase('--session', rig.state.sessionIds(user)[0] ?? '');
  const out = join(rig.directory, `report-${++packs}`);
  await cli(['report', rig.out, '--user', user, '--out', out]);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  expect(page).toContain('Not complete, by decision: 1 of 6 conversations was erased');
  expect(page).toContain('<b>1</b> <span>not complete, by decision; see above</span>');
  const people = await readFile(join(out, 'data/people.js'), 'utf8');
  expect(people).toContain('"completeness":"incomplete-by-decision"');
});
