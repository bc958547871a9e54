import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readXlsx } from 'hucre/xlsx';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageDecompressors } from '../../src/formats/parquet/parquet-codec.js';
import { script } from '../services/programs.js';
import { cli } from '../support/programs/cli-in-process.js';
import { CliProcess, MAIN, PROGRAM } from '../support/programs/cli-process.js';
import { SHORT_LIVED_FLAGS } from '../support/programs/v8-flags.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { foundSheets } from '../support/tables/workbook-cells.js';

const run = promisify(execFile);
/** Takes minutes, unless somebody ends it. */
const ENDLESS = 'SELECT count(*) FROM range(10000000000000) AS r WHERE hash(range) % 7 = 1';

let rig: CliRig;

beforeAll(async () => {
  rig = await CliRig.start();
  await rig.export();
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Without notes: answers of today may still change. */
const query = (...words: string[]) => cli(['query', rig.out, '--quiet', ...words]);

it('query prints CSV where nobody watches', async () => {
  const jobs = await rig.countOf('jobs');
  const end = await query('SELECT count(*) AS n, NULL AS nothing FROM jobs');
  expect(end).toEqual({ exitCode: 0, stdout: `n,nothing\n${jobs},\n`, stderr: '' });
});

it('query prints one line with --json: what was asked, the columns, the rows', async () => {
  const end = await query("SELECT 1::BIGINT AS a, [TIMESTAMPTZ '2026-01-01'] AS b", '--json');
  expect(end.stdout.split('\n')).toHaveLength(2);
  expect(JSON.parse(end.stdout)).toEqual({
    archive: rig.out,
    commit: 1,
    caveats: expect.any(Array) as unknown,
    unverified_bytes: 0,
    columns: [
      { name: 'a', type: 'BIGINT' },
      { name: 'b', type: 'TIMESTAMP WITH TIME ZONE[]' },
    ],
    row_count: 1,
    rows: [{ a: 1, b: ['2026-01-01 00:00:00+00'] }],
  });
});

it('query writes a workbook whose numbers, times and texts are those of Excel', async () => {
  const to = join(rig.directory, 'rows.xlsx');
  const sql = `SELECT 'Ümit, =1+1' AS "text", 12 AS whole, 1.25::DECIMAL(5, 2) AS price, 0.1::DOUBLE AS share,
      12345678901234567890::HUGEINT AS huge, 1.234567890123456789::DECIMAL(20, 18) AS exact, true AS yes,
      TIMESTAMPTZ '2026-03-01 10:00:00+00' AS at, TIMESTAMP '2026-03-01 10:00:00' AS local, DATE '2026-03-02' AS day,
      [1, 2] AS list, NULL AS nothing, repeat('ab', 20000) AS long FROM range(2)`;
  expect(await query(sql, '--to', to)).toEqual({
    exitCode: 0,
    stdout: `2 rows in ${to}\n`,
    stderr: '',
  });
  const [sheet, long] = await foundSheets(await readFile(to));
  const [header, row, ...more] = sheet?.rows ?? [];
  expect([sheet?.name, sheet?.frozenRows, more.length]).toEqual(['result', 1, 1]);
  const cells = Object.fromEntries((header ?? []).map((name, at) => [name, row?.[at]]));
  const { long: beginning, ...others } = cells;
  expect(others).toEqual({
    text: 'Ümit, =1+1',
    whole: 12,
    price: 1.25,
    share: 0.1,
    huge: '12345678901234567890',
    exact: '1.234567890123456789',
    yes: true,
    at: '2026-03-01T10:00:00.000Z',
    local: '2026-03-01T10:00:00.000Z',
    day: '2026-03-02T00:00:00.000Z',
    list: '[1,2]',
    nothing: null,
  });
  expect(beginning).toMatch(/^(ab)+a?… \[the whole text is in the sheet long_text\]$/);
  const parts = (long?.rows ?? []).filter(([, key]) => key === '{"row":2,"column":"long"}');
  expect(parts.map((part) => part[3]).join('')).toBe('ab'.repeat(20_000));
});

it('query writes long integers into a workbook so that all of their digits are shown', async () => {
  const to = join(rig.directory, 'long.xlsx');
  const sql = 'SELECT 4006381333931 AS ean, 1234567890123456 AS card, 1.5::DOUBLE AS share';
  await query(sql, '--to', to);
  const { sheets } = await readXlsx(await readFile(to), { readStyles: true });
  expect(sheets[0]?.rows[1]).toEqual([4006381333931, '1234567890123456', 1.5]);
  expect(sheets[0]?.cells?.get('1,0')?.style?.numFmt).toBe('0');
  expect(sheets[0]?.cells?.get('1,2')?.style?.numFmt).not.toBe('0');
});

it('query writes a workbook of many rows as they come', async () => {
  const to = join(rig.directory, 'many.xlsx');
  await query('SELECT range AS n FROM range(30000)', '--to', to);
  const [sheet] = await foundSheets(await readFile(to));
  expect(sheet?.rows.length).toBe(30_001);
  expect(sheet?.rows.at(-1)).toEqual([29_999]);
});

it('query writes CSV with a byte order mark for Excel, and no other format with one', async () => {
  const to = join(rig.directory, 'excel.csv');
  await query("SELECT 'ä' AS a", '--to', to, '--excel');
  expect(await readFile(to, 'utf8')).toBe('\uFEFFa\nä\n');
  expect((await query("SELECT 'ä' AS a", '--excel')).stdout).toBe('\uFEFFa\nä\n');
  expect(await query('SELECT 1', '--excel', '--json')).toMatchObject({
    exitCode: 2,
    stderr:
      'jobvault: --excel is for CSV, not for --json; a workbook is --to FILE.xlsx\nTry jobvault query --help.\n',
  });
  const other = await query('SELECT 1', '--excel', '--to', 'x.json');
  expect(other.stderr).toContain('--excel is for CSV, not for json; a workbook is --to FILE.xlsx');
});

it('query writes times for Excel as it reads them, and others with their fraction and zone', async () => {
  const sql = `SELECT TIMESTAMPTZ '2026-01-08 22:01:48.314+00' AS at, TIMESTAMP '2026-01-08 22:01:48' AS t, DATE '2026-01-08' AS day, '2026-01-08T22:01:48Z' AS text`;
  expect((await query(sql, '--excel')).stdout).toBe(
    '\uFEFFat,t,day,text\n2026-01-08 22:01:48,2026-01-08 22:01:48,2026-01-08,2026-01-08T22:01:48Z\n',
  );
  expect((await query(sql)).stdout).toMatch(/^at,t,day,text\n2026-01-08T22:01:48\.314000Z,/);
});

it('query writes CSV that a German Excel opens: semicolons, a byte order mark, and 1,5', async () => {
  const sql = `SELECT 'a;b' AS "x;y", 'c,d' AS z, 1.5::DOUBLE AS n, -2.25::DECIMAL(5,2) AS m, NULL AS e, '2,5' AS t`;
  expect((await query(sql, '--excel', '--csv-separator', ';')).stdout).toBe(
    '\uFEFF"x;y";z;n;m;e;t\n"a;b";c,d;1,5;-2,25;;2,5\n',
  );
  expect((await query(sql, '--csv-separator', ';')).stdout).toBe(
    '"x;y";z;n;m;e;t\n"a;b";c,d;1.5;-2.25;;2,5\n',
  );
  expect((await query(sql, '--csv-separator', 'tab')).stdout).toBe(
    'x;y\tz\tn\tm\te\tt\na;b\tc,d\t1.5\t-2.25\t\t2,5\n',
  );
  const other = await query('SELECT 1', '--csv-separator', ';', '--to', 'x.json');
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    'jobvault: --csv-separator is for CSV, not for json; a workbook is --to FILE.xlsx\nTry jobvault query --help.\n',
  ]);
});

