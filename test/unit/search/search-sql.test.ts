/** What a search's statement finds in tables made here: where words stand, in which period, of whom, and how it is told. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { parseWords } from '../../../src/search/parse-words.js';
import { fieldsOf, SEARCH_FIELDS } from '../../../src/search/search-fields.js';
import type { BoundedJob } from '../../../src/search/bounded-jobs.js';
import { searchSql } from '../../../src/search/search-sql.js';
import type { SearchStatement } from '../../../src/search/sql/search-statement.js';
import { FOLDING, foldText } from '../../../src/base/text/fold-text.js';
import { contentOf, searchText, textsAsRead } from '../../../src/model/blocks/search-text.js';
import { openSearchTables } from '../../support/tables/search-tables.js';

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await openSearchTables();
});
afterAll(() => connection.closeSync());
beforeEach(() =>
  connection.run(
    ['jobs', 'current_sessions', 'blocks', 'artifacts']
      .map((table) => `DELETE FROM ${table};`)
      .join(''),
  ),
);

const text = (value: string | null) =>
  value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`;
const keyOf = (job: string, user = 'ann', session = 's', version = 2) =>
  `'${user}', '${session}', '${job}', ${version}`;
const insert = (table: string, row: string) =>
  connection.run(`INSERT INTO ${table} VALUES (${row})`);

interface JobTimes {
  readonly at?: string;
  readonly after?: string;
  readonly before?: string;
}
/** Times are those of the jobs table. */
async function addJob(key: string, { at, after, before }: JobTimes = {}, question = 'Well?') {
  const times = [at, after, before].map((one) => (one ? `TIMESTAMP ${text(one)}` : 'NULL'));
  await insert('jobs', [key, text(question), ...times].join(', '));
}
/** Of what the archive has folded: of nothing in some files, and of those of another version what no search reads. */
let folding: number | null = FOLDING;
const foldedCells = (words: string | null) =>
  `${folding === FOLDING ? text(words) : "' of another folding '"}, ${folding ?? 'NULL'}`;

const addBlock = (
  key: string,
  content: string | null,
  { role = 'answer', type = 'MESSAGE', at = 0, json = null as string | null } = {},
) => {
  const words = searchText(textsAsRead({ role, type, text: content, content: contentOf(json) }));
  const cells = [role, type].map(text).join(', ');
  return insert(
    'blocks',
    `${key}, ${cells}, ${at}, ${text(content)}, ${text(json)}, ${foldedCells(words)}`,
  );
};
const addSources = (key: string, sources: readonly object[]) =>
  addBlock(key, null, { type: 'SOURCES', json: JSON.stringify(sources) });

interface GivenFile {
  readonly name?: string | null;
  readonly kind?: string;
  readonly bytes?: number;
  readonly sha256?: string | null;
  readonly said?: string | null;
  readonly at?: number;
}
const addFile = (key: string, file: GivenFile) => {
  const { name = null, kind = 'TABLE', bytes = 1, sha256 = 'a', said = null, at = 0 } = file;
  const cells = `${key}, ${at}, ${text(name)}, '${kind}', ${bytes}, ${text(sha256)}, ${text(said)}`;
  return insert('artifacts', `${cells}, ${foldedCells(said === null ? null : foldText(said))}`);
};

async function searchAll(words: string, over: Partial<SearchStatement> = {}) {
  const sql = searchSql({
    words: parseWords(words),
    fields: SEARCH_FIELDS,
    users: [],
    sessions: [],
    bounded: [],
    undated: 'exclude',
    limit: 10,
    withTexts: false,
    readsColumns: true,
    ...over,
  });
  const all = (await connection.runAndReadAll(sql)).getRowObjects();
  const counts = all[0]!;
  const rows = all.filter(({ unread, found }) => unread === null && found === null);
  const named = all.filter(({ unread }) => unread !== null);
  return {
    unread: named.map(({ unread }) => JSON.parse(String(unread)) as Record<string, unknown>),
    hits: rows.flatMap((row) => (row['job_id'] === null ? [] : [String(row['job_id'])])),
    counts: ['searched', 'matches', 'time_unknown'].map((name) => Number(counts[name])),
    tables: ['tables_not_searched', 'tables_in_part'].map((name) => Number(counts[name])),
    rows,
  };
}
const search = searchAll;
const allPlacesOf = async (words: string, over: Partial<SearchStatement> = {}) => {
  const { rows } = await search(words, over);
  return rows.map((row) => (row['job_id'] === null ? [] : fieldsOf(Number(row['places']))));
};

