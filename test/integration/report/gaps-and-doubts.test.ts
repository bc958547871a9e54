/** A doubt is a doubt, a gap is a gap, and accepted ones are counted apart: in every output, of the same archive. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sumOfGaps } from '../../../src/model/gap-counts.js';
import { openArchive } from '../../../src/library/operations.js';
import { dataIn } from '../../../src/report/data-script.js';
import type { GapsData, PeopleData } from '../../../src/report/page-data.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

/** Of ann a gap, a doubt and an accepted gap; of ben the other doubt, which is accepted. */
const COUNTS = {
  ann: { gaps: 1, doubts: 1, accepted_gaps: 1, accepted_doubts: 0 },
  ben: { gaps: 0, doubts: 0, accepted_gaps: 0, accepted_doubts: 1 },
};
const OF_ALL = { gaps: 1, doubts: 1, accepted_gaps: 1, accepted_doubts: 1 };

let people: SearchRig;
const accepted: string[] = [];
beforeAll(async () => {
  people = await SearchRig.start();
  const lost = { table: 'lost.csv', csv: null };
  people.talk('ann', 's-gap', 'Lost', [{ question: 'Where?', ...lost }]);
  people.talk('ann', 's-agreed', 'Agreed', [{ question: 'Where is it?', ...lost }]);
  const [twin] = people.talk('ann', 's-twin', 'Twin', [{}, { question: 'And then?' }]);
  people.talk('ben', 's-other', 'Other', [{ id: twin! }, { question: 'Who?' }]);
  await people.rig.export();
  for (const session of ['s-agreed', 's-other']) {
    const words = ['--session', session, '--reason', 'Ticket 7', '--by', 'Grace'];
    const { stdout } = await cli(['gap', 'accept', people.rig.out, ...words]);
    accepted.push(stdout.split(' in commit')[0]!);
  }
}, 60_000);
afterAll(() => people[Symbol.asyncDispose]());

const beside = (name: string): string => join(people.rig.directory, name);

function countsIn(row: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.keys(OF_ALL).map((name) => [name, Number(row[name])]));
}

it('gap accept says whether it was a gap or a doubt', () => {
  expect(accepted).toEqual(['Accepted 1 gap', 'Accepted 1 doubt']);
});

it('gap list counts them by sort', async () => {
  const { stdout } = await cli(['gap', 'list', people.rig.out]);
  expect(stdout.split('\n')[0]).toBe('1 gap, 1 doubt, 1 accepted gap, 1 accepted doubt');
});

it('an export counts them by sort', async () => {
  const { emulator, out } = people.rig;
  const { stdout } = await cli([
    ...['export', '--user', 'ann', '--user', 'ben', '--out', out],
    ...['--base-url', emulator.baseUrl, '--allow-private-network'],
  ]);
  expect(stdout).toMatch(/^ {2}gaps +1 {2}/m);
  expect(stdout).toMatch(/^ {2}doubts +1 {2}/m);
  expect(stdout).toMatch(/^ {2}accepted +2 {2}1 accepted gap, 1 accepted doubt/m);
});

it('status counts them by sort, of all, of a user and of each conversation', async () => {
  const all = await cliJson<Record<string, unknown>>(['status', people.rig.out]);
  expect(all).toMatchObject({ gaps: { missing: 1 }, doubts: 1 });
  expect(all).toMatchObject({ accepted_gaps: 1, accepted_doubts: 1 });
  const { stdout } = await cli(['status', people.rig.out]);
  const heads = (text: string) =>
    [...text.matchAll(/^ {2}(?:missing|in doubt) +([^:\n]+)/gm)].map(([, head]) => head);
  expect(heads(stdout)).toEqual([
    '1 gap',
    '1 accepted gap',
    '2 doubts about what is archived, 1 of them accepted',
  ]);
  expect(stdout).toMatch(/^ +gaps +1 missing$/m);
  const ofAnn = (await cli(['status', people.rig.out, '--user', 'ann'])).stdout;
  expect(heads(ofAnn)).toEqual(['1 gap', '1 accepted gap', '1 doubt about what is archived']);
  expect(ofAnn).toMatch(/^ +s-agreed +incomplete, 1 question, .*1 accepted gap$/m);
  expect(ofAnn).toMatch(/^ +s-gap +incomplete, 1 question, .*1 gap$/m);
  expect(ofAnn).toMatch(/^ +s-twin +incomplete, 2 questions, .*1 doubt$/m);
  const ofBen = (await cli(['status', people.rig.out, '--user', 'ben'])).stdout;
  expect(heads(ofBen)).toEqual(['1 doubt about what is archived, which is accepted']);
});

