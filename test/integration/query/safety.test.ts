/** What SQL may not do, what goes wrong, and archives that are rewritten while they are asked. */
import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveOf, filesOfTable, type Archive } from '../../../src/archive/archive.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { systemRandom, systemClock } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { asRunId } from '../../../src/model/ids.js';
import { isAllowedFunction } from '../../../src/query/allowed-functions.js';
import { queryArchive } from '../../../src/query/query-archive.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { draft } from '../../support/store/archive-samples.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { ask, askOne, digestsOf } from '../../support/rigs/query-rig.js';

let rig: ExportRig;
let archive: Archive;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 3 });
  await rig.archived();
  archive = await rig.open();
});
afterAll(() => rig[Symbol.asyncDispose]());

const temporaries = async () =>
  (await readdir(tmpdir())).filter((name) => /^jobvault-[0-9a-f]{16}-/.test(name));

it('a query changes no byte of the archive, whatever it says', async () => {
  const [part = ''] = (await filesOfTable(archive, 'jobs')).map(({ path }) => path);
  const file = join(rig.out, part);
  const before = await digestsOf(rig.out);
  for (const sql of [
    `COPY (SELECT 1) TO '${file}'`,
    `COPY jobs TO '${rig.out}/tables/jobs/new.parquet' (FORMAT parquet)`,
    `EXPLAIN ANALYZE COPY (SELECT 1) TO '${file}'`,
    `SELECT 1; COPY (SELECT 1) TO '${file}'`,
    `SELECT * FROM query('COPY (SELECT 1) TO ''${file}''')`,
    `ATTACH '${rig.out}/new.db'`,
    `EXPORT DATABASE '${rig.out}/dump'`,
    'CREATE TABLE jobs2 AS FROM jobs',
    'DROP VIEW jobs',
    'INSERT INTO jobs FROM jobs',
    'DELETE FROM jobs',
  ]) {
    await expect(ask({ archive, sql }), sql).rejects.toMatchObject({ failure: 'usage' });
  }
  expect(await digestsOf(rig.out)).toEqual(before);
});

it('a query reads no file but those of its tables', async () => {
  const other = join(rig.directory, 'other.csv');
  await writeFile(other, 'secret\n1\n');
  for (const sql of [
    `FROM read_csv('${other}')`,
    `FROM '${other}'`,
    `FROM read_text('/etc/passwd')`,
    `FROM glob('${rig.directory}/*')`,
    `FROM read_text('${rig.out}/jobvault.json')`,
    `FROM read_parquet('https://example.com/x.parquet')`,
    `FROM sniff_csv('${other}')`,
    `FROM parquet_metadata('${other}')`,
    `SELECT (SELECT content FROM main.read_text('${other}'))`,
    `FROM query_table('${other}')`,
    `DESCRIBE FROM '${other}'`,
  ]) {
    const refused = ask({ archive, sql });
    await expect(refused, sql).rejects.toMatchObject({ failure: 'usage' });
    await expect(refused, sql).rejects.toThrow(/reads only the tables of its archive/);
  }
});

it('a query cannot loosen the rules it runs under', async () => {
  for (const sql of [
    'SET enable_external_access = true',
    'RESET lock_configuration',
    'INSTALL httpfs',
    'LOAD httpfs',
    "CREATE SECRET s (TYPE s3, KEY_ID 'x')",
    "FROM enable_logging(storage = 'stdout')",
    "SELECT * FROM query('FROM enable_logging(''QueryLog'')')",
    'FROM truncate_duckdb_logs()',
    "SELECT 1 FROM enable_profiling(save_location := 'profile.txt')",
    'FROM disable_profiling()',
    'PRAGMA enable_logging',
    "PRAGMA import_database('/tmp')",
    'CALL enable_logging()',
  ]) {
    await expect(ask({ archive, sql }), sql).rejects.toMatchObject({ failure: 'usage' });
  }
});

