/** What is in doubt where a search of a period looked: gaps that are outside it for certain are not. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { namedIn } from '../../support/tables/caveat-counts.js';

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

interface Told {
  readonly caveats: readonly Caveat[];
}

/** Of each session the id alone. */
const sessionsIn = (told: Told): string[] =>
  namedIn(told, 'searched_gap').map((line) => /session ([\w-]+)/.exec(line)?.[1] ?? '');

it.each([
  ['2025-01', '2025-02', []],
  ['2026-01', '2026-01', ['s-january']],
  ['2026-02', '2026-02', ['s-both']],
  ['2026-01', '2026-06', ['s-both', 's-january']],
])('counts from %s to %s the sessions with gaps that may be of it: %j', async (from, to, ids) => {
  const period = ['--from', from, '--to', to, '--user', 'ann'];
  for (const words of [
    ['search', rig.out, 'condor'],
    ['report', rig.out, '--match', 'condor', '--out', join(rig.directory, `report-${from}-${to}`)],
    ['workbook', rig.out, '--match', 'condor', '--out', join(rig.directory, `${from}-${to}.xlsx`)],
  ]) {
    const { exitCode, stdout } = await cli([...words, ...period, '--json']);
    expect(sessionsIn(JSON.parse(stdout) as Told).toSorted()).toEqual(ids.toSorted());
    expect(exitCode).toBe(ids.length === 0 ? 0 : 3);
  }
  const { pack } = await handOver(rig, '--match', 'condor', ...period);
  const stated = (await pack.json('data/search.json')) as unknown as Told;
  expect(sessionsIn(stated).toSorted()).toEqual(ids.toSorted());
});

it('counts a gap of a job of which nothing tells the time in every period', async () => {
  const words = ['search', rig.out, 'condor', '--user', 'ben', '--from', '2025-01', '--json'];
  const { stdout } = await cli([...words, '--to', '2025-02']);
  expect(sessionsIn(JSON.parse(stdout) as Told)).toEqual(['s-undated']);
});