it('the texts of blocks are read once in a format that reads whole rows', async () => {
  await addJob(keyOf('j'));
  await addBlock(keyOf('j'), 'some text');
  const words = parseWords('revenue budget -churn');
  const none = { users: [], sessions: [], bounded: [], undated: 'exclude', limit: 10 } as const;
  const fields = SEARCH_FIELDS;
  const sql = searchSql({ ...none, words, fields, withTexts: false, readsColumns: false });
  const [plan] = (await connection.runAndReadAll(`EXPLAIN ${sql}`)).getRowObjects();
  expect(String(plan?.['explain_value']).match(/\bblocks\b/g)).toHaveLength(1);
});

describe.each([
  ['as the archive has it folded', FOLDING, true],
  ['where the archive has another folding', FOLDING + 1, true],
  ['where the archive has none', null, true],
  ['in a format that reads whole rows', FOLDING, false],
  ['in such a format without a folding', null, false],
])('a word is found %s', (_archive, version, readsColumns) => {
  const search = (words: string, over: Partial<SearchStatement> = {}) =>
    searchAll(words, { readsColumns, ...over });
  const placesOf = (words: string, over: Partial<SearchStatement> = {}) =>
    allPlacesOf(words, { readsColumns, ...over });
  beforeEach(() => {
    folding = version;
  });
  afterEach(() => {
    folding = FOLDING;
  });
  beforeEach(() => addJob(keyOf('j')));

  it.each([
    ['the question', 'question', () => addBlock(keyOf('j'), 'the 売上', { role: 'question' })],
    ['the answer', 'answer', () => addBlock(keyOf('j'), 'the 売上')],
    ['code', 'code', () => addBlock(keyOf('j'), '売上 = 1', { type: 'CODE' })],
    [
      'code of a question',
      'code',
      () => addBlock(keyOf('j'), '売上 = 1', { type: 'CODE', role: 'question' }),
    ],
    [
      'a proposed question',
      'answer',
      () => addBlock(keyOf('j'), null, { type: 'QUESTIONS', json: '["Which 売上?"]' }),
    ],
    ['a source', 'answer', () => addSources(keyOf('j'), [{ source: '売上 2026' }])],
    ['a cited passage', 'answer', () => addSources(keyOf('j'), [{ content: 'a 売上' }])],
    ['the name of a file', 'file', () => addFile(keyOf('j'), { name: '売上.csv' })],
    ['a table', 'table', () => addFile(keyOf('j'), { said: '売上\t1' })],
    [
      'the words of a chart',
      'answer',
      () => addBlock(keyOf('j'), '売上', { type: 'CHART', json: '{"title":"売上"}' }),
    ],
    ['the name of the session', 'name', () => insert('current_sessions', `'ann', 's', '売上'`)],
  ] as const)('in %s, if it is looked for there', async (_, field, add) => {
    await add();
    const others = SEARCH_FIELDS.filter((one) => one !== field);
    if (_ === 'code of a question') {
      expect(await placesOf('売上', { fields: [field] })).toEqual([[field]]);
    } else {
      expect(await placesOf('売上')).toEqual([[field]]);
      expect(await placesOf('売上', { fields: [field] })).toEqual([[field]]);
      expect(await placesOf('売上', { fields: others })).toEqual([[]]);
    }
    expect((await search('上売')).hits).toEqual([]);
  });

  it('in blocks of texts alone, and in no other version of the job', async () => {
    await addJob(keyOf('j', 'ann', 's', 1));
    await addBlock(keyOf('j', 'ann', 's', 1), '売上');
    expect(await search('売上')).toMatchObject({ hits: [], counts: [1, 0, 0] });
  });

  it('in several places, which are all told, and those of unwanted words are not', async () => {
    await addBlock(keyOf('j'), '売上', { role: 'question' });
    await addBlock(keyOf('j'), '株式');
    await addBlock(keyOf('j'), '下書', { type: 'CODE' });
    await insert('current_sessions', `'ann', 's', '売上 of 株式'`);
    expect(await placesOf('売上 株式')).toEqual([['question', 'answer', 'name']]);
    expect(await placesOf('売上 株式 -下書')).toEqual([[]]);
    expect(await placesOf('株式 -無')).toEqual([['answer', 'name']]);
    expect(await placesOf('-無')).toEqual([[]]);
    expect((await search('-無')).hits).toEqual(['j']);
    expect((await search('売上 -名 -株式')).hits).toEqual([]);
  });

  it('however its letters are written, although few ways to write one are looked for first', async () => {
    for (const [word, written] of [
      ['売上', '\u{2f85a}上'],
      ['株', '㈱'],
      ['式', 'a㍿b'],
      ['жар', 'Ӂар'],
      ['שלום', 'שׁלום'],
    ] as const) {
      await connection.run('DELETE FROM blocks');
      await addBlock(keyOf('j'), `x ${written}`);
      expect([word, (await search(word)).hits]).toEqual([word, ['j']]);
      expect([word, (await search(`${word}無`)).hits]).toEqual([word, []]);
    }
  });

  it('where it begins, and a phrase where it ends, too, at the edges of the text and inside it', async () => {
    for (const [words, text, hits] of [
      ['voi', 'voice', ['j']],
      ['voi', 'the voice', ['j']],
      ['voi', 'invoice', []],
      ['"voice"', 'voice', ['j']],
      ['"voice"', 'the \u00advoice, that', ['j']],
      ['"voice"', 'voices', []],
    ] as const) {
      await connection.run('DELETE FROM blocks');
      await addBlock(keyOf('j'), text);
      expect([words, text, (await search(words)).hits]).toEqual([words, text, hits]);
    }
  });

  it('as one of alternatives, beside words that are all needed', async () => {
    await addBlock(keyOf('j'), '売上 of 羅馬');
    expect((await search('売上 羅馬 OR 株式')).hits).toEqual(['j']);
    expect((await search('売上 巴里 OR 株式')).hits).toEqual([]);
    expect((await search('')).hits).toEqual(['j']);
  });
});

