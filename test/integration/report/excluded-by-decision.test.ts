/** A job of unknown date that somebody excludes: what is made is complete, and names it to whoever gets it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const PERIOD = ['--to', '2026-01-11', '--undated', 'exclude'];
const WORDS = ['--user', 'ada', '--match', 'plan', ...PERIOD];
const HEADING = 'Excluded by decision: nothing tells whether this was asked within the period';
const REASON =
  'nothing tells whether it was asked within the period; excluded by decision (--undated exclude)';
const named = (job: number): string =>
  `“Plans”, at an unknown time: job no-time-${job} in session s-1`;
const [ONE, OTHER] = [named(1), named(2)];

let people: SearchRig;
const at = (name: string): string => join(people.rig.directory, name);

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [
    { question: 'The plan?' },
    { question: 'Another plan?', id: 'no-time-1' },
    { question: 'A third plan?', id: 'no-time-2' },
  ]);
  await people.rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

/** What the terminal says first, and of gaps. */
function said(stdout: string): string[] {
  return stdout
    .split('\n')
    .filter((line, index) => index === 0 || /^ +gaps |^Next/.test(line))
    .map((line) => line.trim().replace(/\s\s+/, ' ').replace(people.rig.directory, '.'));
}

// words are found newest first, a period goes over the history as the service lists it
it.each<[string, string[], string, string, [number, number]]>([
  [
    'words',
    WORDS,
    'Complete in what was searched',
    'Nothing of what the search found is missing',
    [1, 2],
  ],
  [
    'a period',
    ['--user', 'ada', ...PERIOD],
    'Complete',
    'Nothing that it is about is missing',
    [2, 1],
  ],
])('is named in an evidence pack of %s', async (of, words, headline, whole, [first, second]) => {
  const [one, other] = [named(first), named(second)];
  const { exitCode, summary, pack } = await handOver(people.rig, ...words);
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({ status: 'complete', jobs: 1, gaps: 0, jobs_left_out: 2 });
  const out = at(`pack of ${of}`);
  const told = await cli(['evidence', people.rig.out, '--out', out, ...words]);
  expect(said(told.stdout)).toEqual([
    `${headline}; 2 jobs excluded by decision, named in data/gaps.csv: evidence of 1 user in ./pack of ${of}`,
    'gaps none known; 2 jobs excluded by decision, named in data/gaps.csv',
  ]);
  expect(await pack.page('gaps')).toMatchObject([
    {
      user_id: 'ada',
      job_id: `no-time-${first}`,
      status: 'undated',
      reason: REASON,
      accepted_by: '',
    },
    {
      user_id: 'ada',
      job_id: `no-time-${second}`,
      status: 'undated',
      reason: REASON,
      accepted_by: '',
    },
  ]);
  expect(await pack.page('summary')).toMatchObject([
    { gaps: '0', jobs_left_out: '2', complete: 'yes' },
  ]);
  const readme = await pack.text('data/README.txt');
  const [, after = ''] = readme.split('(each once)\n\n');
  expect(after.slice(0, after.indexOf('\n\n', after.indexOf(`no-time-${second}`)))).toBe(
    `No gap of these jobs is known.
2 jobs excluded by decision, named in gaps.csv.

EXCLUDED BY DECISION: nothing tells whether this was asked within the period

  ada, ${one}
  ada, ${other}`,
  );
  const page = await pack.text('data/index.html');
  expect(page).toContain(`<li>${whole}; 2 jobs excluded by decision, named in gaps.csv</li>`);
  expect(page).toContain(`<h2>${HEADING}</h2><ul><li>ada, ${one}</li><li>ada, ${other}</li></ul>`);
  expect(page).toContain(
    '<a href="#/gaps">nothing of these is missing; the list has 2 jobs excluded by decision</a>',
  );
});

it('is named in a report', async () => {
  const words = ['report', people.rig.out, '--out', at('report'), ...WORDS];
  const { exitCode, stdout } = await cli(words);
  expect([exitCode, said(stdout)]).toEqual([
    0,
    [
      'Complete in what was searched; 2 jobs excluded by decision, named on its first page: the report is ./report/index.html',
      'gaps none known; 2 jobs excluded by decision, named on its first page',
    ],
  ]);
  const json = await cli([...words, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'complete', gaps: 0, jobs_left_out: 2 });
  const page = await readFile(at('report/index.html'), 'utf8');
  expect(page).toContain(`<h2>${HEADING}</h2><ul><li>ada, ${ONE}</li><li>ada, ${OTHER}</li></ul>`);
  const gaps = await readFile(at('report/data/gaps.js'), 'utf8');
  expect(gaps.match(/no-time-\d/g)).toEqual(['no-time-1', 'no-time-2']);
  expect(gaps).toContain(
    `"status":"undated","reason":"${REASON}","advice":"Whoever made this decided to leave it out; it is in the archive."`,
  );
});

it('is named on the cover of a workbook', async () => {
  const out = at('ada.xlsx');
  const words = ['workbook', people.rig.out, '--out', out, ...WORDS];
  const { exitCode, stdout } = await cli(words);
  expect([exitCode, said(stdout)]).toEqual([
    0,
    [
      'Complete in what was searched; 2 jobs excluded by decision, named on its cover: the workbook of ada is ./ada.xlsx',
      'gaps none known; 2 jobs excluded by decision, named on its cover',
    ],
  ]);
  const { sheets } = await readXlsx(await readFile(out));
  const cover = sheets.find(({ name }) => name === 'Cover')?.rows ?? [];
  expect(cover.filter(([label]) => label === 'Gaps' || label === 'Excluded')).toEqual([
    ['Gaps', 0, 'nothing of these is missing; 2 questions excluded by decision, named below'],
    ['Excluded', ONE, REASON],
    ['Excluded', OTHER, REASON],
  ]);
  const json = await cli([...words.with(3, at('2.xlsx')), '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'complete', gaps: 0, jobs_left_out: 2 });
});

it('is named by a search, with the reason in JSON', async () => {
  const words = ['search', people.rig.out, 'plan', ...PERIOD];
  const { exitCode, stdout } = await cli(words);
  expect([exitCode, stdout.split('\n').slice(0, 5)]).toEqual([
    0,
    [
      '1 hit in 1 job of commit 1',
      'Excluded: 2 jobs whose date is unknown.',
      `  ada, ${ONE}`,
      `  ada, ${OTHER}`,
      '',
    ],
  ]);
  const json = await cli([...words, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    matches: 1,
    left_out: [
      { job_id: 'no-time-1', excerpt: 'Another plan?', reason: REASON },
      { job_id: 'no-time-2', excerpt: 'A third plan?', reason: REASON },
    ],
  });
});
