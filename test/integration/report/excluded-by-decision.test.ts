/** A job of unknown date that somebody excludes is named to whoever gets what is made, and fails no command. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import type { SearchResult } from '../../../src/search/search-archive.js';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const PERIOD = ['--to', '2026-01-11', '--undated', 'exclude'];
const WORDS = ['--user', 'ada', '--match', 'plan', ...PERIOD];
const REASON =
  'no dated question beside it tells whether it was asked within the period; left out by decision (--undated exclude)';
const named = (job: number): string =>
  `ada, “Plans” (session s-1, job no-time-${job}): asked at an unknown time`;

let people: SearchRig;
const at = (name: string): string => join(people.rig.directory, name);

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [
    { question: 'The plan?' },
    { question: 'Another plan?', id: 'no-time-1' },
    { question: 'A third plan?', id: 'no-time-2' },
  ]);
  await people.rig.archived();
});
afterAll(() => people[Symbol.asyncDispose]());

interface Told {
  readonly caveats: readonly Caveat[];
}

/** Two of three, in what order words or a period find them. */
const leftOut = (...jobs: number[]): Partial<Caveat> => ({
  kind: 'left_out',
  severity: 'missing',
  count: 2,
  total: 3,
  headline: '2 questions whose date is unknown were left out by decision',
  named: jobs.map(named),
  next: null,
  open: false,
});

// words are found newest first, a period goes over the history as the service lists it
it.each<[string, string[], number[]]>([
  ['words', WORDS, [1, 2]],
  ['a period', ['--user', 'ada', ...PERIOD], [2, 1]],
])('is named in an evidence pack of %s', async (_, words, jobs) => {
  const { exitCode, summary, pack } = await handOver(people.rig, ...words);
  expect([exitCode, summary().status, summary().jobs]).toEqual([0, 'incomplete-by-decision', 1]);
  expect(summary().caveats[0]).toMatchObject(leftOut(...jobs));
  expect(await pack.page('gaps')).toMatchObject(
    jobs.map((job) => ({
      user_id: 'ada',
      job_id: `no-time-${job}`,
      status: 'undated',
      reason: REASON,
      accepted_by: '',
    })),
  );
  expect(await pack.page('summary')).toMatchObject([
    { gaps: '0', jobs_left_out: '2', complete: 'by decision' },
  ]);
});

it('is named in a report, with what was decided in its list', async () => {
  const told = await cliJson<Told>(['report', people.rig.out, '--out', at('report'), ...WORDS]);
  expect(told.caveats[0]).toMatchObject(leftOut(1, 2));
  const gaps = await readFile(at('report/data/gaps.js'), 'utf8');
  expect(gaps.match(/no-time-\d/g)).toEqual(['no-time-1', 'no-time-2']);
  expect(gaps).toContain(
    `"status":"undated","reason":"${REASON}","isAccepted":false,"meaning":"whoever made this decided to leave it out; it is in the archive"`,
  );
});

it('is named in a workbook', async () => {
  const told = await cliJson<Told>(['workbook', people.rig.out, '--out', at('a.xlsx'), ...WORDS]);
  expect(told.caveats[0]).toMatchObject(leftOut(1, 2));
});

it('is named by a search, which has it apart from its hits', async () => {
  const found = await cliJson<SearchResult>(['search', people.rig.out, 'plan', ...PERIOD]);
  expect(found.caveats[0]).toMatchObject(leftOut(1, 2));
  expect(found).toMatchObject({
    matches: 1,
    left_out: [
      { job_id: 'no-time-1', excerpt: 'Another plan?', reason: REASON },
      { job_id: 'no-time-2', excerpt: 'A third plan?', reason: REASON },
    ],
  });
});
