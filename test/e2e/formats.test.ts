import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { duckDbRows } from '../support/tables/duckdb-rows.js';

const extensionsIn = (files: readonly string[]) =>
  [...new Set(files.map((path) => path.slice(path.indexOf('.'))))].sort();

it('an archive can have all three formats: equal rows in Parquet, JSON lines, a workbook', async () => {
  await using rig = await CliRig.start({ users: 1 });
  const summary = await rig.export({ words: ['--format', 'parquet,jsonl,xlsx'] });
  expect(extensionsIn(await rig.parts())).toEqual(['.jsonl.gz', '.parquet']);
  expect(await rig.files('workbooks')).toEqual([`workbooks/${summary.run}.xlsx`]);
  const lines = `read_json('${rig.out}/tables/jobs/*/*.jsonl.gz', hive_partitioning = false)`;
  const columns = 'user_id, session_id, job_id, job_version, content_hash';
  const order = `ORDER BY ${columns}`;
  expect(await duckDbRows(`SELECT ${columns} FROM ${lines} ${order}`)).toEqual(
    (await rig.select('jobs', columns, order)).map((row) => ({
      ...row,
      job_version: BigInt(Number(row['job_version'])), // what DuckDB takes a JSON number for
    })),
  );
  expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
});

it('a workbook as the only format is refused before anything is asked or written', async () => {
  await using rig = await CliRig.start({ users: 1 });
  const end = await rig.run(rig.exportWords('--format', 'xlsx'));
  expect(end).toMatchObject({ exitCode: 2, stdout: '' });
  expect(end.stderr.split('\n')[0]).toBe(
    'jobvault: --format is "xlsx"; allowed is parquet, jsonl, xlsx, several separated by commas; one of them must be parquet or jsonl, because a workbook is never read back (jobvault workbook makes one of any archive)',
  );
  expect(await rig.files()).toEqual([]);
  expect(rig.emulator.stats.totalRequests).toBe(0);
});

it('the formats of an archive are fixed by the first run', async () => {
  await using rig = await CliRig.start({ users: 1 });
  await rig.export({ words: ['--format', 'jsonl'] });
  const before = await rig.files();
  const end = await rig.run(rig.exportWords('--format', 'parquet'));
  expect(end).toMatchObject({ exitCode: 2, stdout: '' });
  expect(end.stderr.split('\n')[0]).toBe(
    `jobvault: ${rig.out} keeps its tables as jsonl, not as parquet: the first run fixes the formats`,
  );
  expect(await rig.files()).toEqual(before);
  const user = rig.state.userIds()[0]!;
  rig.state.addJob(user, rig.state.sessionIds(user)[0]!);
  await rig.export();
  const jobs = join(rig.out, 'tables/jobs/*/*.jsonl.gz');
  const [row] = await duckDbRows(`SELECT count(*)::INTEGER AS n FROM read_json('${jobs}')`);
  expect(row?.['n']).toBe(rig.state.totals().jobs);
});
