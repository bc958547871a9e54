/** A workbook of several users, or of everybody in a period; answers as they are read on paper, with their tables as tables. */
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { stagingPrefix } from '../../../src/storage/local/staging-directory.js';
import type { WorkbookSummary } from '../../../src/workbook/write-workbook.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

const ANSWER =
  '## Sales\n\n**Berlin** leads, see [terms](https://a.example/t):\n\n| Region | Sum | Code | Kosten |\n|---|--:|---|---|\n| Berlin | 1200.5 | 007 | 19.009 |\n| *Rome* | -3 | 12 | 7.1 |\n| Oslo | | +4 | 1 |\n\n- one\n- two';

let people: SearchRig;
let out: string;

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [{ question: 'What of **stars**?', answer: ANSWER }]);
  people.talk('ben', 's-2', 'Costs', [{ question: 'And the costs?', table: 'costs.csv' }]);
  people.talk('ada', 's-3', 'Later', [{ question: 'Spring?', answer: '|a|\n|-|\n|=1+1|' }]);
  people.talk('cleo', 's-4', 'Weather', [{ question: 'The weather?' }]);
  await people.rig.archived();
  out = join(people.rig.directory, 'many.xlsx');
});
afterAll(() => people[Symbol.asyncDispose]());

async function workbook(...words: string[]) {
  const summary = await cliJson<WorkbookSummary>(['workbook', people.rig.out, '--out', out, ...words]);
  const { sheets } = await readXlsx(await readFile(out), { readStyles: true });
  return { summary, sheets: new Map(sheets.map((sheet) => [sheet.name, sheet])) };
} // prettier-ignore

type Sheets = Awaited<ReturnType<typeof workbook>>['sheets'];

/** Of questions: when it was asked stays out. */
const questionsIn = (sheets: Sheets) =>
  (sheets.get('Conversations')?.rows ?? [])
    .slice(1)
    .filter((row) => typeof row[3] === 'string')
    .map((row) => row.slice(1, 4));

it('a workbook of several users has their conversations user by user, and says whose each is', async () => {
    const { summary, sheets } = await workbook('--user', 'ada', '--user', 'ben');
    expect(summary).toMatchObject({ status: 'complete', user: null, users: 2, sessions: 3, jobs: 3 });
    expect(sheets.get('Conversations')?.rows[0]?.slice(0, 3)).toEqual(['Asked (UTC)', 'User', 'Conversation']);
    expect(questionsIn(sheets)).toEqual([
      ['ada', 'Plans', 'What of **stars**?'],
      ['ada', 'Later', 'Spring?'],
      ['ben', 'Costs', 'And the costs?'],
    ]);
    expect(JSON.stringify([...sheets.values()].map(({ rows }) => rows))).not.toContain('cleo');
  }); // prettier-ignore

it('a workbook names its users with what is here of each, and has their column in tables', async () => {
  const { sheets } = await workbook('--user', 'ada', '--user', 'ben');
  const cover = sheets.get('Cover')?.rows ?? [];
  expect(cover[0]?.[0]).toBe('Conversations of 2 users');
  const at = cover.findIndex(([label]) => label === 'Users');
  expect(cover.slice(at, at + 3).map((row) => row.slice(1, 3))).toEqual([
    [2, 'with conversations'],
    ['ada', '2 conversations, 2 questions'],
    ['ben', '1 conversation, 1 question'],
  ]);
  const { rows = [], columns = [] } = sheets.get('jobs') ?? {};
  expect(columns[rows[0]?.indexOf('user_id') ?? -1]?.hidden).not.toBe(true);
  for (const [name, sheet] of sheets) {
    const shown = (sheet.columns ?? []).filter(({ hidden }) => hidden !== true);
    const width = shown.reduce((sum, column) => sum + (column.width ?? 9), 0);
    expect(width, name).toBeLessThanOrEqual(265);
  }
});

it('a workbook takes users from a file, too, and leaves out, and names, who is not there', async () => {
  const file = join(people.rig.directory, 'users.csv');
  await writeFile(file, 'user_id\nben\ncleo\n');
  const { summary } = await workbook('--users-file', file);
  expect(summary).toMatchObject({ users: 2, jobs: 2 });
  await writeFile(file, 'ben\nclio\n');
  const words = ['workbook', people.rig.out, '--users-file', file, '--out', out];
  const run = await cli(words);
  expect([run.exitCode, run.stdout]).toEqual([
    0,
    expect.stringMatching(
      /left out +1 user of --users-file of whom the archive has nothing, .*: clio\n/,
    ),
  ]);
  expect(await cliJson(words)).toMatchObject({ users: 1, user: 'ben', unknown_users: ['clio'] });
  const named = await cli([...words, '--user', 'clio']);
  expect([named.exitCode, named.stdout]).toEqual([2, '']);
  expect(named.stderr).toContain('has no user "clio"; did you mean "cleo"?');
  await writeFile(file, 'clio\n');
  expect((await cli(words)).exitCode).toBe(2);
});

it('a workbook is of everybody where a period is given, and has only what was asked in it', async () => {
  const { summary, sheets } = await workbook('--from', '2026-01-11', '--to', '2026-01-12');
  expect(summary).toMatchObject({ user: null, users: 2, jobs: 2, search: { searched: 2 } });
  expect(questionsIn(sheets)).toEqual([
    ['ada', 'Later', 'Spring?'],
    ['ben', 'Costs', 'And the costs?'],
  ]);
  const cover = sheets.get('Cover')?.rows ?? [];
  expect(cover[0]?.[0]).toBe('A part of the conversations of 2 users');
  const { stdout } = await cli(['workbook', people.rig.out, '--from', '2026', '--out', out]);
  expect(stdout).toMatch(/^Complete: the workbook of 3 users is /);
});

