/** What is in doubt where a search of a period looked: gaps that are outside it for certain are not. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NamedDoubts } from '../../../src/archive/reading/doubts.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

let rig: ExportRig;

/** Each session has a lost file; that of s-both is of February. Of the job of s-undated nothing tells the time. */
beforeAll(async () => {
  rig = await ExportRig.start();
  const lost = (at: string) => oldJob(rig.state.newJobId(Date.parse(at)), ['lost.csv']);
  const whole = (at: string) => oldJob(rig.state.newJobId(Date.parse(at)), []);
  rig.state.addSession('ann', { id: 's-january' }, [lost('2026-01-10T12:00Z')]);
  const both = [whole('2026-01-12T12:00Z'), lost('2026-02-12T12:00Z')];
  rig.state.addSession('ann', { id: 's-both' }, both);
  rig.state.addSession('ben', { id: 's-undated' }, [oldJob('no-time', ['lost.csv'])]);
  await rig.export();
});
afterAll(() => rig[Symbol.asyncDispose]());

const HAVE_GAPS = /searched\s(has|have)\sgaps/;

it.each([
  ['2025-01', '2025-02', []],
  ['2026-01', '2026-01', ['s-january']],
  ['2026-02', '2026-02', ['s-both']],
  ['2026-01', '2026-06', ['s-both', 's-january']],
])('counts from %s to %s the sessions with gaps that may be of it: %j', async (from, to, ids) => {
  const period = ['--from', from, '--to', to, '--user', 'ann'];
  const doubts = { sessions_with_gaps: ids.length, gap_sessions: ids };
  const { stdout } = await cli(['search', rig.out, 'condor', ...period, '--json']);
  expect((JSON.parse(stdout) as { doubts: NamedDoubts }).doubts).toMatchObject(doubts);
  const shown = await cli(['search', rig.out, 'condor', ...period]);
  expect(shown.exitCode).toBe(ids.length === 0 ? 0 : 3);
  expect(HAVE_GAPS.test(shown.stdout)).toBe(ids.length > 0);
  const { pack } = await handOver(rig, '--match', 'condor', ...period);
  expect(await pack.json('data/search.json')).toMatchObject(doubts);
  expect(HAVE_GAPS.test(await pack.text('data/README.txt'))).toBe(ids.length > 0);
  for (const [command, name] of [
    ['report', `report-${from}-${to}`],
    ['workbook', `workbook-${from}-${to}.xlsx`],
  ] as const) {
    const words = [command, rig.out, '--match', 'condor', ...period];
    const made = await cliJson(
      [...words, '--out', join(rig.directory, name)],
      ids.length === 0 ? 0 : 3,
    );
    expect(made).toMatchObject({ search: doubts });
  }
});

it('counts a gap of a job of which nothing tells the time in every period', async () => {
  const words = ['search', rig.out, 'condor', '--user', 'ben', '--from', '2025-01', '--json'];
  const { stdout } = await cli([...words, '--to', '2025-02']);
  expect(JSON.parse(stdout)).toMatchObject({ doubts: { gap_sessions: ['s-undated'] } });
});
