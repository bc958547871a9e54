/** A search finds words in the first rows of tables, says so, and counts the tables that it could not read. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_TABLE_TEXT_BYTES } from '../../../src/model/tables.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { duckDbRows } from '../../support/tables/duckdb-rows.js';

interface Found {
  readonly matches: number;
  readonly tables_not_searched: number;
  readonly tables_in_part: number;
  readonly not_searched: string;
  readonly unread_tables: readonly object[];
  readonly hits: readonly {
    readonly job_id: string;
    readonly matched_in: readonly string[];
    readonly matched_tables: readonly string[];
    readonly excerpt: string;
  }[];
}

const SIGNATURE =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAEXAMPLE%2F20260101%2Fx%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
const ROW = `${'x'.repeat(98)}\n`;
const LONG = `${ROW.repeat(160)}inside\n${ROW.repeat(40)}beyond\n`;
const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';

let people: SearchRig;
let ada: string[];
let ben: string[];

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-ada', 'Sales', [
    { table: 'a.csv', csv: `customer,region\n"Müller, Anna",Zürich\nlink,https://h.example/f.csv?${SIGNATURE}\n` },
    { question: 'Anna, again', table: 'anna.csv', csv: Buffer.from('\ufeff顧客,売上\nAnna,12\n', 'utf16le') },
    { table: 'long.csv', csv: LONG },
  ]); // prettier-ignore
  ben = people.talk('ben', 's-ben', 'Costs', [
    { table: 'again.csv', csv: LONG },
    { table: 'lost.csv', csv: null },
    { table: 'b.csv', csv: 'customer\nAnnabel\n' },
  ]);
  await people.rig.export({ formats: ['parquet', 'jsonl', 'xlsx'] });
});
afterAll(() => people[Symbol.asyncDispose]());

/** A table is lost: with it in scope the exit code is 3. */
const search = async (words: string, ...more: string[]): Promise<Found> => {
  const run = await cli(['search', people.rig.out, words, ...more, '--json']);
  expect(run.exitCode).toBe(more.includes('ada') ? 0 : 3);
  return JSON.parse(run.stdout) as Found;
};
const placesOf = async (words: string, ...more: string[]) =>
  (await search(words, ...more)).hits.map(({ job_id: id, matched_in: places }) => [id, places]);

it('search finds words in any cell, and says of each hit that they stand in a table', async () => {
  expect(await placesOf('anna')).toEqual([
    [ben[2], ['table']],
    [ada[1], ['question', 'table', 'file']],
    [ada[0], ['table']],
  ]);
  expect(await placesOf('売上')).toEqual([[ada[1], ['table']]]);
  expect(await placesOf('"Muller, Anna" zurich')).toEqual([[ada[0], ['table']]]);
  expect(await placesOf('annabel -anna')).toEqual([]);
});

it('a search in tables looks there alone, or not there, where it is told so', async () => {
  expect(await placesOf('anna', '--in', 'table')).toEqual([
    [ben[2], ['table']],
    [ada[1], ['table']],
    [ada[0], ['table']],
  ]);
  expect(await placesOf('anna', '--in', 'file')).toEqual([[ada[1], ['file']]]);
  const without = await search('anna', '--in', 'question,answer');
  expect(without).toMatchObject({ matches: 1, tables_not_searched: 0, tables_in_part: 0 });
  expect(without.not_searched).toBe(
    `code, the first rows of tables, names of tables and images, names of conversations, ${NEVER}`,
  );
});