it('A search may have 60 words, and no more', () => {
  const statement = (count: number) => {
    const words = parseWords(Array.from({ length: count }, (_, at) => `-売${at}`).join(' '));
    const none = { users: [], sessions: [], bounded: [], undated: undefined, limit: 1 };
    const rest = { fields: ['name'], withTexts: false, readsColumns: true } as const;
    return () => searchSql({ ...none, ...rest, words });
  };
  expect(statement(60)).not.toThrow();
  expect(statement(61)).toThrow(UsageError);
  expect(statement(61)).toThrow('the search has 61 words; allowed are up to 60');
});

const micros = (day: number) => BigInt(Date.UTC(2026, 0, day)) * 1000n;
const bounded = (
  job: string,
  verdict: BoundedJob['verdict'],
  latest: bigint | null,
): BoundedJob => ({
  user: 'ann',
  session: 's',
  job,
  verdict,
  latest,
});
const PERIOD = { from: micros(10), to: micros(20) };

it('hits are of the users and sessions that are named', async () => {
  for (const [job, user, session] of [
    ['j1', 'ann', 's'],
    ['j2', 'ann', 't'],
    ['j3', 'ben', 's'],
  ] as const) {
    await addJob(keyOf(job, user, session));
    await addBlock(keyOf(job, user, session), '売上');
    await insert('current_sessions', `'${user}', '${session}', '株式'`);
  }
  for (const words of ['売上', '株式', '']) {
    const sorted = async (over: Partial<SearchStatement>) =>
      (await search(words, over)).hits.sort();
    expect(await sorted({})).toEqual(['j1', 'j2', 'j3']);
    expect(await sorted({ users: ['ann'] })).toEqual(['j1', 'j2']);
    expect(await sorted({ sessions: ['s'] })).toEqual(['j1', 'j3']);
    expect(await sorted({ users: ['ben', 'cyd'], sessions: ['s', 'x'] })).toEqual(['j3']);
  }
});

