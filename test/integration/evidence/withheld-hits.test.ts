/** What a search has found is the same number in every output, also where some of it is withheld from what is made of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const NAME = 'Matter 7';
const PERIOD = 'Matter 8';
const FALCON = { question: 'The falcon?' };

interface Searched {
  readonly total: number;
  readonly searched: number;
  readonly matches: number;
  readonly withheld: number;
  readonly time_unknown: number;
}

let people: SearchRig;
let out: string;
let made = 0;

beforeAll(async () => {
  people = await SearchRig.start();
  const [first = ''] = people.talk('ada', 's-sales', 'Sales', [
    ...Array.from({ length: 4 }, () => FALCON),
    { question: 'The weather?' },
    { ...FALCON, id: 'no-date-1' },
  ]);
  people.talk('ada', 's-counsel', 'The osprey advice', [
    { ...FALCON, id: 'no-date-2', table: 'osprey.csv', csv: Buffer.from('504b0304', 'hex') },
    FALCON,
  ]);
  people.talk('ben', 's-ben', 'Eagles', [
    { ...FALCON, id: 'ben-1' },
    { ...FALCON, id: 'ben-2' },
  ]);
  await people.rig.archived();
  ({ out } = people.rig);
  const asked = ['--user', 'ada', '--by', 'Grace', '--reason', 'r', '--from', '2026-01-01'];
  for (const [name, words] of [
    [NAME, ['--match', 'falcon']],
    [PERIOD, []],
  ] as const) {
    await cli(['request', 'new', out, name, ...asked, '--to', '2099', ...words]);
    const decide = ['request', 'decide', out, name, 'withhold', '--by', 'D', '--reason', 'p'];
    await cli([...decide, '--session', 's-sales', '--job', first]);
    await cli([...decide, '--session', 's-counsel']);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

async function make(command: string, name: string, ...words: string[]) {
  const path = join(people.rig.directory, `made-${++made}${command === 'workbook' ? '.xlsx' : ''}`);
  const place = command === 'search' ? [] : ['--out', path];
  const given = [command, out, '--request', name, '--by', 'Dana', ...place, ...words, '--json'];
  const { stdout, stderr } = await cli(given);
  if (stdout === '') throw new Error(stderr);
  const told = JSON.parse(stdout) as Searched & { search?: Searched; jobs: number };
  const { total, searched, matches, withheld, time_unknown } = told.search ?? told;
  return { path, jobs: told.jobs, counts: { total, searched, matches, withheld, time_unknown } };
}

const ofPack = (path: string, name: string) => readFile(join(path, 'data', name), 'utf8');
async function cellsOf(path: string): Promise<string> {
  const { sheets } = await readXlsx(await readFile(path));
  return JSON.stringify(sheets[0]?.rows);
}

it('search, pack, report, workbook and record of a request have found the same', async () => {
  const counts = { total: 8, searched: 6, matches: 5, withheld: 2, time_unknown: 2 };
  const said = '5 hits, 2 of them withheld, in 6 of the 8 questions';
  const which = 'that are or may be of the period';
  const search = await make('search', NAME);
  expect(search.counts).toEqual(counts);
  const pack = await make('evidence', NAME);
  const report = await make('report', NAME);
  const book = await make('workbook', NAME);
  for (const { counts: told, jobs } of [pack, report, book]) {
    expect([told, jobs]).toEqual([counts, 3]);
  }
  expect(JSON.parse(await ofPack(pack.path, 'search.json'))).toMatchObject(counts);
  const readme = await ofPack(pack.path, 'README.txt');
  expect(readme).toContain('\n  found           5, 2 of them withheld\n');
  expect(readme).toContain('Every question found that is not withheld is in this pack');
  expect(await ofPack(pack.path, 'index.html')).toContain(`${said} ${which}`);
  expect(await readFile(join(report.path, 'index.html'), 'utf8')).toContain(`${said} ${which}`);
  expect(await cellsOf(book.path)).toContain(`"${said} ${which}"`);
  const { stdout } = await cli(['search', out, '--request', NAME, '--by', 'Dana']);
  expect(stdout).toContain(`${said} of commit 7 ${which}`);
  const shown = (await cli(['request', 'show', out, NAME])).stdout.replace(/\s+/g, ' ');
  expect(shown).toMatch(/: 5 hits, 2 of them withheld, in 6 of the 8 questions of commit \d+ that/);
  const record = JSON.parse((await cli(['request', 'show', out, NAME, '--json'])).stdout) as {
    searches: Searched[];
    packs: Searched[];
  };
  for (const work of [...record.searches, ...record.packs]) {
    expect(work).toMatchObject({ matches: 5, withheld: 2 });
  }
});

it('a search for a request marks each hit that is withheld', async () => {
  const words = ['search', out, '--request', NAME, '--by', 'Dana'];
  const { hits } = JSON.parse((await cli([...words, '--json'])).stdout) as {
    hits: { job_id: string; is_withheld?: true }[];
  };
  const withheld = hits.filter((hit) => hit.is_withheld).map(({ job_id: id }) => id);
  expect(withheld).toHaveLength(2);
  const { stdout } = await cli(words);
  const marked = [
    ...stdout.matchAll(/, job (\S+)\n +withheld: nothing made for the request has it/g),
  ];
  expect(marked.map(([, id]) => id)).toEqual(withheld);
});

it('a search for a request marks each hit that is redacted', async () => {
  const given = ['--user', 'ben', '--by', 'Grace', '--reason', 'r'];
  await cli(['request', 'new', out, 'Matter 9', '--match', 'falcon', ...given]);
  const decide = ['request', 'decide', out, 'Matter 9', 'redact', '--by', 'D', '--reason', 'p'];
  await cli([...decide, '--session', 's-ben', '--job', 'ben-1']);
  const words = ['search', out, '--request', 'Matter 9', '--by', 'Dana'];
  const { hits } = JSON.parse((await cli([...words, '--json'])).stdout) as { hits: object[] };
  const [redacted, other] = ['ben-1', 'ben-2'].map((id) =>
    hits.find((hit) => 'job_id' in hit && hit.job_id === id),
  );
  expect(redacted).toMatchObject({ is_redacted: true });
  expect(redacted).not.toHaveProperty('is_withheld');
  expect(other).not.toHaveProperty('is_redacted');
  const { stdout } = await cli(words);
  const marked = stdout.matchAll(/, job (\S+)\n +redacted: what is made for the request has it/g);
  expect([...marked].map(([, id]) => id)).toEqual(['ben-1']);
});

it('a period without words says how many of its questions are withheld', async () => {
  const { path, jobs, counts } = await make('evidence', PERIOD, '--undated', 'exclude');
  expect([jobs, counts.matches, counts.withheld]).toEqual([4, 6, 2]);
  expect(await ofPack(path, 'index.html')).toContain(
    '6 of the 8 questions that are or may be of the period; 2 of the 6 are withheld',
  );
});

it('what is withheld and has no date is left out like any other, by its id alone', async () => {
  const { path } = await make('evidence', NAME);
  const rows = (await ofPack(path, 'gaps.csv')).trimEnd().split('\r\n').slice(1);
  expect(rows.map((row) => row.split(',').slice(0, 7))).toEqual([
    ['ada', 's-sales', 'Sales', 'no-date-1', '', expect.stringMatching(/^2026-/), ''],
    ['ada', 's-counsel', '', 'no-date-2', '', '', ''],
  ]);
  const readme = (await ofPack(path, 'README.txt')).replace(/\s+/g, ' ');
  expect(readme).toContain('2 questions whose date is unknown were left out');
  expect(await ofPack(path, 'summary.csv')).toMatch(/^ada,/m);
  const [names = '', row = ''] = (await ofPack(path, 'summary.csv')).split('\r\n');
  expect(row.split(',')[names.split(',').indexOf('jobs_left_out')]).toBe('2');
});

it('a table of a withheld question that was not searched is named by its ids alone', async () => {
  const { path } = await make('evidence', NAME, '--undated', 'include');
  const readme = (await ofPack(path, 'README.txt')).replace(/\s+/g, ' ');
  expect(readme).toContain('1 table was not searched');
  expect(readme).toContain(
    '- ada, session s-counsel, job no-date-2: the question was found all the same',
  );
  expect(await ofPack(path, 'tables-not-searched.csv')).toMatch(/^ada,s-counsel,,no-date-2,,/m);
});

it.each([[[]], [['--undated', 'include']], [['--undated', 'exclude']]])(
  'no output names a conversation that is withheld, or a file of it, with %j',
  async (undated) => {
    for (const command of ['evidence', 'report', 'workbook']) {
      const { path, counts } = await make(command, NAME, ...undated);
      const text =
        command === 'workbook'
          ? await cellsOf(path)
          : (
              await Promise.all(
                [
                  ...(command === 'evidence'
                    ? ['data/README.txt', 'data/search.json', 'data/tables-not-searched.csv']
                    : []),
                  command === 'evidence' ? 'data/index.html' : 'index.html',
                  command === 'evidence' ? 'data/data/gaps.js' : 'data/gaps.js',
                ].map((file) => readFile(join(path, file), 'utf8')),
              )
            ).join('\n');
      expect([command, text.toLowerCase().includes('osprey')]).toEqual([command, false]);
      expect(counts.matches).toBe(undated[1] === 'include' ? 7 : 5);
    }
  },
);
