/** A product of a period tells its gaps as gaps, and as a doubt only what else may be of the period. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts, namedIn } from '../../support/tables/caveat-counts.js';

const PERIOD = ['--from', '2026-01-01', '--to', '2026-02-01'];
const JANUARY = Date.UTC(2026, 0, 10);

let people: SearchRig;

beforeAll(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  const lost = (session: string, id: string): string =>
    rig.state.addJob('ada', session, oldJob(id, ['lost.csv']));
  people.talk('ada', 's-in', 'In January', [{ question: 'What of it?' }]);
  lost('s-in', rig.state.newJobId(JANUARY));
  people.talk('ada', 's-undated', 'At no known time', []);
  lost('s-undated', 'no-time');
  people.talk('ada', 's-before', 'Long before', []);
  lost('s-before', rig.state.newJobId(Date.UTC(2025, 5, 1)));
  await rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

it('a gap of a question in the period is a gap alone, and one that may be in it a doubt', async () => {
  const { exitCode, summary } = await handOver(people.rig, ...PERIOD);
  const told = summary();
  expect([exitCode, told.status, caveatCounts(told, 'gap', 'searched_gap')]).toEqual([
    3,
    'incomplete',
    { gap: 1, searched_gap: 1 },
  ]);
  expect(namedIn(told, 'searched_gap')).toEqual(['ada, session s-undated']);
});

it('a gap of the period that somebody has accepted leaves nothing open', async () => {
  const accept = ['gap', 'accept', people.rig.out, '--by', 'Dana', '--reason', 'file lost'];
  for (const session of ['s-in', 's-undated']) await cli([...accept, '--session', session]);
  const out = join(people.rig.directory, 'accepted-report');
  const report = ['report', people.rig.out, '--out', out, ...PERIOD, '--undated', 'include'];
  const told = await cliJson<{ readonly caveats: readonly Caveat[] }>(report);
  expect(caveatCounts(told, 'gap', 'accepted_gap', 'searched_gap')).toEqual({ accepted_gap: 2 });
});
