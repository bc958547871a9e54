/** Every kind of value that DuckDB knows, as it comes out of a query, read back by other parsers. */
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it } from 'vitest';
import { withoutApostrophes } from '../../support/tables/csv-apostrophes.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { makeArchive } from '../../support/store/archive-samples.js';
import { queryArchive } from '../../../src/query/query-archive.js';
import { csvText, jsonArray, jsonLines } from '../../../src/query/result-text.js';

type Form = (...given: readonly [...Parameters<typeof jsonLines>]) => AsyncGenerator<string>;

async function written(sql: string, form: Form): Promise<string> {
  const archive = await makeArchive(createMemoryStorage());
  return queryArchive({ archive, sql }, async (result) => {
    let text = '';
    for await (const some of form(result.columns, result.rows())) text += some;
    return text;
  });
}

const VALUES: readonly (readonly [expression: string, text: string])[] = [
  ['NULL', 'null'],
  ['9223372036854775807::BIGINT', '9223372036854775807'],
  ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
  ['12345678901234567890.123456789::DECIMAL(38,9)', '12345678901234567890.123456789'],
  ['0.1::DOUBLE', '0.1'],
  ['1e300::DOUBLE', '1e+300'],
  ["'inf'::DOUBLE", '"inf"'],
  ['true', 'true'],
  ["TIMESTAMPTZ '2024-11-21 10:56:34.290544+01'", '"2024-11-21T09:56:34.290544Z"'],
  ["TIMESTAMP '2024-11-21 09:56:34.290544'", '"2024-11-21T09:56:34.290544"'],
  ["TIMESTAMP_NS '2024-11-21 09:56:34.290544123'", '"2024-11-21T09:56:34.290544123"'],
  ["TIMESTAMP_S '2024-11-21 09:56:34'", '"2024-11-21T09:56:34.000000"'],
  ["DATE '2024-11-21'", '"2024-11-21"'],
  ["TIME '09:56:34.290544'", '"09:56:34.290544"'],
  ["INTERVAL '1 day 2 seconds'", '"1 day 00:00:02"'],
  ["'\\xAA'::BLOB", '"\\\\xAA"'],
  ["'a'::ENUM('a', 'b')", '"a"'],
  ['[9007199254740993, NULL]', '[9007199254740993,null]'],
  [
    "{a: 12345678901234567890.123456789::DECIMAL(38,9), b: ['x', NULL], c: {d: 'é\"'}}",
    '{"a":12345678901234567890.123456789,"b":["x",null],"c":{"d":"é\\""}}',
  ],
  ["MAP {'k': 1}", '{"k":1}'],
  ['[]', '[]'],
  [`'{"a": [1]}'::JSON`, '{"a": [1]}'],
  [`('{"a":' || chr(13) || chr(10) || '  "b"}')::JSON`, '{"a":   "b"}'],
  [`'{"a": [1]}'`, '"{\\"a\\": [1]}"'],
  ["'line' || chr(10) || 'two'", '"line\\ntwo"'],
  ["chr(65279) || 'x'", '"\uFEFFx"'],
  ["[chr(65279) || 'x']", '["\uFEFFx"]'],
  ["'👩‍👩‍👧 日本'", '"👩‍👩‍👧 日本"'],
];

/** As they stand behind the names of their columns, in one line. */
let texts: readonly string[];
beforeAll(async () => {
  const columns = VALUES.map(([expression], at) => `${expression} AS v${at}`);
  const line = await written(`SELECT ${columns.join(', ')}`, jsonLines);
  texts = line
    .slice('{'.length, -'}\n'.length)
    .split(/,?"v\d+":/)
    .slice(1);
});

it.each(VALUES.map(([expression, text], at) => [expression, text, at] as const))(
  'writes %s as %s',
  (_expression, text, at) => {
    expect(texts[at]).toBe(text);
  },
);

it('writes JSON that parses, where a list holds what JSON cannot', async () => {
  const text = await written("SELECT ['inf'::DOUBLE] AS v", jsonLines);
  expect(JSON.parse(text)).toEqual({ v: '[Infinity]' });
});