it.skipIf(script === undefined)(
  'query prints an aligned table on a terminal, and says what it leaves out',
  async () => {
    const words = [...PROGRAM, 'query', rig.out, '--quiet', '--max-rows', '2', '"FROM range(5)"'];
    const { stdout } = await run(script ?? '', ['-qec', words.join(' '), '/dev/null'], {
      env: { PATH: process.env['PATH'], TERM: 'xterm' },
    });
    expect(stdout.replaceAll('\r', '').split('\n')).toEqual([
      'range',
      '─────',
      '    0',
      '    1',
      '5 rows; 3 more rows not shown, --max-rows 0 shows all',
      '',
    ]);
  },
);

it('query writes Parquet that another reader understands', async () => {
  const file = join(rig.directory, 'jobs.parquet');
  const sql = 'SELECT job_id, job_index, exported_at FROM jobs ORDER BY job_id';
  expect((await query(sql, '--to', file)).exitCode).toBe(0);
  const bytes = await readFile(file);
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    compressors: await pageDecompressors(),
  });
  const jobs = await rig.select('jobs', 'job_id, job_index', 'ORDER BY job_id');
  expect(
    rows.map(({ job_id: id, job_index: index }) => ({ job_id: id, job_index: index })),
  ).toEqual(jobs);
  expect(rows[0]?.['exported_at']).toBeInstanceOf(Date);
});