it.each([
  ['qualified', "FROM system.main.enable_logging(storage = 'stdout')"],
  ['half qualified', 'FROM main.Enable_Logging()'],
  ['quoted', 'FROM "enable_logging"()'],
  ['in a subquery', 'SELECT 1 WHERE EXISTS (FROM system.main.enable_logging())'],
  ['in a CTE', 'WITH x AS MATERIALIZED (FROM system.main.enable_logging()) FROM x'],
  ['in a join', 'FROM range(1) JOIN system.main.enable_logging() ON true'],
  ['in a limit', 'SELECT 1 LIMIT (SELECT count(*) FROM system.main.enable_logging())'],
  ['summarised', 'SUMMARIZE FROM system.main.enable_logging()'],
  ['as SQL in a text', "FROM query('FROM system.main.enable_' || 'logging()')"],
  ['as a plan', "SELECT json_serialize_plan('FROM system.main.enable_logging()')"],
  [
    'as a tree',
    "FROM json_execute_serialized_sql(json_serialize_sql('FROM system.main.enable_logging()'))",
  ],
  ['as a checkpoint', 'FROM system.main.force_checkpoint()'],
  ['as a pointer', 'FROM arrow_scan(1, 2, 3)'],
  ['as a line of the log', "SELECT system.main.write_log('x')"],
])('a query calls no function that steers the database: %s', async (_, sql) => {
  await expect(ask({ archive, sql })).rejects.toThrow(
    /^a query (only reads; the function|reads only the tables of its archive)/,
  );
});

it('a query goes through functions of many kinds', async () => {
  const sql = `WITH n AS (SELECT unnest([1, 2, 3]) AS i FROM range(2) UNION ALL VALUES (4))
      SELECT count(*) AS all_rows, sum(i) FILTER (i > 1) AS some,
        (SELECT count(*) > 10 FROM information_schema.columns) AS has_catalog,
        (SELECT string_agg(key) FROM json_each('{"a":1,"b":2}')) AS keys,
        len(list_transform([1, 2], lambda x: x + 1)) AS transformed
      FROM (SELECT i, row_number() OVER (ORDER BY random()) FROM n)`;
  expect((await ask({ archive, sql })).rows).toEqual([['7', '14', 'true', 'a,b', '2']]);
});

it('a query knows every function of this DuckDB that may do more than compute', async () => {
  const sql = `SELECT DISTINCT function_name FROM duckdb_functions()
      WHERE stability = 'VOLATILE' AND function_type <> 'table' ORDER BY ALL`;
  const harmless = [
    'current_connection_id',
    'current_query',
    'current_query_id',
    'current_transaction_id',
    'error',
    'gen_random_uuid',
    'random',
    'stats',
    'uuid',
    'uuidv4',
    'uuidv7',
  ];
  const volatile = (await ask({ archive, sql })).rows.map(([name]) => name ?? '');
  expect(volatile.filter((name) => isAllowedFunction(name))).toEqual(harmless);
});

it.each([
  ['nothing', '', /holds no statement/],
  ['a comment', '-- only a word', /holds no statement/],
  ['two statements', 'SELECT 1; SELECT 2', /has 2 statements/],
  ['a parameter', 'SELECT $1', /has parameters/],
  ['a slip', 'SELEC 1', /^Parser Error: syntax error at or near "SELEC"/],
  ['an unknown column', 'SELECT nope FROM jobs', /^Binder Error: .*"nope" not found/],
  ['an unknown table', 'FROM nope', /^Catalog Error: Table with name nope does not exist/],
  ['a word in a line', 'SELECT 1,\nnope\nFROM jobs', /\n\nLINE 2: nope\n {8}\^$/],
  ['nearly a table', 'FROM v_usage_by_wek', /Did you mean "v_usage_by_week"/],
  ['a value that does not fit', "SELECT 'x'::INTEGER", /^Conversion Error/],
])('a query is told what is wrong with %s', async (_, sql, told) => {
  const asked = ask({ archive, sql });
  await expect(asked).rejects.toThrow(told);
  await expect(asked).rejects.toMatchObject({ failure: 'usage' });
});