it('writes CSV that distinguishes null from empty, and keeps commas, quotes and line breaks', async () => {
  const sql = `SELECT * FROM (VALUES (1, NULL, 'a,b'), (2, '', 'say "x"'), (3, ' ', 'l1' || chr(10) || 'l2'))
    AS t(n, "empty", "odd, name")`;
  const text = await written(sql, csvText);
  expect(text.split('\n')[1]).toBe('1,,"a,b"');
  expect(text.split('\n')[2]).toBe('2,"","say ""x"""');
  expect(parse(text, { columns: true })).toEqual([
    { n: '1', empty: '', 'odd, name': 'a,b' },
    { n: '2', empty: '', 'odd, name': 'say "x"' },
    { n: '3', empty: ' ', 'odd, name': 'l1\nl2' },
  ]);
});

it('writes CSV in which no text is a formula, and numbers are numbers', async () => {
  const sql = `SELECT * FROM (VALUES (-5, -0.5, '=1+1', '-5', 'a;=1', INTERVAL '-2 days', ['=1']))
    AS t(i, d, "=formula", n, s, v, l)`;
  const [header, row] = (await written(sql, csvText)).split('\n');
  expect(header).toBe("i,d,'=formula,n,s,v,l");
  expect(row).toBe(`-5,-0.5,'=1+1,-5,a;'=1,'-2 days,"[""=1""]"`);
});

it('changes no id, also one that looks as a formula; other texts are as safe as before', async () => {
  const sql = `SELECT '=ann' AS user_id, '''s;-1' AS session_id, '-x' AS person, '=ann' AS text`;
  const plain: typeof csvText = (columns, rows) => csvText(columns, rows, { hasPlainKeys: true });
  expect((await written(sql, plain)).split('\n')[1]).toBe("=ann,'s;-1,-x,'=ann");
  expect((await written(sql, csvText)).split('\n')[1]).toBe("'=ann,''s;'-1,'-x,'=ann");
});

it('writes an array of no, one and many rows', async () => {
  const rows = async (count: number) =>
    JSON.parse(await written(`SELECT range AS n FROM range(${count})`, jsonArray)) as unknown[];
  expect(await rows(0)).toEqual([]);
  expect(await rows(1)).toEqual([{ n: 0 }]);
  expect(await rows(5000)).toHaveLength(5000);
});

it('names a column that comes twice so that neither is lost', async () => {
  expect(await written('SELECT 1 AS a, 2 AS a', jsonLines)).toBe('{"a":1,"a_1":2}\n');
});

it('writes a text as long as a record in pieces, with the same result', async () => {
  const long = '=1 say "売上"; 👩‍👩‍👧\n'.repeat(60_000);
  const sql = `SELECT 1 AS n, repeat('=1 say "売上"; 👩‍👩‍👧' || chr(10), 60000) AS long, 'end' AS last FROM range(2)`;
  const expected = { n: 1, long, last: 'end' };
  const lines = (await written(sql, jsonLines)).split('\n');
  expect(lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toEqual([
    expected,
    expected,
  ]);
  expect(JSON.parse(await written(sql, jsonArray))).toEqual([expected, expected]);
  const rows: { n: string; long: string; last: string }[] = parse(await written(sql, csvText), {
    columns: true,
  });
  expect(rows.map((row) => withoutApostrophes(row.long) === long)).toEqual([true, true]);
  expect(rows.map(({ n, last }) => [n, last])).toEqual([
    ['1', 'end'],
    ['1', 'end'],
  ]);
  const lengths: number[] = [];
  const archive = await makeArchive(createMemoryStorage());
  await queryArchive({ archive, sql }, async (result) => {
    for (const form of [jsonLines, jsonArray, csvText]) {
      for await (const text of form(result.columns, result.rows())) lengths.push(text.length);
    }
  });
  expect(Math.max(...lengths)).toBeLessThan(2_000_000);
});
