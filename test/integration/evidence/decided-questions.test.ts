/** What a pack, a report and a workbook say of a conversation with a withheld and a redacted question. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import type { PieceData, SessionData } from '../../../src/report/page-data.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const NAME = 'Matter 7';
const WITHHELD = /^1 question is withheld: privileged \(by Dana, \d{4}-\d\d-\d\d\)$/;
const SAID = /^Redacted: third party \(by Dana, \d{4}-\d\d-\d\d\)$/;

let people: SearchRig;
let made: Readonly<Record<'pack' | 'report' | 'book', string>>;
let redacted: string;
beforeAll(async () => {
  people = await SearchRig.start();
  const [, withheld = '', third = ''] = people.talk('ada', 's-1', 'Sales', [
    { question: 'falcon one' },
    { question: 'falcon two' },
    { question: 'falcon three', answer: 'A falcon', code: 'falcon = 3' },
    { question: 'falcon four' },
  ]);
  redacted = third;
  await people.rig.archived();
  const { out, directory } = people.rig;
  const asked = ['--user', 'ada', '--match', 'falcon', '--by', 'Grace', '--reason', 'Art. 15'];
  await cli(['request', 'new', out, NAME, ...asked]);
  for (const [decision, job, reason] of [
    ['withhold', withheld, 'privileged'],
    ['redact', redacted, 'third party'],
  ] as const) {
    const words = ['--session', 's-1', '--job', job, '--reason', reason, '--by', 'Dana'];
    await cli(['request', 'decide', out, NAME, decision, ...words]);
  }
  made = {
    pack: join(directory, 'pack'),
    report: join(directory, 'report'),
    book: join(directory, 'book.xlsx'),
  };
  await cli(['evidence', out, '--request', NAME, '--out', made.pack]);
  await cli(['report', out, '--request', NAME, '--out', made.report]);
  await cli(['workbook', out, '--request', NAME, '--out', made.book]);
});
afterAll(() => people[Symbol.asyncDispose]());

const pageOf = (product: 'pack' | 'report') =>
  product === 'pack' ? join(made.pack, 'data') : made.report;
/** What a file of the page's data hands over. */
async function dataIn<Data>(product: 'pack' | 'report', key: string): Promise<Data> {
  const text = await readFile(join(pageOf(product), 'data', `${key}.js`), 'utf8');
  return runInNewContext(
    `((jobvaultData) => ${text.trim().slice(0, -1)})((_, data) => data)`,
  ) as Data;
}

it.each(['pack', 'report'] as const)(
  'the page of a %s says by whose decision a question is redacted, and no place of words',
  async (product) => {
    const { jobs } = await dataIn<PieceData>(product, 's/1-0');
    expect(jobs.map(({ id, found, redaction }) => [id === redacted, found, redaction])).toEqual([
      [false, ['question'], null],
      [true, [], expect.stringMatching(SAID)],
      [false, ['question'], null],
    ]);
  },
);

it.each(['pack', 'report'] as const)(
  'the page of a %s tells how many questions are withheld, by whom and why, and their places',
  async (product) => {
    const { jobs, archived, withheld, withheldBy, outline } = await dataIn<SessionData>(
      product,
      's/1',
    );
    expect(withheldBy).toEqual([expect.stringMatching(WITHHELD)]);
    expect([jobs, archived, withheld]).toEqual([3, 4, 1]);
    expect(outline.map(({ number }) => number)).toEqual([1, 3, 4]);
  },
);

it('the library gives for the request neither the withheld question nor the redacted text', async () => {
  await using archive = await openArchive(people.rig.out);
  await using making = await archive.making({ request: NAME });
  expect(making.counts).toEqual({ people: 1, sessions: 1, jobs: 3 });
  for (const round of ['first', 'again']) {
    const all = [];
    for await (const conversation of making.conversations()) all.push(conversation);
    expect([round, all.map(({ about }) => [about.number, about.jobs, about.withheld])]).toEqual([
      round,
      [[1, 4, { shown: 3, withheld: 1, archived: 4, by: [expect.stringMatching(WITHHELD)] }]],
    ]);
    const jobs = all.flatMap((conversation) => conversation.jobs);
    expect(jobs.map(({ job, ...notes }) => [job.question_text, notes.matchedIn])).toEqual([
      ['falcon one', ['question']],
      ['[redacted]', []],
      ['falcon four', ['question']],
    ]);
    expect(jobs.map(({ redaction }) => redaction)).toEqual([
      null,
      expect.stringMatching(SAID),
      null,
    ]);
  }
  await expect(archive.making({ request: NAME, users: ['ada'] })).rejects.toThrow(
    'says who and what is meant',
  );
});

it('the list and the transcripts of a pack tell how many questions are withheld', async () => {
  const [head = '', row = ''] = (await readFile(join(made.pack, 'data/index.csv'), 'utf8')).split(
    '\r\n',
  );
  const [names, cells] = [head.split(','), row.split(',')];
  const told = ['jobs', 'jobs_in_session', 'jobs_withheld'].map(
    (name) => cells[names.indexOf(name)],
  );
  expect(told).toEqual(['3', '4', '1']);
  const transcript = cells[names.indexOf('transcript')] ?? '';
  expect(await readFile(join(made.pack, transcript), 'utf8')).toContain(
    '3 of 4 questions (1 withheld) of this conversation; the others are not in this pack',
  );
});

it('a workbook tells it beside each question of the conversation', async () => {
  const { sheets } = await readXlsx(await readFile(made.book));
  const rows = sheets.find(({ name }) => name === 'Conversations')?.rows ?? [];
  expect(rows.slice(1).map((row) => row.at(-1))).toEqual(Array(3).fill('3 of 4 (1 withheld)'));
});