it('the list of conversations counts them by sort', async () => {
  const { stdout } = await cli(['show', people.rig.out]);
  const remarks = (session: string) => new RegExp(`^ *${session} .*$`, 'm').exec(stdout)?.[0];
  expect(remarks('s-agreed')).toContain(' 1 accepted gap ');
  expect(remarks('s-twin')).toContain(' 1 doubt ');
  expect(remarks('s-other')).toContain(' 1 accepted doubt ');
  await using archive = await openArchive(people.rig.out);
  const { sessions } = await archive.sessions();
  expect(sumOfGaps(sessions)).toEqual(OF_ALL);
});

it('a report counts them by sort, of people, in its list and in its picture', async () => {
  const out = beside('report');
  await cli(['report', people.rig.out, '--out', out]);
  const data = async <T>(name: string) =>
    dataIn(name, await readFile(join(out, 'data', `${name}.js`), 'utf8')) as T;
  const { users } = await data<PeopleData>('people');
  expect(Object.fromEntries(users.map(({ id, gaps }) => [id, gaps]))).toMatchObject(COUNTS);
  const { gaps } = await data<GapsData>('gaps');
  expect(gaps.map(({ status, isAccepted }) => [status, isAccepted]).toSorted()).toEqual([
    ['doubtful', false],
    ['doubtful', true],
    ['missing', false],
    ['missing', true],
  ]);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  expect(page).toContain('Missing or in doubt, by status');
  for (const name of ['missing', 'missing, accepted', 'doubtful', 'doubtful, accepted']) {
    expect(page).toContain(`>${name}<`);
  }
});

it('an evidence pack counts them by sort, of users and of conversations', async () => {
  const out = beside('pack');
  await cli(['evidence', people.rig.out, '--out', out]);
  const pack = new EvidencePack(out);
  const summary = await pack.page('summary');
  expect(Object.fromEntries(summary.map((row) => [row['user_id'], countsIn(row)]))).toEqual(COUNTS);
  const index = await pack.page('index');
  expect(Object.fromEntries(index.map((row) => [row['session_id'], countsIn(row)]))).toEqual({
    's-gap': { gaps: 1, doubts: 0, accepted_gaps: 0, accepted_doubts: 0 },
    's-agreed': { gaps: 0, doubts: 0, accepted_gaps: 1, accepted_doubts: 0 },
    's-twin': { gaps: 0, doubts: 1, accepted_gaps: 0, accepted_doubts: 0 },
    's-other': COUNTS.ben,
  });
});

it("a workbook's cover counts them by sort, of each user", async () => {
  const out = beside('all.xlsx');
  await cli(['workbook', people.rig.out, '--user', 'ann', '--user', 'ben', '--out', out]);
  const { sheets } = await readXlsx(await readFile(out));
  const cover = (sheets[0]?.rows ?? []).map((row) => row.filter((cell) => cell !== null).join(' '));
  expect(cover.filter((line) => / conversations?, .* questions?, /.test(line))).toEqual([
    expect.stringMatching(/ann.*, 1 gap, 1 doubt, 1 accepted gap$/),
    expect.stringMatching(/ben.*, 1 accepted doubt$/),
  ]);
});

it('a search in which all that is missing is accepted is not complete by decision', async () => {
  const words = ['search', people.rig.out, 'where', '--user', 'ann'];
  expect((await cli(words)).stdout).toMatch(/^Not proven complete: /);
  for (const session of ['s-gap', 's-twin']) {
    const accept = ['gap', 'accept', people.rig.out, '--session', session];
    await cli([...accept, '--reason', 'Ticket 8', '--by', 'Grace']);
  }
  const { stdout, exitCode } = await cli(words);
  expect([stdout.split(':')[0], exitCode]).toEqual(['Not complete, by decision', 0]);
});
