/** A workbook of the jobs that a search finds: only these are in it, and its cover says how many were searched. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIncomplete } from '../../../src/archive/reading/caveats/caveat-text.js';
import { openArchive } from '../../../src/library/operations.js';
import type { WorkbookSummary } from '../../../src/workbook/write-workbook.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { caveatCounts, namedIn } from '../../support/tables/caveat-counts.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

let people: SearchRig;
let out: string;

beforeAll(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  people.talk('ada', 's-1', 'Plans', [
    { question: 'The budget of January?' },
    { question: 'A budget between two days', id: 'timeless' },
    { question: 'The weather?' },
  ]);
  people.talk('ada', 's-2', 'Later', [{ question: 'The budget of spring?', table: 'spring.csv' }]);
  people.talk('ada', 's-3', 'No time', [{ question: 'A budget at any time', id: 'alone' }]);
  people.talk('ben', 's-4', 'Of another', [{ question: 'My budget' }]);
  rig.state.addJob('ben', 's-4', oldJob(rig.state.newJobId(0), ['lost.csv']));
  await rig.export();
  out = join(rig.directory, 'part.xlsx');
});
afterAll(() => people[Symbol.asyncDispose]());

const PERIOD = ['--from', '2026-01-10', '--to', '2026-01-11'];

async function workbook(...words: string[]) {
  const run = await cli(['workbook', people.rig.out, '--out', out, ...words, '--json']);
  const summary = JSON.parse(run.stdout) as WorkbookSummary;
  expect(run.exitCode).toBe(isIncomplete(summary.caveats) ? 3 : 0);
  const { sheets } = await readXlsx(await readFile(out));
  return { summary, sheets: new Map(sheets.map(({ name, rows }) => [name, rows])) };
}

type Sheets = Awaited<ReturnType<typeof workbook>>['sheets'];

const TAKEN_IN = ['--undated', 'include'];

function coverOf(sheets: Sheets): ReadonlyMap<unknown, readonly unknown[]> {
  return new Map(sheets.get('Cover')?.map(([label, ...rest]) => [label, rest]));
}

describe('a workbook of words and a period', () => {
  const unjudged = ['--user', 'ada', '--match', 'budget', ...PERIOD];
  const words = [...unjudged, '--undated', 'exclude'];

  it(
    'names questions of unknown date where it was not told what becomes of them',
    fault('F-82'),
    async () => {
      const { summary, sheets } = await workbook(...unjudged);
      const named = 'ada, “No time” (session s-3, job alone): asked at an unknown time';
      expect(summary.status).toBe('incomplete');
      expect(namedIn(summary, 'left_out')).toEqual([named]);
      expect(sheets.get('Cover')?.map(([, text]) => text)).toContain(named);
    },
  );

  it('has those, too, where it was told to include them', async () => {
    const { summary, sheets } = await workbook(...unjudged, '--undated', 'include');
    expect(summary).toMatchObject({ status: 'complete', jobs: 3, search: { undated: 'include' } });
    const questions = sheets.get('Conversations')?.map(([, , question]) => question);
    expect(questions).toContain('A budget at any time');
    const named = 'ada, “No time” (session s-3, job alone): asked at an unknown time';
    expect(namedIn(summary, 'undated')).toEqual([named]);
    expect(sheets.get('Cover')?.map(([, text]) => text)).toContain(named);
    const [asked, note] = coverOf(sheets).get('Last question') ?? [];
    expect([asked, note]).toEqual([
      expect.any(Date),
      'or later: of 1 question no dated one beside it tells when it was asked at the latest',
    ]);
  });

  it('says of each question where the words stand, and looks only where it is told to', async () => {
    const { sheets } = await workbook(...words, '--in', 'question,name');
    const foundIn = sheets.get('Conversations')?.map((row) => row[5]);
    expect(foundIn).toEqual(['Found in', 'the question', 'the question']);
    const { summary } = await workbook(...words, '--in', 'name');
    expect(summary).toMatchObject({ jobs: 0, search: { matches: 0, searched_in: ['name'] } });
  });

  it('has nothing but the jobs that were found, and what belongs to them', async () => {
    const { summary, sheets } = await workbook(...words);
    expect(summary).toMatchObject({ status: 'incomplete-by-decision', sessions: 1, jobs: 2 });
    expect(caveatCounts(summary, 'gap', 'left_out')).toEqual({ left_out: 1 });
    const questions = sheets.get('Conversations')?.map(([, , question]) => question);
    expect(questions).toEqual(['Question', 'The budget of January?', 'A budget between two days']);
    for (const table of ['jobs', 'raw_jobs']) expect(sheets.get(table), table).toHaveLength(3);
    expect(sheets.get('sessions')).toHaveLength(2);
    const told = JSON.stringify([...sheets].filter(([name]) => name !== 'Cover'));
    for (const other of ['weather', 'spring', 'at any time', 'My budget', 's-2', 's-3']) {
      expect(told).not.toContain(other);
    }
  });

  it('says on its cover what was asked for, and how many jobs were searched or not judged', async () => {
    const { sheets } = await workbook(...words);
    const cover = coverOf(sheets);
    expect(sheets.get('Cover')?.[0]?.[0]).toBe('A part of the conversations of ada');
    expect(cover.get('Words')).toEqual([
      'budget',
      'only questions and answers are here that have these words in one of: questions, answers with their sources, cited passages and proposed questions, code, the first rows of tables, names of tables and images, names of conversations',
    ]);
    expect(cover.get('Period')).toEqual([
      'from 2026-01-10 to 2026-01-11',
      'only what was asked in this period is here',
    ]);
    expect(cover.get('Searched')?.[0]).toBe(
      '2 hits in 3 of the 4 questions that are or may be of the period',
    );
    expect(cover.get('Questions')?.[0]).toBe(2);
    expect(cover.has('In doubt')).toBe(false);
  });

  it('counts as the report and the evidence pack of the same words do', async () => {
    const { summary } = await workbook(...words);
    const { rig } = people;
    for (const command of ['report', 'evidence']) {
      const place = ['--out', join(rig.directory, `of-${command}`)];
      const of = await cliJson<WorkbookSummary>([command, rig.out, ...words, ...place]);
      const { search, sessions, jobs, caveats, status } = summary;
      expect(of).toMatchObject({ sessions, jobs, caveats, status });
      expect(of.search).toMatchObject({ ...search });
    }
    expect(summary.search).toEqual({
      total: 4,
      searched: 3,
      matches: 2,
      withheld: 0,
      time_unknown: 1,
      tables_not_searched: 0,
      tables_in_part: 0,
      undated: 'exclude',
      searched_in: ['question', 'answer', 'code', 'table', 'file', 'name'],
      not_searched:
        'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks',
    });
  });

  it('tells it on the terminal, and the library takes the same', async () => {
    const { stdout } = await cli(['workbook', people.rig.out, ...words, '--out', out]);
    expect(stdout).toMatch(
      /^ +search +2 hits in 3 of the 4 questions that are or may be of the period$/m,
    );
    await using archive = await openArchive(people.rig.out);
    const made = await archive.workbook(out, {
      users: ['ada'],
      match: 'budget',
      from: '2026-01-12',
    });
    expect(made).toMatchObject({ sessions: 1, jobs: 1, artifacts: 1, search: { searched: 1 } });
  });
});

it('counts as gaps only what could not be archived; whom the period leaves out is none', async () => {
  await using other = await SearchRig.start();
  const { rig } = other;
  other.talk('ada', 's-1', 'Plans', [{ question: 'How much?', table: 'lost.csv', csv: null }]);
  other.talk('ada', 's-2', 'No time', [{ question: 'When?', id: 'alone' }]);
  other.talk('ben', 's-3', 'No time either', [{ question: 'Who?', id: 'lonely' }]);
  other.talk('cleo', 's-4', 'Costs', [{ question: 'The costs?' }]);
  await rig.export();
  const file = join(rig.directory, 'period.xlsx');
  const words = ['workbook', rig.out, '--from', '2026-01-10', '--to', '2026-01-12', '--out', file];
  const { exitCode, stdout } = await cli([...words, '--json']);
  expect(exitCode).toBe(3);
  const summary = JSON.parse(stdout) as WorkbookSummary;
  expect(summary.jobs).toBe(2);
  expect(caveatCounts(summary, 'gap', 'left_out')).toEqual({ gap: 1, left_out: 2 });
  expect(namedIn(summary, 'left_out').toSorted()).toEqual([
    'ada, “No time” (session s-2, job alone): asked at an unknown time',
    'ben, “No time either” (session s-3, job lonely): asked at an unknown time',
  ]);
  const { sheets } = await readXlsx(await readFile(file));
  const rows = sheets.find(({ name }) => name === 'Cover')?.rows ?? [];
  const at = rows.findIndex(([label]) => label === 'Users');
  // users come in the order of their commits
  const [count, ...users] = rows.slice(at, at + 3).map((row) => row.slice(1, 3));
  expect([count, users.toSorted()]).toEqual([
    [2, 'with conversations'],
    [
      ['ada', '1 conversation, 1 question, 1 gap'],
      ['cleo', '1 conversation, 1 question'],
    ],
  ]);
});

it('says what is in doubt of a person with gaps, though nothing was found', async () => {
  const { summary, sheets } = await workbook('--user', 'ben', '--match', 'condor');
  expect(summary).toMatchObject({ status: 'not-proven', sessions: 0, jobs: 0, sheets: 2 });
  expect(caveatCounts(summary, 'searched_gap', 'not_proven')).toEqual({
    searched_gap: 1,
  });
  const cover = coverOf(sheets);
  expect(cover.get('Searched')?.[0]).toBe('0 hits in 2 questions');
  expect(cover.has('Period')).toBe(false);
  expect(cover.has('Not judged')).toBe(false);
});

it('of a period without words tells of no search, and no rule of its own for unknown dates', async () => {
  const { sheets } = await workbook('--user', 'ada', ...PERIOD, ...TAKEN_IN);
  const cover = coverOf(sheets);
  expect([cover.has('Words'), cover.has('Searched'), cover.has('In views')]).toEqual([
    false,
    true,
    false,
  ]);
});

it('does not say that all was asked in the period where what has no date was taken in', async () => {
  const { sheets } = await workbook('--user', 'ada', '--match', 'budget', ...PERIOD, ...TAKEN_IN);
  const cover = coverOf(sheets);
  expect(cover.get('Period')?.[1]).toBe(
    'only what was asked in this period, or may have been, is here',
  );
});

it('says nothing of a search on the cover of a workbook of everything', async () => {
  const { summary, sheets } = await workbook('--user', 'ada');
  expect(summary).toMatchObject({ jobs: 5, search: null });
  for (const label of ['Words', 'Period', 'Searched', 'In doubt']) {
    expect(coverOf(sheets).has(label), label).toBe(false);
  }
});

it.each([
  ['a period that ends before it begins', ['--from', '2026-02', '--to', '2026-01'], 'ends before'],
  ['a quote that is not closed', ['--match', '"net revenue'], 'is not closed'],
  ['words that are none', ['--match', '...'], 'no word to look for'],
])('is not made of %s', async (_, words, sentence) => {
  const place = join(people.rig.directory, 'none.xlsx');
  const end = await cli(['workbook', people.rig.out, '--user', 'ada', '--out', place, ...words]);
  expect([end.exitCode, end.stdout]).toEqual([2, '']);
  expect(end.stderr).toContain(sentence);
  await expect(stat(place)).rejects.toThrow('ENOENT');
});
