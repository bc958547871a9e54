/** A job that was withdrawn from a session, and one that came back: what reads, proves, copies and rewrites the archive. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { ask } from '../../support/rigs/query-rig.js';
import { PICTURES } from '../../support/tables/tiny-image.js';

let rig: PruneRig;
/** Jobs of a1 and of b1, in order of their ids. */
let own: { readonly a1: readonly string[]; readonly b1: readonly string[] };
let second: ExportSummary;

beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  rig.addSession('ben', 'b1', { jobs: 3 });
  own = { a1: rig.state.jobIds('ann', 'a1'), b1: rig.state.jobIds('ben', 'b1') };
  // the first answer for b1 is the history of a1
  rig.emulator.faults.histories = [{ session: 'b1', sent: { userId: 'ann', session: 'a1' } }];
  await rig.rig.export();
  rig.emulator.faults.histories = [];
  second = await rig.rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

const currentJobs = async (session: string): Promise<string[]> => {
  const sql = `SELECT job_id FROM current_jobs WHERE session_id = '${session}'`;
  const { rows } = await ask({ archive: await rig.rig.open(), sql });
  return rows.map(([id]) => id ?? '').sort();
};

it('the summary of a run and the view of runs count a withdrawal as a version of its job', async () => {
  const sql = 'SELECT jobs FROM runs ORDER BY first_commit DESC LIMIT 1';
  const { rows } = await ask({ archive: await rig.rig.open(), sql });
  expect(second.jobs.archived).toBe(own.a1.length + own.b1.length);
  expect(rows).toEqual([[String(second.jobs.archived)]]);
});

it("views, counts, texts and lists have a session's jobs without those that were withdrawn", async () => {
  expect(await currentJobs('b1')).toEqual([...own.b1].sort());
  const { rows } = await ask({
    archive: await rig.rig.open(),
    sql: "SELECT count(*) FROM current_blocks WHERE session_id = 'b1' AND role = 'question'",
  });
  expect(rows).toEqual([['3']]);
  const shown = await cliJson(['show', rig.out, 'b1']);
  expect(shown).toMatchObject({ jobs: { length: 3 } });
  expect(await cliJson(['status', rig.out])).toMatchObject({ jobs: { total: 5 } });
  for (const job of own.a1) {
    expect((await cli(['show', rig.out, 'b1', job])).exitCode).toBe(2);
  }
});

it('A withdrawn job is a change that names its last version', async () => {
  const { changes } = await cliJson<{ changes: readonly Record<string, unknown>[] }>([
    ...['changes', rig.out, '--since', '0'],
  ]);
  const gone = changes.filter(({ change }) => change === 'withdrawn');
  expect(gone.map((one) => one['job_id']).sort()).toEqual([...own.a1].sort());
  expect(gone).toMatchObject([
    { session_id: 'b1', job_version: 2 },
    { session_id: 'b1', job_version: 2 },
  ]);
});

it('an erasure of a session with withdrawn jobs leaves no doubt of the one that has them', async () => {
  expect(await cliJson(['erase', rig.out, '--user', 'ben', '--dry-run'])).toMatchObject({
    still_there: [],
  });
  expect((await cli(['erase', rig.out, '--user', 'ben', '--yes'])).exitCode).toBe(0);
  expect(await cliJson(['status', rig.out])).toMatchObject({ gaps: {}, users: { complete: 1 } });
});

it('an erasure counts a withdrawn job as a question of the other session, until it is back', async () => {
  const erase = ['erase', rig.out, '--user', 'ben', '--dry-run'];
  expect(await cliJson(erase)).toMatchObject({ erased: { jobs: 3 }, sessions: [{ jobs: 3 }] });
  rig.emulator.faults.histories = [{ session: 'b1', sent: { userId: 'ann', session: 'a1' } }];
  await rig.rig.export();
  expect(await cliJson(erase)).toMatchObject({ erased: { jobs: 5 }, sessions: [{ jobs: 5 }] });
});

it('An erasure of a session whose jobs another has had names that one', async () => {
  const words = ['erase', rig.out, '--user', 'ann', '--dry-run'];
  expect(await cliJson(words)).toMatchObject({
    still_there: [{ user: 'ben', session: 'b1', jobs: 2, erased_session: 'a1' }],
  });
});

it.each(['came once', 'comes back'])(
  'a withdrawn job that %s hinders no verify, restore, compact, pack, copy or erase',
  async (how) => {
    const key = rig.path('key');
    await writeFile(key, 'k'.repeat(64));
    if (how === 'comes back') {
      rig.emulator.faults.histories = [{ session: 'b1', sent: { userId: 'ann', session: 'a1' } }];
      await rig.rig.export();
      expect(await currentJobs('b1')).toEqual([...own.a1, ...own.b1].sort());
    }
    for (const words of [
      ['verify', rig.out],
      ['drill', rig.out],
      ['compact', rig.out],
      ['verify', rig.out],
      ['copy', rig.out, rig.path('copy')],
      ['copy', rig.out, rig.path('pseudonyms'), '--pseudonymise', key],
      ['verify', rig.path('pseudonyms')],
    ]) {
      const { exitCode, stderr } = await cli(words);
      expect([words[0], exitCode, exitCode === 0 ? '' : stderr]).toEqual([words[0], 0, '']);
    }
    const isBack = how === 'comes back';
    const pack = await cli([
      'evidence',
      rig.out,
      '--out',
      rig.path('pack'),
      '--user',
      'ben',
      '--json',
    ]);
    expect([pack.exitCode, JSON.parse(pack.stdout)]).toMatchObject([
      isBack ? 3 : 0,
      { jobs: isBack ? 5 : 3 },
    ]);
    const report = await cli(['report', rig.out, '--out', rig.path('report'), '--json']);
    expect([report.exitCode, JSON.parse(report.stdout)]).toMatchObject([
      isBack ? 3 : 0,
      { jobs: isBack ? 7 : 5 },
    ]);
    await eraseFromArchive({ archive: rig.out, users: ['ben'], clock: rig.rig.clock });
    expect((await rig.rig.verify()).problems).toEqual([]);
    expect(await currentJobs('a1')).toEqual([...own.a1].sort());
  },
);

it('A workbook counts no file of a withdrawn question, as a pack and a report do', async () => {
  const { state, emulator } = rig;
  state.putFile('kept.png', PICTURES['png'] ?? '', 'image/png');
  const picture = { name: 'p.png', url: '{{url:kept.png}}', expires_at: '{{expires_at}}' };
  const image = { type: 'IMAGE', content: picture, stage: 'Respond', group_id: '', group_name: '' };
  const question = { blocks: [{ type: 'MESSAGE', content: 'A picture?' }] };
  const job = {
    job_id: state.newJobId(Date.UTC(2026, 0, 5)),
    question,
    answer: { blocks: [image] },
  };
  state.addSession('cleo', { id: 'c1', name: 'Pictures' }, [job]);
  rig.addSession('dan', 'd1');
  emulator.faults.histories = [{ session: 'd1', sent: { userId: 'cleo', session: 'c1' } }];
  await rig.rig.export();
  emulator.faults.histories = [];
  await rig.rig.export();
  const files: unknown[] = [];
  for (const [product, place] of [
    ['report', 'd'],
    ['evidence', 'd-pack'],
    ['workbook', 'd.xlsx'],
  ] as const) {
    const out = ['--out', join(rig.rig.directory, place)];
    const made = await cliJson<{ artifacts: number }>([
      ...[product, rig.out, '--user', 'dan', ...out],
    ]);
    files.push(made.artifacts);
  }
  expect(files).toEqual([0, 0, 0]);
});
