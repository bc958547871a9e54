/** What a search of an archive finds, and what it must not find: as the command line and the library tell it. */
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';

interface Found {
  readonly caveats: readonly Caveat[];
  readonly searched: number;
  readonly matches: number;
  readonly time_unknown: number;
  readonly hits: readonly {
    readonly user_id: string;
    readonly session_id: string;
    readonly session_name: string | null;
    readonly job_id: string;
    readonly created_at: string | null;
    readonly matched_in: readonly string[];
    readonly excerpt: string;
  }[];
}

/** Costs 2026.csv could not be had: what is said below the hits. */
const inDoubt = () =>
  [
    `  in doubt  1 conversation that was searched has gaps: what could not be archived was not searched, and may be what was looked for; jobvault export --retry-gaps fetches what is missing; jobvault gap accept ${people.rig.out} --session ID --reason TEXT ends the exit code 3`,
    '            - omar, session s-ar',
    NOT_SEARCHED,
  ].join('\n');

const NOT_SEARCHED =
  '  note      not searched: what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks\n';

let people: SearchRig;
const ids: Record<string, string[]> = {};

beforeAll(async () => {
  people = await SearchRig.start();
  ids['ada'] = people.talk('ada', 's-sales', 'Sales', [
    { question: 'What was the net revenue in Zürich?', answer: 'It was 12.' },
    { question: 'And the costs?', code: 'select sum(invoice) from costs', table: 'Costs 2026.csv' },
    { question: '先月の売上高を見せて', answer: '売上は１２です。', followUp: '利益率は?' },
  ]);
  ids['omar'] = people.talk('omar', 's-ar', 'مبيعات', [
    {
      question: 'أرني المبيعات',
      answer: 'Revenue, net of tax.',
      cited: 'Goods "on approval" are\nno turnover.',
    },
    { question: 'Invoices, again', answer: `See https://files.example/a.csv?${SIGNATURE}` },
  ]);
  const formats = ['parquet', 'jsonl', 'xlsx'] as const;
  await people.rig.export({ formats });
});
afterAll(() => people[Symbol.asyncDispose]());

const SIGNATURE =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAEXAMPLE%2F20260101%2Fx%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';

/** With the exit code that the rule gives: 3 where a session of the scope has a gap. */
const search = async (words: string, ...more: string[]): Promise<Found> => {
  const run = await cli(['search', people.rig.out, words, ...more, '--json']);
  const found = JSON.parse(run.stdout) as Found;
  expect(run.exitCode).toBe('searched_gap' in caveatCounts(found) ? 3 : 0);
  return found;
};
const found = async (words: string, ...more: string[]): Promise<string[]> =>
  (await search(words, ...more)).hits.map(({ job_id: id }) => id);

it('search tells of a hit whose it is, when it was asked, in which session, where it is', async () => {
  const { hits, caveats, ...facts } = await search('"net revenue"');
  expect(caveats.map(({ kind }) => kind)).toEqual(['searched_gap', 'not_searched']);
  expect(facts).toEqual({
    commit: 1,
    exit_code: 3,
    error: 'something is missing',
    next: expect.stringMatching(/^jobvault export --retry-gaps/) as unknown,
    left_out: [],
    unread_tables: [],
    total: 5,
    searched: 5,
    matches: 1,
    withheld: 0,
    time_unknown: 0,
    tables_not_searched: 0,
    tables_in_part: 0,
    undated: null,
    searched_in: ['question', 'answer', 'code', 'table', 'file', 'name'],
    not_searched:
      'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks',
  });
  expect(hits).toEqual([
    {
      user_id: 'ada',
      session_id: 's-sales',
      session_name: 'Sales',
      job_id: ids['ada']?.[0],
      created_at: '2026-01-10T12:00:00.000000Z',
      matched_in: ['question'],
      matched_tables: [],
      excerpt: 'What was the net revenue in Zürich?',
    },
  ]);
});

it('search finds words in any script and letter case, with or without accents, newest first', async () => {
  expect(await found('REVENUE')).toEqual([ids['omar']?.[0], ids['ada']?.[0]]);
  expect(await found('zurich')).toEqual([ids['ada']?.[0]]);
  expect(await found('売上 12')).toEqual([ids['ada']?.[2]]);
  expect(await found('مبيعات', '--in', 'question')).toEqual([ids['omar']?.[0]]);
});