it('a query leaves nothing in the temporary directory, answered or not', async () => {
  const parent = join(rig.directory, 'temporary');
  await mkdir(parent);
  await askOne({ archive, sql: 'SELECT count(*) FROM jobs', temporaryDirectory: parent });
  await ask({ archive, sql: 'FROM nope', temporaryDirectory: parent }).catch(() => undefined);
  expect(await readdir(parent)).toEqual([]);
});

it('a query is interrupted where it stands', async () => {
  const aborting = new AbortController();
  const reason = new Error('enough');
  const before = await temporaries();
  const asked = ask({
    archive,
    sql: 'SELECT count(*) FROM range(1000000000000) AS r WHERE hash(range) % 7 = 1',
    signal: aborting.signal,
  });
  setImmediate(() => {
    aborting.abort(reason);
  });
  await expect(asked).rejects.toBe(reason);
  expect((await temporaries()).filter((name) => !before.includes(name))).toEqual([]);
});

it('a query goes on with what does not fit into memory on the disk', async () => {
  const rows = await queryArchive(
    {
      archive,
      memoryBytes: 100e6,
      sql: 'SELECT range AS n, repeat(md5(range::VARCHAR), 5) AS t FROM range(600000) ORDER BY t',
    },
    async (result) => {
      let count = 0;
      for await (const some of result.rows()) count += some.length;
      return count;
    },
  );
  expect(rows).toBe(600_000);
});

it('reads an archive whose place looks like a pattern, or holds a quote', async () => {
  const odd = join(rig.directory, "it's [1] a * odd? place");
  await cp(rig.out, odd, { recursive: true });
  const moved = await openArchiveIn(createLocalStorage({ directory: odd }));
  const sql = 'SELECT count(*) FROM current_blocks';
  expect(await askOne({ archive: moved, sql })).toBe(await askOne({ archive, sql }));
});

it('names the storage where the temporary directory cannot be made', async () => {
  const refused = askOne({ archive, sql: 'SELECT 1', temporaryDirectory: '/no/such/place' });
  await expect(refused).rejects.toMatchObject({ failure: 'storage' });
});

/** As a compaction does it: new files, one commit that names them, then the old ones go. */
async function rewrite(target: ExportRig): Promise<void> {
  const own = await target.open();
  const files = await filesOfTable(own, 'jobs');
  const run = asRunId(ulid(systemClock, systemRandom));
  const moved = files.map((file, index) => ({
    ...file,
    path: `${dirname(file.path)}/${run}-${String(index + 1).padStart(4, '0')}.parquet`,
  }));
  for (const [index, { path }] of files.entries()) {
    await copyFile(join(target.out, path), join(target.out, moved[index]?.path ?? ''));
  }
  const base = (await own.log.head())?.number ?? 0;
  await own.log.append(draft({ run, base, files: moved, removed: files.map((f) => f.path) }));
  for (const { path } of files) await rm(join(target.out, path));
}

it('an archive that is rewritten meanwhile is asked again as its newest commit has it', async () => {
  await using own = await ExportRig.start({ users: 1, sessions: 2, jobs: 3 });
  await own.export();
  const { storage, identity } = await own.open();
  const before = await askOne({ archive: await own.open(), sql: 'SELECT count(*) FROM jobs' });
  let rewrites = 3;
  const unsteady = archiveOf(storage, identity, { clock: systemClock, random: systemRandom });
  const commits = unsteady.log.commits.bind(unsteady.log);
  // when the log has been read, and before a file is opened
  unsteady.log.commits = async function* (first, last) {
    yield* commits(first, last);
    if (rewrites-- > 0) await rewrite(own);
  };
  const result = await ask({ archive: unsteady, sql: 'SELECT count(*) FROM jobs' });
  expect(result.rows).toEqual([[before]]);
  expect(result.commit).toBe(4);
});

it('a missing file is damage where no commit says that the archive is rewritten', async () => {
  await using own = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  await own.export();
  const damaged = await own.open();
  const [file] = await filesOfTable(damaged, 'jobs');
  await rename(join(own.out, file?.path ?? ''), join(own.directory, 'taken'));
  await expect(ask({ archive: damaged, sql: 'FROM jobs' })).rejects.toMatchObject({
    failure: 'integrity',
  });
});
