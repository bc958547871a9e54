/** What is made of a search says first that some tables were not searched to their end: that nothing is missing says nothing of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completenessHeadline } from '../../../src/cli/output/archive-texts.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const ROW = `${'x'.repeat(98)}\n`;
const LONG = `who\n${ROW.repeat(200)}falcon\n`;
const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';
const NOT_SEARCHED = `what is in 1 table beyond the first 16 KB, what is in 1 table that the archive does not have as text, ${NEVER}`;
const TABLES = '1 table was not searched, 1 table only in its first 16 KB';

let people: SearchRig;
let ada: string[];
let NAMED: string[];

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-ada', 'Sales', [
    { question: 'The condor?' },
    { question: 'What is there?', table: 'long.csv', csv: LONG },
    { question: 'And here?', table: 'odd.csv', csv: Buffer.from('%PDF-1.7\n\u0000\u0001falcon') },
  ]);
  people.talk('ben', 's-ben', 'Costs', [{ question: 'The condor?' }]);
  await people.rig.export();
  NAMED = [
    `ada, “odd.csv” in “Sales” (session s-ada, job ${ada[2]}): not searched`,
    `ada, “long.csv” in “Sales” (session s-ada, job ${ada[1]}): only its first 16 KB were searched`,
  ];
});
afterAll(() => people[Symbol.asyncDispose]());

const linesOf = (page: string): string[] =>
  [...page.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => line);

it('a pack of a search in tables that are longer than it reads says so in its headline, and no such thing of a search that read every table', async () => {
  const made = async (...words: string[]) => {
    const out = join(people.rig.directory, `for-people-${words.length}`);
    const { exitCode, stdout } = await cli(['evidence', people.rig.out, '--out', out, ...words]);
    return [exitCode, stdout.split('\n')[0]?.replace(out, 'PACK')];
  };
  expect(await made('--user', 'ada', '--match', 'falcon')).toEqual([
    0,
    `Complete in what was searched; ${TABLES}: evidence of 1 user in PACK`,
  ]);
  expect(await made('--match', 'condor', '--user', 'ben', '--in', 'question')).toEqual([
    0,
    'Complete in what was searched: evidence of 1 user in PACK',
  ]);
  expect(await made('--user', 'ada')).toEqual([0, 'Complete: evidence of 1 user in PACK']);
});

it('a pack of a search in tables that are longer than it reads says on its first page what is whole, and what was not searched', async () => {
  const { pack } = await handOver(people.rig, '--user', 'ada', '--match', 'condor');
  const lines = linesOf(await pack.text('data/index.html'));
  expect(lines.slice(0, 2)).toEqual([
    'Nothing of what the search found is missing',
    `The search did not look at ${NOT_SEARCHED}: what stands only there was not found`,
  ]);
  expect(lines.slice(-2)).toEqual(NAMED);
  const ofAll = await handOver(people.rig, '--user', 'ada');
  expect(linesOf(await ofAll.pack.text('data/index.html'))[0]).toBe(
    'Nothing that it is about is missing',
  );
});

it('a pack of a search in tables that are longer than it reads names these tables in a file of their own, and counts them for each user', async () => {
  const { pack } = await handOver(people.rig, '--user', 'ada', '--match', 'condor OR "and here"');
  const of = { user_id: 'ada', session_id: 's-ada', session_name: 'Sales' };
  expect(await pack.page('tables-not-searched')).toEqual([
    { ...of, job_id: ada[1], file: 'long.csv', searched: 'first 16 KB', job_in_pack: 'no' },
    { ...of, job_id: ada[2], file: 'odd.csv', searched: 'nothing', job_in_pack: 'yes' },
  ]);
  const counts = { complete: 'yes', tables_not_searched: '1', tables_in_part: '1' };
  expect(await pack.page('summary')).toMatchObject([counts]);
  const ofAll = await handOver(people.rig, '--user', 'ada');
  // nobody looked for words: no file, and no word of it
  expect(await ofAll.pack.files()).not.toContain('data/tables-not-searched.csv');
  expect(await ofAll.pack.text('data/README.txt')).not.toContain('tables-not-searched.csv');
  const none = { complete: 'yes', tables_not_searched: '', tables_in_part: '' };
  expect(await ofAll.pack.page('summary')).toMatchObject([none]);
});

it('a pack of a search in tables that are longer than it reads names neither people of whom nothing is in it, nor titles of their conversations', async () => {
  const { pack } = await handOver(people.rig, '--match', 'eagle');
  expect(await pack.page('tables-not-searched')).toEqual([]);
  const lines = linesOf(await pack.text('data/index.html'));
  expect(lines.at(-1)).toBe('2 of people of whom nothing is here, who are not named');
  expect(await pack.filesWith('long.csv')).toEqual([]);
  const named = await handOver(people.rig, '--match', 'eagle', '--user', 'ada');
  expect(await named.pack.page('tables-not-searched')).toMatchObject([
    { job_id: ada[2], session_name: '' },
    { job_id: ada[1], session_name: '' },
  ]);
});

it('a pack names the tables of people who are named in it because a job of theirs was left out, and has their row', async () => {
  await using others = await SearchRig.start();
  const long = { table: 'long.csv', csv: LONG };
  const [, job] = others.talk('cara', 's-old', 'Old notes', [
    { question: 'The ibis?', id: 'legacy' },
    { question: 'And?', ...long },
  ]);
  const [other] = others.talk('cara', 's-new', 'Diary', [{ question: 'Then?', ...long }]);
  others.talk('dan', 's-dan', 'Costs', [{ question: 'What?', ...long }]);
  await others.rig.export();
  const about = ['--match', 'ibis', '--from', '2026-01-01'];
  const { exitCode, pack } = await handOver(others.rig, ...about);
  expect(exitCode).toBe(3);
  const rest = { file: 'long.csv', searched: 'first 16 KB', job_in_pack: 'no' };
  expect(await pack.page('tables-not-searched')).toEqual([
    { user_id: 'cara', session_id: 's-new', session_name: '', job_id: other, ...rest },
    { user_id: 'cara', session_id: 's-old', session_name: 'Old notes', job_id: job, ...rest },
  ]);
  const none = { sessions: '0', jobs: '0', records: '0', files: '0', gaps: '0' };
  const counts = { jobs_left_out: '1', tables_not_searched: '0', tables_in_part: '2' };
  const listed = { sessions_listed: '2', first_exported_at: '' };
  expect(await pack.page('summary')).toMatchObject([
    { user_id: 'cara', ...none, ...counts, complete: 'no', ...listed },
  ]);
  const named = [
    `cara, “long.csv” (session s-new, job ${other}): only its first 16 KB were searched`,
    `cara, “long.csv” in “Old notes” (session s-old, job ${job}): only its first 16 KB were searched`,
    '1 of people of whom nothing is here, who are not named',
  ];
  expect(linesOf(await pack.text('data/index.html')).slice(-3)).toEqual(named);
  const readme = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  expect(readme).toContain(named.join(' '));
  for (const word of ['s-dan', 'Diary']) expect(await pack.filesWith(word)).toEqual([]);
  const out = join(others.rig.directory, 'report');
  await cli(['report', others.rig.out, '--out', out, ...about]);
  expect(linesOf(await readFile(join(out, 'index.html'), 'utf8'))).toEqual(
    expect.arrayContaining(named),
  );
  const decided = await handOver(others.rig, ...about, '--undated', 'exclude');
  expect(await decided.pack.page('summary')).toMatchObject([
    { user_id: 'cara', ...none, ...counts, complete: 'yes' },
  ]);
});

it('a pack of a search in tables that are longer than it reads calls no hits what they are: none in what was searched', async () => {
  const { exitCode, pack } = await handOver(people.rig, '--user', 'ada', '--match', 'falcon');
  expect(exitCode).toBe(0);
  const readme = await pack.text('data/README.txt');
  expect(readme).toContain(
    'No gap of these jobs is known.\n1 TABLE WAS NOT SEARCHED, 1 TABLE ONLY IN ITS FIRST 16 KB (see "THE SEARCH").\n',
  );
  expect(readme).toContain(
    [
      '\n\nNOT SEARCHED TO THEIR END: what was looked for may stand in these tables, too\n\n',
      `  ada, “odd.csv” (session s-ada, job ${ada[2]}): not searched\n`,
      `  ada, “long.csv” (session s-ada, job ${ada[1]}): only its first\n    16 KB were searched\n`,
    ].join(''),
  );
  expect(readme).toContain(
    `No hits in what was searched of 3 jobs;\n${TABLES}.\nSearched were the newest versions. NOT SEARCHED:\nwhat is in 1 table beyond the first 16 KB,\n`,
  );
});

it('a report and a workbook of such a search say so in their headlines', async () => {
  const out = join(people.rig.directory, 'report');
  const scope = ['--user', 'ada', '--match', 'condor'];
  const report = await cli(['report', people.rig.out, '--out', out, ...scope]);
  expect(report.stdout.split('\n')[0]).toBe(
    `Complete in what was searched; ${TABLES}: the report is ${out}/index.html`,
  );
  const page = await readFile(join(out, 'index.html'), 'utf8');
  expect(page).toContain('<span>nothing of these is missing</span>');
  expect(linesOf(page)).toEqual(NAMED);
  const file = join(people.rig.directory, 'ada.xlsx');
  const workbook = await cli(['workbook', people.rig.out, '--out', file, ...scope]);
  expect(workbook.stdout.split('\n')[0]).toBe(
    `Complete in what was searched; ${TABLES}: the workbook of ada is ${file}`,
  );
});

it('the record of a request counts the tables that its searches and packs did not read', async () => {
  const { rig } = people;
  const about = ['--user', 'ada', '--match', 'falcon', '--reason', 'Art. 15', '--by', 'Dana'];
  await cli(['request', 'new', rig.out, 'M 7', ...about]);
  await cli(['search', rig.out, '--request', 'M 7', '--by', 'Dana']);
  await handOver(rig, '--request', 'M 7', '--by', 'Dana');
  const { stdout } = await cli(['request', 'show', rig.out, 'M 7']);
  const lines = stdout.split('\n');
  expect(lines.find((line) => line.startsWith('  search '))).toMatch(
    new RegExp(`: 0 of 3 jobs of commit 2; ${TABLES}$`),
  );
  expect(lines.find((line) => line.startsWith('  pack '))).toMatch(
    new RegExp(`: 0 sessions, 0 jobs of commit 3; no gap; ${TABLES}; digest [0-9a-f]{64}$`),
  );
  const counts = { tables_not_searched: 1, tables_in_part: 1 };
  expect(await cliJson(['request', 'show', rig.out, 'M 7'])).toMatchObject({
    searches: [counts],
    packs: [counts],
  });
});

const searched = (without: number, inPart: number, rest = {}) => ({
  ...{ total: 3, searched: 3, matches: 0, time_unknown: 0, undated: null, not_searched: '' },
  ...{ sessions_with_gaps: 0, sessions_with_accepted_gaps: 0, users_not_proven: 0 },
  searched_in: ['table'] as const,
  tables_not_searched: without,
  tables_in_part: inPart,
  ...rest,
});

it.each([
  ['complete', searched(0, 0), 'Complete in what was searched'],
  ['complete', searched(2, 0), 'Complete in what was searched; 2 tables were not searched'],
  [
    'complete',
    searched(0, 1),
    'Complete in what was searched; 1 table was searched only in its first 16 KB',
  ],
  [
    'complete',
    searched(0, 3),
    'Complete in what was searched; 3 tables were searched only in their first 16 KB',
  ],
  [
    'complete',
    searched(2, 3),
    'Complete in what was searched; 2 tables were not searched, 3 tables only in their first 16 KB',
  ],
  ['complete', searched(0, 0, { searched_in: null }), 'Complete'],
  ['gaps', searched(1, 0), 'With gaps; 1 table was not searched'],
  ['not-proven', searched(1, 0), 'No gap known, not proven complete; 1 table was not searched'],
  [
    'left-out',
    searched(0, 1, { time_unknown: 1 }),
    'Without 1 job whose date is unknown; 1 table was searched only in its first 16 KB',
  ],
] as const)(
  'the headline of what is made of a search of %s and its tables',
  (status, search, headline) => {
    expect(completenessHeadline(status, search, 'in gaps.csv')).toBe(headline);
  },
);

it('the headline of what is made of a search of everything that there is', () => {
  expect(completenessHeadline('complete', null, 'in gaps.csv')).toBe('Complete');
});