it('a search knows phrases, alternatives, and words that must not be there', async () => {
  expect(await found('"revenue tax"')).toEqual([]);
  expect(await found('"revenue net of"')).toEqual([ids['omar']?.[0]]);
  expect(await found('revenue -zürich')).toEqual([ids['omar']?.[0]]);
  expect(await found('zürich OR 売上')).toEqual([ids['ada']?.[2], ids['ada']?.[0]]);
});

it('a search can be for what does not have a word', async () => {
  await using archive = await openArchive(people.rig.out);
  const { hits, matches } = await archive.search('-invoice -revenue');
  expect([matches, hits[0]?.job_id]).toEqual([1, ids['ada']?.[2]]);
  expect(hits[0]?.excerpt).toBe('先月の売上高を見せて');
});

it('a search looks where it is told to', async () => {
  expect(await found('invoice')).toEqual([ids['omar']?.[1], ids['ada']?.[1]]);
  expect(await found('invoice', '--in', 'code')).toEqual([ids['ada']?.[1]]);
  expect(await found('invoice', '--in', 'question')).toEqual([ids['omar']?.[1]]);
  expect(await found('costs', '--in', 'file')).toEqual([ids['ada']?.[1]]);
  expect(await found('costs', '--in', 'answer')).toEqual([]);
  expect(await found('利益率', '--in', 'answer,table')).toEqual([ids['ada']?.[2]]);
  expect(await found('turnover', '--in', 'answer')).toEqual([ids['omar']?.[0]]);
  expect(await found('turnover', '--in', 'question,code,table,file,name')).toEqual([]);
});

it('search says of each hit in which of these its words stand, and of none of an unwanted word', async () => {
  const places = async (words: string, ...more: string[]) =>
    (await search(words, ...more)).hits.map(({ matched_in: of }) => of);
  expect(await places('invoice')).toEqual([['question'], ['code']]);
  expect(await places('sales')).toEqual([['name'], ['name'], ['name']]);
  expect(await places('"net revenue" OR sales', '--limit', '1', '--to', '2026-01-10')).toEqual([
    ['question', 'name'],
  ]);
  expect(await places(' -invoice -revenue')).toEqual([[]]);
});

it('a search finds every job of a session by its name, and shows what was asked', async () => {
  const { matches, hits } = await search('المبيعات OR sales', '--in', 'name');
  expect([matches, hits[0]?.job_id, hits[0]?.excerpt]).toEqual([
    3,
    ids['ada']?.[2],
    '先月の売上高を見せて',
  ]);
  expect(await found('مبيعات')).toEqual([ids['omar']?.[1], ids['omar']?.[0]]);
  // one word in the name, one in the job; what the name has may be left out, too
  expect(await found('sales zürich')).toEqual([ids['ada']?.[0]]);
  expect(await found('revenue -sales')).toEqual([ids['omar']?.[0]]);
  expect(await found('sales', '--in', 'question,answer,code,table,file')).toEqual([]);
});

it('search counts and searches only the user and the period that are named, both days included', async () => {
  expect(await search('revenue', '--user', 'omar')).toMatchObject({ searched: 2, matches: 1 });
  const period = ['--from', '2026-01-11', '--to', '2026-01-13'];
  expect(await search('revenue', ...period)).toMatchObject({ searched: 3, matches: 1 });
  expect(await search('revenue', '--to', '2026-01-13T12:00:00Z')).toMatchObject({
    searched: 3,
    matches: 1,
  });
  expect(await search('revenue', '--from', '2026-02')).toMatchObject({ searched: 0, matches: 0 });
});

it('a search lists as many hits as it is told to, and counts all of them', async () => {
  const { matches, hits } = await search('revenue OR invoice OR 売上', '--limit', '2');
  expect([matches, hits.length]).toEqual([5, 2]);
  expect(await search('revenue', '--limit', '0')).toMatchObject({ matches: 2, hits: [] });
});

it('a search ends with 3 where a session of the period has a gap, also where nothing is found', async () => {
  const { exitCode, stdout } = await cli(['search', people.rig.out, 'unheard-of']);
  expect([exitCode, stdout]).toEqual([
    3,
    `Not proven complete: 1 conversation that was searched has gaps\n0 hits in 5 questions of commit 1\n\n${inDoubt()}`,
  ]);
  const late = await cli(['search', people.rig.out, 'revenue', '--from', '2126']);
  expect([late.exitCode, late.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Complete in what was searched\n0 hits in 0 questions of commit 1\nNo question of this period is known\.\n/,
    ),
  ]);
});

it('a search shows no signature', async () => {
  const { stdout } = await cli(['search', people.rig.out, 'see']);
  expect(stdout).toContain('files.example');
  expect(stdout).not.toContain('0123456789abcdef');
});