it('search counts and names tables without a text, and those with the beginning of one', async () => {
  const ofBen = { user_id: 'ben', session_id: 's-ben', session_name: 'Costs' };
  const ofAda = { user_id: 'ada', session_id: 's-ada', session_name: 'Sales' };
  expect(await search('inside')).toMatchObject({
    matches: 2,
    tables_not_searched: 1,
    tables_in_part: 2,
    not_searched: NEVER,
    unread_tables: [
      { ...ofBen, job_id: ben[1], file: 'lost.csv', in_part: false, is_found: false },
      { ...ofBen, job_id: ben[0], file: 'again.csv', in_part: true, is_found: true },
      { ...ofAda, job_id: ada[2], file: 'long.csv', in_part: true, is_found: true },
    ],
  });
  expect(await search('beyond')).toMatchObject({ matches: 0, tables_in_part: 2 });
  expect(await search('anna', '--user', 'ada')).toMatchObject({
    tables_not_searched: 0,
    tables_in_part: 1,
  });
});

it('search shows the text around the word, tells people where it is, shows no signature', async () => {
  const { hits } = await search('zürich');
  expect(hits[0]?.excerpt).toBe('customer region Müller, Anna Zürich link https://h.example/f.csv');
  const { stdout } = await cli(['search', people.rig.out, 'annabel']);
  expect(stdout).toContain('\n  customer Annabel\n  found in a table (“b.csv”)\n');
  expect(stdout).toContain('1 table was not searched: ');
  expect(stdout).toContain(`- ben, “lost.csv” in “Costs” (session s-ben, job ${ben[1]})\n`);
  expect(stdout).toContain('2 tables were searched only in their first 16 KB: ');
  expect(stdout).toContain(`- ben, “again.csv” in “Costs” (session s-ben, job ${ben[0]})\n`);
  expect(stdout).toContain(`- ada, “long.csv” in “Sales” (session s-ada, job ${ada[2]})\n`);
  const [anna] = (await search('anna', '--user', 'ada')).hits;
  expect(anna?.matched_tables).toEqual(['anna.csv']);
  expect((await cli(['search', people.rig.out, 'inside'])).stdout).toContain(
    `job ${ada[2]}): the question was found all the same\n`,
  );
});

it('a search in tables reads what every part file has, as DuckDB does', async () => {
  const rows = await duckDbRows(
    `SELECT name, table_text FROM read_parquet('${people.rig.out}/tables/artifacts/*/*.parquet') ORDER BY name`,
  );
  const texts = new Map(rows.map((row) => [row['name'], row['table_text']]));
  expect(texts.get('a.csv')).toBe(
    'customer\tregion\nMüller, Anna\tZürich\nlink\thttps://h.example/f.csv',
  );
  expect(texts.get('anna.csv')).toBe('顧客\t売上\nAnna\t12');
  expect(texts.get('lost.csv')).toBeNull();
  const long = String(texts.get('long.csv'));
  expect(long.length).toBeGreaterThan(MAX_TABLE_TEXT_BYTES - 200);
  expect(long.length).toBeLessThanOrEqual(MAX_TABLE_TEXT_BYTES);
  expect(texts.get('again.csv')).toBe(long);
});

it('the text of a table leaves with an erasure, and stays with a compaction and a copy', async () => {
  await using more = await SearchRig.start();
  const [kept] = more.talk('ann', 's-ann', 'S', [{ table: 'a.csv', csv: 'who\nAnn Falcon\n' }]);
  await more.rig.export();
  more.talk('bob', 's-bob', 'S', [{ table: 'b.csv', csv: 'who\nBob Falcon\n' }]);
  await more.rig.export();
  const found = async (out: string) =>
    (await cliJson<Found>(['search', out, 'falcon'])).hits.map(({ job_id: id }) => id);
  expect(await found(more.rig.out)).toHaveLength(2);
  await cliJson(['compact', more.rig.out, '--grace', '0s']);
  expect(await found(more.rig.out)).toHaveLength(2);
  await eraseFromArchive({ archive: more.rig.out, users: ['bob'] });
  expect(await found(more.rig.out)).toEqual([kept]);
  const copy = `${more.rig.out}-copy`;
  await cliJson(['copy', more.rig.out, copy]);
  expect(await found(copy)).toEqual([kept]);
});