it('hits are in the period; of the others it is said how many nobody can judge', async () => {
  await addJob(keyOf('before'), { at: '2026-01-09 23:59:59' });
  await addJob(keyOf('first'), { at: '2026-01-10' });
  await addJob(keyOf('last'), { at: '2026-01-19 23:59:59' });
  await addJob(keyOf('end'), { at: '2026-01-20' });
  for (const job of ['in', 'out', 'unknown']) await addJob(keyOf(job));
  const of = {
    ...PERIOD,
    bounded: [bounded('in', 'within', micros(12)), bounded('out', 'outside', null)],
  };
  expect(await search('', of)).toMatchObject({
    hits: ['last', 'in', 'first', 'unknown'],
    counts: [3, 3, 1],
  });
  const all = await search('', { ...of, undated: 'include' });
  expect(all).toMatchObject({ counts: [4, 4, 1] });
  expect(all.hits.toSorted()).toEqual(['first', 'in', 'last', 'unknown']);
  const told = await search('', { ...of, undated: undefined, limit: undefined });
  expect(told.counts).toEqual([3, 3, 1]);
  expect(told.rows.map((row) => [row['job_id'], row['verdict']]).toSorted()).toEqual([
    ['first', 'within'],
    ['in', 'within'],
    ['last', 'within'],
    ['unknown', 'unknown'],
  ]);
  const some = { ...of, undated: undefined, limit: 2 };
  expect((await search('', some)).hits).toEqual(['last', 'in', 'unknown']);
  expect((await search('', { ...of, from: undefined })).hits).toEqual([
    'last',
    'in',
    'first',
    'before',
    'unknown',
  ]);
  expect((await search('', { ...of, to: undefined })).hits).toEqual([
    'end',
    'last',
    'in',
    'first',
    'unknown',
  ]);
  expect((await search('', { bounded: [] })).counts).toEqual([7, 7, 0]);
});

it('hits are as many as asked for, beside ten at most that nobody can judge', async () => {
  for (const job of ['a', 'b', 'c']) await addJob(keyOf(job), { at: '2026-01-15' });
  for (let at = 0; at < 12; at++) await addJob(keyOf(`unknown ${at}`));
  const { hits, counts } = await search('', { ...PERIOD, undated: undefined, limit: 2 });
  expect([hits.length, counts]).toEqual([2 + 10, [3, 3, 12]]);
  expect(hits.slice(0, 2)).toEqual(['a', 'b']);
  const included = await search('', { ...PERIOD, undated: 'include', limit: 2 });
  expect([included.hits.length, included.counts]).toEqual([2 + 10, [15, 15, 12]]);
  expect(included.hits.slice(0, 2)).toEqual(['a', 'b']);
});

it('hits have the words; only of those it is said what nobody can judge', async () => {
  for (const job of ['a', 'b']) await addJob(keyOf(job));
  await addBlock(keyOf('a'), '売上');
  const undated = { ...PERIOD, undated: undefined, limit: undefined };
  expect(await search('売上', undated)).toMatchObject({ hits: ['a'], counts: [0, 0, 1] });
  const included = await search('売上', { ...PERIOD, undated: 'include' });
  expect(included).toMatchObject({ hits: ['a'], counts: [2, 1, 1] });
});