it.each([
  ['rows.csv', 'n\n0\n1\n'],
  ['rows.json', '[{"n":0},\n{"n":1}]\n'],
  ['rows.jsonl', '{"n":0}\n{"n":1}\n'],
  ['rows.txt', 'n\n─\n0\n1\n2 rows\n'],
])('query writes %s as its name ends', async (name, text) => {
  const file = join(rig.directory, name);
  const end = await query('SELECT range AS n FROM range(2)', '--to', file);
  expect(end).toEqual({ exitCode: 0, stdout: `2 rows in ${file}\n`, stderr: '' });
  expect(await readFile(file, 'utf8')).toBe(text);
});

it('query reads SQL from a file and from stdin', async () => {
  const file = join(rig.directory, 'one.sql');
  await writeFile(file, '-- a comment\nSELECT 1 AS n;\n');
  expect((await query('--sql-file', file)).stdout).toBe('n\n1\n');
  const piped = await rig.runProgram(['query', rig.out, '--sql-file', '-'], {
    stdin: 'SELECT 2 AS n',
  });
  expect(piped.stdout).toBe('n\n2\n');
});

it('query prints views that another DuckDB runs', async () => {
  const { stdout } = await query('--views');
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(stdout);
  const reader = await connection.runAndReadAll('SELECT count(*)::INTEGER AS n FROM current_jobs');
  expect(reader.getRowObjects()).toEqual([{ n: await rig.countOf('jobs') }]);
});

it.each([
  [['SELEC 1'], 'Parser Error: syntax error at or near "SELEC"'],
  [["COPY (SELECT 1) TO 'x.csv'"], 'a query only reads, but this is COPY'],
  [["FROM 'x.csv'"], 'reads only the tables of its archive'],
  [['/* -- */ SET threads = 1'], 'a query only reads, but this is SET'],
  [[], 'no query is given'],
  [['SELECT 1', '--sql-file', 'x'], 'the query is given twice'],
  [['--sql-file', 'no-such-file'], '--sql-file no-such-file cannot be read'],
  [
    ['SELECT 1', '--to', 'rows.xyz'],
    'jobvault: --to rows.xyz has no known ending; allowed is a name that ends in .txt, .csv, .json, .jsonl, .ndjson, .parquet, .xlsx, or --output\n',
  ],
  [['SELECT 1', '--json', '--output', 'csv'], '--json and --output csv exclude each other'],
  [
    ['SELECT 1', '--to', 'rows.xlsx', '--output', 'csv'],
    '--to rows.xlsx is the name of a file of xlsx, not of csv; leave out --output, or give the file another ending',
  ],
  [['SELECT 1', '--output', 'xml'], 'allowed is table, csv, json, jsonl, parquet'],
  [['SELECT 1', '--max-rows', 'all'], '--max-rows is "all"; allowed is a whole number'],
  [['SELECT 1', '--views'], '--views prints SQL and runs none'],
])('query refuses %j with a sentence and exit 2', async (words, told) => {
  const end = await query(...words);
  expect(end.exitCode).toBe(2);
  expect(end.stdout.split('\n')).toHaveLength(words.includes('--json') ? 2 : 1);
  expect(end.stderr).toContain(told);
  expect(end.stderr).not.toMatch(/^ +at /m);
});