it('a search is the same from the library', async () => {
  await using archive = await openArchive(people.rig.out);
  const { hits, commit } = await archive.search('revenue', { users: ['ada'], in: ['question'] });
  expect([commit, hits.map(({ job_id: id }) => id)]).toEqual([1, [ids['ada']?.[0]]]);
});

it('a hit has time, user, session, and the address in the report where there is one', async () => {
  const { out } = people.rig;
  const found = async () => (await cli(['search', out, 'zürich'])).stdout.split('\n  found')[1];
  const { stdout } = await cli(['search', out, 'zürich']);
  expect(stdout).toContain(
    '1 hit in 5 questions of commit 1\n\n2026-01-10 12:00 UTC  ada  Sales\n',
  );
  expect(await found()).toBe(
    ` in the question\n  session s-sales, job ${ids['ada']?.[0] ?? ''}\n\n` +
      `${inDoubt()}jobvault report ${out} makes a page on which each hit has a link.\n`,
  );
  await cli(['report', out]);
  expect(await found()).toBe(
    ` in the question\n  session s-sales, job ${ids['ada']?.[0] ?? ''}\n` +
      `  ${out}-report/index.html#/user/ada/session/s-sales/job/${ids['ada']?.[0] ?? ''}\n` +
      `\n${inDoubt()}The links open in a browser; what is newer than the report is on its page after jobvault report ${out}.\n`,
  );
});

it('a search takes words that begin with a minus behind --', async () => {
  const { exitCode, stdout } = await cli(['search', people.rig.out, '--', '-budget']);
  expect([exitCode, stdout]).toEqual([
    3,
    (await cli(['search', people.rig.out, ' -budget'])).stdout,
  ]);
  expect(stdout).toMatch(/^Not proven complete: .*\n[1-9]\d* hits? in /);
});

it('a search takes a period relative to now, and says the days that it meant', async () => {
  const { exitCode, stderr } = await cli([
    'search',
    people.rig.out,
    'x',
    '--from',
    'today',
    '--to',
    'yesterday',
  ]);
  const [yesterday, today] = [1, 0].map((ago) =>
    new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
  );
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`from ${today} to ${yesterday} ends before`),
  ]);
});

describe('in an archive of JSON lines and workbooks', () => {
  let more: SearchRig;
  let budget: string | undefined;
  let plan: string | undefined;
  beforeAll(async () => {
    more = await SearchRig.start();
    [budget] = more.talk('ada', 's', 'S', [{ question: 'the budget' }, { answer: 'a draft' }]);
    [plan] = more.talk('ada', 's-plan', 'Plan of the year', [{ question: 'the weather' }]);
    more.talk('ada', 's-rest', 'Rest', [{ question: 'a plan' }]);
    await more.rig.export({ formats: ['jsonl', 'xlsx'] });
  });
  afterAll(() => more[Symbol.asyncDispose]());

  it('a search finds what is asked', async () => {
    await using archive = await openArchive(more.rig.out);
    const { searched, hits } = await archive.search('budget');
    expect([searched, hits.map(({ job_id: id }) => id)]).toEqual([4, [budget]]);
  });

  it('a search finds the names of conversations', async () => {
    const inName = ['search', more.rig.out, 'plan', '--in', 'name'];
    const { matches, hits } = await cliJson<Found>(inName);
    expect([matches, hits[0]?.job_id, hits[0]?.session_name]).toEqual([
      1,
      plan,
      'Plan of the year',
    ]);
  });
});

it('a search shows of a long text the line of its first word, wherever that stands', async () => {
  await using rig = await SearchRig.start();
  const fill = 'Zeile für Zeile. '.repeat(20_000);
  const address = `https://files.example/${'a'.repeat(800)}?token=geheim`;
  rig.talk('ada', 's-long', 'Long', [
    { question: 'All?', answer: `${fill}${address} Der Umsatz, und 売上高. ${fill}` },
    { question: 'Now?', answer: `Umsatz zuerst. ${fill}` },
  ]);
  await rig.rig.export();
  const excerptsOf = async (words: string): Promise<string[]> => {
    const { hits } = await cliJson<Found>(['search', rig.rig.out, words]);
    return hits.map(({ excerpt }) => excerpt).sort();
  };
  const [first, second] = await excerptsOf('umsatz');
  expect(first).toMatch(/^Umsatz zuerst\. Zeile für Zeile\..*…$/);
  expect(second).toMatch(/^….*Der Umsatz, und 売上高\. Zeile für/);
  expect(second).not.toContain('geheim');
  for (const words of ['売上高', '売上高 OR nothing', 'umsatz 売上高']) {
    expect(await excerptsOf(words)).toEqual([expect.stringMatching(/Der Umsatz, und 売上高/)]);
  }
});