it('hits are the newest, so many: by their time, or the later bound, or the earlier one', async () => {
  await addJob(keyOf('at 5'), { at: '2026-01-05' });
  await addJob(keyOf('after 5'), { after: '2026-01-05' });
  await addJob(keyOf('before 5'), { after: '2026-01-01', before: '2026-01-05' });
  await addJob(keyOf('at 9'), { at: '2026-01-09' });
  await addJob(keyOf('never'));
  await addJob(keyOf('bounded 7'), { before: '2026-01-02' });
  const order = ['at 9', 'bounded 7', 'after 5', 'at 5', 'before 5', 'never'];
  const of = { bounded: [bounded('bounded 7', 'within', micros(7))] };
  expect((await search('', of)).hits).toEqual(order);
  expect(await search('', { ...of, limit: 2 })).toMatchObject({
    hits: order.slice(0, 2),
    counts: [6, 6, 0],
  });
  const { rows } = await search('', of);
  const timesOf = (job: string) => {
    const row = rows.find((one) => one['job_id'] === job)!;
    return ['created_at', 'created_after', 'created_before'].map((name) => row[name]);
  };
  expect(timesOf('at 5')).toEqual([micros(5), null, null]);
  expect(timesOf('before 5')).toEqual([null, micros(1), micros(5)]);
  expect(timesOf('bounded 7')).toEqual([null, null, micros(7)]);
});

describe('a hit is shown with', () => {
  const NAMED = { undated: undefined, limit: undefined } as const;
  beforeEach(async () => {
    await addJob(keyOf('j'), {}, 'Who asks?');
    await insert('current_sessions', `'ann', 's', '売店'`);
  });
  const shown = async (words: string, over: Partial<SearchStatement> = {}) => {
    const { rows } = await search(words, { withTexts: true, ...over });
    return rows.map((row) => {
      const { text: said, json } = JSON.parse(String(row['said'])) as Record<string, string | null>;
      return [row['name'], said ?? json];
    });
  };

  it('the name of its session, where texts are asked for or the period could not judge it', async () => {
    const nameOf = async (over: Partial<SearchStatement>) =>
      (await search('', over)).rows[0]?.['name'];
    expect(await nameOf({ withTexts: true })).toBe('売店');
    expect(await nameOf({ ...NAMED, from: 1n })).toBe('売店');
    expect(await nameOf({ ...NAMED, to: 2n ** 60n })).toBe('売店');
    expect(await nameOf({ ...NAMED })).toBeNull();
    expect(await nameOf({ undated: 'include', from: 1n })).toBe('売店');
    expect(await nameOf({ undated: 'exclude', from: 1n })).toBe('売店');
  });

  it('the first text with a wanted word: question, answer, lists, files; of code the question', async () => {
    const add = [
      () => addFile(keyOf('j'), { said: '売上 of the table' }),
      () => addFile(keyOf('j'), { name: '売上.csv', sha256: 'b' }),
      () => addSources(keyOf('j'), [{ source: '売上 of a source' }]),
      () => addBlock(keyOf('j'), '売上 of code', { type: 'CODE' }),
      () => addBlock(keyOf('j'), '売上, second', { at: 2 }),
      () => addBlock(keyOf('j'), '売上, first', { at: 1 }),
      () => addBlock(keyOf('j'), '売上?', { role: 'question', at: 9 }),
    ];
    const texts = [];
    for (const one of add) {
      await one();
      texts.push(...(await shown('売上 -無')).map(([, of]) => of));
    }
    expect(texts).toEqual([
      '売上 of the table',
      '売上.csv',
      '[{"source":"売上 of a source"}]',
      // who searches wants to see what was asked, not its SQL
      'Who asks?',
      '売上, second',
      '売上, first',
      '売上?',
    ]);
  });

  it('the question where the words are nowhere else', async () => {
    expect(await shown('売店')).toEqual([['売店', 'Who asks?']]);
    expect(await shown('-無')).toEqual([['売店', 'Who asks?']]);
    expect(await shown('売店', { fields: ['name'] })).toEqual([['売店', 'Who asks?']]);
  });

  it('the words around the first one of a long text, as they were folded', async () => {
    const filler = 'Word '.repeat(200_000);
    await addBlock(keyOf('j'), `${filler}of the 売上 of 株式 ${filler}`);
    const [[, late] = []] = await shown('株式 売上');
    expect(late).toMatch(/^….* word of the 売上 of 株式 word/);
    expect(late).toHaveLength(402);
    await connection.run('DELETE FROM blocks');
    const whole = `${'x'.repeat(999_993)} 売上`;
    await addBlock(keyOf('j'), whole);
    expect(await shown('売上')).toEqual([['売店', whole]]);
  });
});