it(
  'a workbook takes away what killed ones have staged beside it, and nothing of somebody else',
  fault('F-148'),
  async () => {
    const staging = join(dirname(out), '_staging');
    const gone = { ...systemProcesses.self, pid: 2 ** 22 + 1, started: '1' };
    await mkdir(staging, { recursive: true });
    await writeFile(join(staging, `${stagingPrefix(gone, '0123456789abcdef')}-0`), 'texts of ada');
    await writeFile(join(staging, 'letters.docx'), 'mine');
    await utimes(join(staging, 'letters.docx'), 1, 1);
    await workbook('--user', 'ben');
    expect(await readdir(staging)).toEqual(['letters.docx']);
    await rm(staging, { recursive: true });
  },
);

it('an answer in a workbook has no marks of Markdown, and a question stays as it was typed', async () => {
  const { sheets } = await workbook('--user', 'ada');
  const [, , question, answer] = sheets.get('Conversations')?.rows[1] ?? [];
  expect([question, answer]).toEqual([
    'What of **stars**?',
    'Sales\n\nBerlin leads, see terms (https://a.example/t):\n\nRegion | Sum | Code | Kosten\nBerlin | 1200.5 | 007 | 19.009\nRome | -3 | 12 | 7.1\nOslo |  | +4 | 1\n\n• one\n• two',
  ]);
  expect(sheets.get('jobs')?.rows.flat()).toContain(ANSWER);
});

it('an answer links to its tables on a sheet of their own: cells, with numbers as numbers', async () => {
    const { sheets } = await workbook('--user', 'ada');
    const tables = sheets.get('Answer tables');
    expect(tables?.rows.map((row) => row.filter((cell) => cell != null))).toEqual([
      ['Tables in the text of answers, each below the other; files are not in it'],
      [],
      ['2026-01-10 12:00 · Plans · What of **stars**?'],
      ['Region', 'Sum', 'Code', 'Kosten'],
      ['Berlin', 1200.5, '007', '19.009'],
      ['Rome', -3, '12', '7.1'],
      ['Oslo', '+4', '1'],
      [],
      ['2026-01-12 12:00 · Later · Spring?'],
      ['a'],
      ['=1+1'],
    ]);
    const cells = [...(tables?.cells?.values() ?? [])];
    expect(cells.filter(({ formula }) => formula !== undefined)).toEqual([]);
    const links = [...(sheets.get('Conversations')?.cells?.values() ?? [])].flatMap(({ value, hyperlink }) =>
      hyperlink ? [[value, hyperlink.target]] : [],
    );
    expect(links).toEqual([
      ['table 1 of the answer', "#'Answer tables'!A3"],
      ['table 1 of the answer', "#'Answer tables'!A9"],
    ]);
    const listed = sheets.get('Cover')?.rows.find(([, name]) => name === 'Answer tables');
    expect(listed?.[2]).toBe('2 tables: Tables in the text of answers, each below the other; files are not in it');
  }); // prettier-ignore

it('a column of an answer is one of numbers only where each, written back, is what was sent', async () => {
  await using rig = await SearchRig.start();
  const answer = [
    '| sales | Umsatz | EAN | version | point |',
    '| ----: | -----: | --: | ------: | ----: |',
    '| 1,234,567 | 1.234,5 | 4006381333931 | 3.8 | 0.125 |',
    '| -19,009 | -19.009 | 590123412345 | 3.10 | -7 |',
    '| 7.125 | 0,25 | | 3.11 | 1234.5678 |',
  ].join('\n');
  const long = `${'a_long_name_'.repeat(10)}.csv`.slice(-120);
  rig.talk('ada', 's-1', 'Sales', [
    { question: 'How much?', answer, table: long },
    { question: 'When?', answer, id: 'timeless' },
    { question: 'Then?' },
  ]);
  await rig.rig.export();
  const file = join(rig.rig.directory, 'ada.xlsx');
  await cliJson(['workbook', rig.rig.out, '--user', 'ada', '--out', file]);
  const { sheets } = await readXlsx(await readFile(file), { readStyles: true });
  const named = new Map(sheets.map((sheet) => [sheet.name, sheet]));
  expect(named.get('Answer tables')?.rows.slice(4, 7)).toEqual([
    ['1,234,567', '1.234,5', 4006381333931, '3.8', 0.125],
    ['-19,009', '-19.009', 590123412345, '3.10', -7],
    ['7.125', '0,25', null, '3.11', 1234.5678],
  ]);
  expect(named.get('Answer tables')?.cells?.get('4,2')?.style?.numFmt).toBe('0');
  // of a question whose id tells no time the heading has the bounds
  expect(named.get('Answer tables')?.rows[8]?.[0]).toBe(
    '2026-01-10 12:00 – 2026-01-11 12:00 · Sales · When?',
  );
  // a name of 120 characters in a column of 38 takes four lines, and the row has them all, also on paper
  const conversations = named.get('Conversations');
  const [place = ''] =
    [...(conversations?.cells ?? [])].find(([, { value }]) => value === long) ?? [];
  expect(conversations?.cells?.get(place)?.style?.alignment?.wrapText).toBe(true);
  const height = conversations?.rowDefs?.get(Number(place.split(',')[0]))?.height ?? 0;
  expect(height).toBeGreaterThanOrEqual(4 * 15);
});
