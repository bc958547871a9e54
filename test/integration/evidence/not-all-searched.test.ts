/** What is made of a search names the tables that were not searched to their end, and no table of people whom it is not about. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const ROW = `${'x'.repeat(98)}\n`;
const LONG = `who\n${ROW.repeat(200)}falcon\n`;
let people: SearchRig;
let ada: string[];

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-ada', 'Sales', [
    { question: 'The condor?' },
    { question: 'What is there?', table: 'long.csv', csv: LONG },
    { question: 'And here?', table: 'odd.csv', csv: Buffer.from('504b0304140000000800ff', 'hex') },
  ]);
  people.talk('ben', 's-ben', 'Costs', [{ question: 'The condor?' }]);
  await people.rig.archived();
});
afterAll(() => people[Symbol.asyncDispose]());

const linesOf = (page: string): string[] =>
  [...page.matchAll(/<li>([^<]*)<\/li>/g)].map(([, line = '']) => line);

it('a pack names long tables that it did not search in a file of their own, for each user', async () => {
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

it('a pack names no people of whom it has nothing, nor titles of their conversations', async () => {
  const { pack } = await handOver(people.rig, '--match', 'eagle');
  expect(await pack.page('tables-not-searched')).toEqual([]);
  const others = '2 of people of whom nothing is here';
  expect(linesOf(await pack.text('data/index.html'))).toContain(others);
  expect(await pack.filesWith('long.csv')).toEqual([]);
  const named = await handOver(people.rig, '--match', 'eagle', '--user', 'ada');
  expect(await named.pack.page('tables-not-searched')).toMatchObject([
    { job_id: ada[2], session_name: '' },
    { job_id: ada[1], session_name: '' },
  ]);
});

it('a pack names the tables of people named because a job of theirs was left out', async () => {
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
  const none = { sessions: '0', jobs: '0', records: '0', file_places: '0', gaps: '0' };
  const counts = { jobs_left_out: '1', tables_not_searched: '0', tables_in_part: '2' };
  const listed = { sessions_listed: '2', first_exported_at: '' };
  expect(await pack.page('summary')).toMatchObject([
    { user_id: 'cara', ...none, ...counts, complete: 'no', ...listed },
  ]);
  const named = [
    `cara, “long.csv” (session s-new, job ${other})`,
    `cara, “long.csv” in “Old notes” (session s-old, job ${job})`,
    '1 of people of whom nothing is here',
  ];
  expect(linesOf(await pack.text('data/index.html'))).toEqual(expect.arrayContaining(named));
  const readme = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  expect(readme).toContain(named.join(' - '));
  for (const word of ['s-dan', 'Diary']) expect(await pack.filesWith(word)).toEqual([]);
  const out = join(others.rig.directory, 'report');
  await cli(['report', others.rig.out, '--out', out, ...about]);
  expect(linesOf(await readFile(join(out, 'index.html'), 'utf8'))).toEqual(
    expect.arrayContaining(named),
  );
  const decided = await handOver(others.rig, ...about, '--undated', 'exclude');
  expect(await decided.pack.page('summary')).toMatchObject([
    { user_id: 'cara', ...none, ...counts, complete: 'by decision' },
  ]);
});
