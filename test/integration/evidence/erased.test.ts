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
    await rig.export();
    const { told, ...facts } = await pack(user);
    expect(told).toMatch(/^Not complete, by decision: 1 of 6 conversations was erased /);
    expect(told).toMatch(/the archive has 1 erasure, of 20\d\d-\d\d-\d\d/);
    const counts = { erased: 1, erasures: 1 };
    expect(facts).toEqual({ exitCode: 0, counts, complete: 'no', erased: '1' });
  }
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  expect(stdout).toContain(
    '5 sessions listed, 5 announced, complete; 1 session of this user erased before',
  );
  const status = (await cli(['status', rig.out])).stdout;
  expect(status).toMatch(
    /^ {2}erasures +1, of 20\d\d-\d\d-\d\d: what they took is in no count here/m,
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
  await rig.export();
  const { counts, complete } = await pack(user);
  expect([counts, complete]).toEqual([{ erasures: 1 }, 'yes']);
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