it('a search finds and shows words of texts that came as an object or a list', async () => {
  await using rig = await SearchRig.start();
  const token = 'https://files.example/a.csv?token=geheim';
  const [asObject, asList, cut, code] = rig.talk('ada', 's-odd', 'Odd', [
    { question: { text: 'Der Zeppelin', file: { url: token } } },
    { question: ['Zeppelin in a list'], answer: { parts: ['Line one\nZürich', token] } },
    { question: 'Cut off', answer: ['half of a character: \ud83d', 'Luftschiff'] },
    { question: 'Which code?', code: { language: 'python', code: 'zeppelin = 1' } },
  ]);
  await rig.rig.export();
  const of = async (...words: string[]) => {
    const { stdout } = await cli(['search', rig.rig.out, ...words, '--json']);
    const { hits } = JSON.parse(stdout) as Found;
    return hits.map(({ job_id: id, matched_in: fields, excerpt }) => [id, fields, excerpt]);
  };
  expect(await of('zeppelin')).toEqual([
    [code, ['code'], 'Which code?'],
    [asList, ['question'], 'Zeppelin in a list'],
    [asObject, ['question'], 'Der Zeppelin'],
  ]);
  expect(await of('zurich')).toEqual([[asList, ['answer'], 'Line one Zürich']]);
  const half = 'half of a character: \ufffd Luftschiff';
  expect(await of('luftschiff')).toEqual([[cut, ['answer'], half]]);
  expect(await of('zeppelin', '--in', 'code')).toEqual([[code, ['code'], 'Which code?']]);
  expect(await of('zeppelin', '--in', 'answer')).toEqual([]);
  const { stdout } = await cli(['search', rig.rig.out, 'zeppelin OR zurich']);
  expect(stdout).not.toContain('geheim');
});

it('a search finds each of many words', async () => {
  const others = Array.from('abcdefghijkl', (letter) => `xy${letter}`);
  const { matches, hits } = await search([...others, 'zürich'].join(' OR '));
  expect([matches, hits[0]?.job_id]).toEqual([1, ids['ada']?.[0]]);
});

it.each([
  [['!?'], 'there is no word to look for in "!?"'],
  [['"net revenue'], 'a quote in "\\"net revenue" is not closed; a phrase needs two'],
  [
    ['net', '-draft'],
    '"-draft" was read as a flag; write all words in one pair of quotes, as in jobvault search ARCHIVE "sales -draft", or jobvault search ARCHIVE -- "-draft"\n',
  ],
  [['net', 'revenue'], 'unexpected word "revenue"; allowed is jobvault search'],
  [
    ['x', '--from', '2026-02-30'],
    'from is "2026-02-30"; allowed is a year, month, day or time (UTC) such as 2026, 2026-03, 2026-03-31 or 2026-03-31T08:00Z; today, yesterday, this-month, last-month, this-year, last-year, or so long ago, such as 30d or 12h\n',
  ],
  [['x', '--from', '2026', '--to', '2025'], 'the period from 2026 to 2025 ends before it begins'],
  [['x', '--user', 'adda'], 'has no user "adda"; did you mean "ada"?'],
  [['x', '--in', 'title'], 'question, answer, code, table, file, name'],
])('a search refuses %j and says why', async (words, why) => {
  const { exitCode, stderr } = await cli(['search', people.rig.out, ...words]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(why);
});

it('what is gone is not found: an earlier version of a job, and who was erased', async () => {
  await using more = await SearchRig.start();
  const [job = ''] = more.talk('ann', 's-ann', 'S', [{ question: 'the first words' }]);
  more.talk('ben', 's-ben', 'S', [{ question: 'other words' }]);
  await more.rig.export();
  const blocks = [{ type: 'MESSAGE', content: 'the second words' }];
  more.rig.state.changeJob('ann', 's-ann', job, (record) => ({
    ...record,
    question: { blocks },
  }));
  await more.rig.export({ full: true });
  const ask = (words: string) => cliJson<Found>(['search', more.rig.out, words]);
  expect(await ask('first')).toMatchObject({ searched: 2, matches: 0 });
  expect(await ask('second')).toMatchObject({ searched: 2, matches: 1 });
  await eraseFromArchive({ archive: more.rig.out, users: ['ann'] });
  expect(await ask('second OR other')).toMatchObject({ searched: 1, matches: 1 });
});