const addTable = (
  job: string,
  sha256: string | null,
  over: { text?: string; bytes?: number; kind?: string } = {},
) => {
  const { text: said = null, ...file } = over;
  return addFile(keyOf(job), { ...file, sha256, said });
};

it('unsearched tables are named with their conversation, those of jobs not found first', async () => {
  await insert('current_sessions', "'ann', 's', 'Sales'");
  await addJob(keyOf('j'), { at: '2026-01-15' });
  await addJob(keyOf('k'), { at: '2026-02-15' }, '他');
  await addBlock(keyOf('k'), '他', { role: 'question' });
  await addFile(keyOf('j'), { name: 'lost.csv', sha256: null, at: 1 });
  await addFile(keyOf('j'), { name: 'long.csv', bytes: 99_999, said: 'x' });
  await addFile(keyOf('k'), { name: 'odd.csv', bytes: 9, sha256: 'b' });
  const of = { user_id: 'ann', session_id: 's', session_name: 'Sales' };
  const named = [
    { ...of, job_id: 'j', file: 'long.csv', in_part: true, is_found: false },
    { ...of, job_id: 'j', file: 'lost.csv', in_part: false, is_found: false },
    { ...of, job_id: 'k', file: 'odd.csv', in_part: false, is_found: true },
  ];
  expect(await search('他')).toMatchObject({ hits: ['k'], tables: [2, 1], unread: named });
  expect((await search('他', { withTexts: true })).unread).toEqual(named);
  expect((await search('他', { fields: ['answer'] })).unread).toEqual([]);
});

it('tables that were not searched are counted, each file once a job, in the period', async () => {
  await addJob(keyOf('j'), { at: '2026-01-15' });
  await addJob(keyOf('k'), { at: '2026-02-15' });
  await addTable('j', null);
  await addTable('j', null);
  await addTable('j', 'a');
  await addTable('j', 'a');
  await addTable('j', 'b', { text: 'x' });
  await addTable('j', 'c', { text: 'x', bytes: 1e9 });
  await addTable('j', 'c', { text: 'x', bytes: 1e9 });
  await addTable('j', 'd', { kind: 'IMAGE' });
  await addTable('k', 'e');
  expect((await search('他')).tables).toEqual([4, 1]);
  const january = { to: BigInt(Date.UTC(2026, 1, 1)) * 1000n };
  expect((await search('他', january)).tables).toEqual([3, 1]);
  expect((await search('')).tables).toEqual([0, 0]);
  expect((await search('他', { fields: ['answer', 'file'] })).tables).toEqual([0, 0]);
});

it('unsearched tables of jobs that may be in the period count only where these do', async () => {
  await addJob(keyOf('j'));
  await addTable('j', 'a');
  const of = { from: 1n };
  expect((await search('他', of)).tables).toEqual([0, 0]);
  expect((await search('他', { ...of, undated: 'include' })).tables).toEqual([1, 0]);
});