it('query says that the archive is missing where its only word is SQL', async () => {
  const end = await cli(['query', 'SELECT 1 FROM jobs']);
  expect([end.exitCode, end.stderr.split('\n')[0]]).toEqual([
    2,
    'jobvault: the first word is the archive, and the only one here is SQL; name the archive before it: jobvault query ARCHIVE "SELECT …"',
  ]);
});

it('query names the directory as missing where the file of --to cannot be made', async () => {
  const end = await query('SELECT 1', '--to', join(rig.out, '..', 'not-there', 'x.csv'));
  expect(end.exitCode).toBe(9);
  expect(end.stderr).toContain('create (or mount) the directory that is missing');
  expect(end.stderr).not.toContain('move away');
});

it('query writes nothing into the archive', async () => {
  const before = await rig.files();
  const inside = await query('SELECT 1', '--to', join(rig.out, 'tables', 'x.csv'));
  expect(inside).toMatchObject({ exitCode: 2, stdout: '' });
  expect(inside.stderr).toContain('is inside the archive');
  const link = join(rig.directory, 'link');
  await symlink(rig.out, link);
  expect(await query('SELECT 1', '--to', join(link, 'x.csv'))).toMatchObject({ exitCode: 2 });
  expect(await rig.files()).toEqual(before);
});

it('query leaves the old file where the query fails', async () => {
  const file = join(rig.directory, 'kept.csv');
  await writeFile(file, 'old\n');
  expect((await query("SELECT 'x'::INTEGER", '--to', file)).exitCode).toBe(2);
  expect(await readFile(file, 'utf8')).toBe('old\n');
  expect((await readdir(dirname(file))).filter((name) => name.includes('partial'))).toEqual([]);
});

it('query ends in silence when its reader has seen enough', async () => {
  const process = new CliProcess(['query', rig.out, '--quiet', 'FROM range(300000)']);
  await process.untilStdout(/^range\n0\n/);
  process.closeStdout();
  expect(await process.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('query is ended by %s, and leaves nothing behind', async (signal, exitCode) => {
  const temporary = join(rig.directory, signal);
  await mkdir(temporary);
  const process = new CliProcess(['query', rig.out, ENDLESS, '--temp-dir', temporary]);
  while ((await readdir(temporary)).length === 0) await new Promise(setImmediate);
  process.kill(signal);
  expect(await process.ended).toMatchObject({ exitCode, stdout: '' });
  expect(await readdir(temporary)).toEqual([]);
});

it('an installation without DuckDB does all but query, which tells how to install it', async () => {
  const place = join(rig.directory, 'installation');
  const modules = join(dirname(dirname(MAIN)), 'node_modules');
  await mkdir(join(place, 'node_modules'), { recursive: true });
  await cp(dirname(MAIN), join(place, 'dist'), { recursive: true });
  await cp(join(modules, '..', 'package.json'), join(place, 'package.json'));
  for (const name of await readdir(modules)) {
    if (name === '@duckdb') continue;
    await symlink(join(modules, name), join(place, 'node_modules', name));
  }
  const main = join(place, 'dist', 'main.js');
  const start = (...words: string[]) =>
    run(process.execPath, [...SHORT_LIVED_FLAGS, main, ...words]);
  const { stdout } = await start('status', rig.out, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ location: rig.out });
  const failing = start('query', rig.out, 'SELECT 1');
  await expect(failing).rejects.toMatchObject({ code: 2, stdout: '' });
  await expect(failing).rejects.toThrow(/npm install @duckdb\/node-api@[\d.]+/);
  const views = await start('query', rig.out, '--views');
  expect(views.stdout).toContain('CREATE OR REPLACE TEMP VIEW "jobs"');
});
