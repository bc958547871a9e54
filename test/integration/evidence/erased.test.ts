/** A pack says what erasures have taken, also when a later export has listed the user without it. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveat.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
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
    expect(told).toMatch(/the archive has 1 erasure, of 20\d\d-\d\d-\d\d/);
    const counts = { erased: 1, erasures: 1 };
    expect(facts).toEqual({ exitCode: 0, counts, complete: 'by decision', erased: '1' });
  }
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  expect(stdout).toContain(
    '5 sessions listed, 5 announced, all of them archived; 1 session of this user erased before',
  );
  const status = (await cli(['status', rig.out])).stdout;
  expect(status).toMatch(
    /^ {2}users +2: 1 complete, 1 not complete, by decision [(]accepted gaps, or erased[)]$/m,
  );
  expect(status).toMatch(
    /^ {2}erasures +1, of 20\d\d-\d\d-\d\d: what they took is in no other count here/m,
  );
  const { told, ...facts } = await pack(other);
  expect(told).toMatch(
    /^Complete, unless it was erased: the archive has 1 erasure, of 20\d\d-\d\d-\d\d /,
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
  // of what was gone from the service before it was erased, no listing tells
  rig.state.deleteSession(user, deleted);
  await rig.export();
  await erase('--session', deleted);
  await erase('--session', erased);
  rig.state.deleteSession(user, erased);
  await rig.export();
  const { told } = await pack(user);
  expect(told).toMatch(/^Not complete, by decision: at least 1 of 5 conversations was erased /);
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
    'erased before up to 6 new sessions had been erased, and the service still had them: archived again (receipts do not say which);',
  );
  expect(stderr).toContain('up to 6 new sessions had been erased, and the service still had them');
  expect((await run()).stdout).not.toContain('had been erased');
});

it('conversations that are erased are counted among those of everybody, and those that are left', async () => {
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
    expect([told?.count, told?.of]).toEqual(erased);
    expect(report.sessions + (told?.count ?? 0)).toBe(told?.of);
    expect(told?.why).toContain(`${report.sessions} of them are in the archive`);
  }
});

it('what is gone from the service is among those that are left, of which it is said everywhere', async () => {
  const [user = ''] = rig.state.userIds();
  const [gone = '', erased = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  await rig.export();
  await erase('--session', erased);
  rig.state.deleteSession(user, erased);
  await rig.export();
  const { told } = await pack(user);
  expect(told).toContain('sessions 5 ');
  expect(told).toContain('1 conversation is gone from the service: it stays in the archive');
});

it('a person who was erased and is archived again is never told to be simply complete', async () => {
  const [user = ''] = rig.state.userIds();
  await erase('--user', user);
  const [gone = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  await rig.export();
  const { told, counts } = await pack(user);
  expect(told).toMatch(/^Complete, unless it was erased: /);
  expect(counts).toEqual({ erasures: 1 });
});
