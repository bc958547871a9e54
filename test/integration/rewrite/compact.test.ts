/** Small files become large ones while people read, export and verify; rows stay what they are. */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesOfTable } from '../../../src/archive/archive.js';
import { ed25519Verifier } from '../../../src/archive/log/commit-verifier.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { sha256Hex } from '../../../src/base/digest.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { compacted, crumbled, duckDbDigest } from '../../support/rigs/compact-rig.js';
import { doubledKeys, ExportRig } from '../../support/rigs/export-rig.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { duckDbRows, sqlText } from '../../support/tables/duckdb-rows.js';
import { compactArchive, eraseFromArchive } from '../../support/http/one-call.js';

const TABLES = ['sessions', 'jobs', 'blocks', 'proposed_questions', 'raw_jobs'];

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Every job in a commit of its own. */
async function exportInPieces(jobs: number): Promise<ExportSummary> {
  for (const user of ['ann', 'ben']) {
    rig.state.addJobs(user, rig.state.addSession(user), jobs / 2);
  }
  return rig.export({ checkpointBytes: 1 });
}

const parts = async () => (await rig.parts()).length;

it('leaves of 300 small files a handful, with the same rows', async () => {
  for (const user of ['ann', 'ben']) rig.state.addJobs(user, rig.state.addSession(user), 40);
  await rig.archived();
  const before = await Promise.all(TABLES.map((table) => duckDbDigest(rig.out, table)));
  await crumbled(await rig.open(), createParquetFormat(), 120);
  const files = await parts();
  expect(files).toBeGreaterThan(300);

  const summary = await compactArchive({ archive: rig.out, clock: rig.clock });
  expect(await Promise.all(TABLES.map((table) => duckDbDigest(rig.out, table)))).toEqual(before);
  expect(summary.files).toBeLessThan(15);
  expect(summary.merged.files).toBe(files - (summary.files - summary.written.files));
  expect(await parts()).toBe(summary.files + summary.merged.files);
  expect(summary.replaced).toEqual({ kept: summary.merged.files, deleted: 0 });
  const verified = await rig.verify();
  expect(verified).toMatchObject({ problems: [], orphans: [] });
  const { files: waiting, bytes } = verified.replaced;
  expect([waiting, bytes]).toEqual([summary.merged.files, summary.merged.bytes]);

  const again = await compactArchive({ archive: rig.out, clock: rig.clock });
  expect(again).toMatchObject({ commits: [], merged: { files: 0 }, replaced: summary.replaced });
  rig.clock.ahead = 8 * 86_400_000;
  const later = await compactArchive({ archive: rig.out, clock: rig.clock });
  expect(later.replaced).toEqual({ kept: 0, deleted: summary.merged.files });
  expect(await parts()).toBe(summary.files);
});

// I-52 in FORMAT.md
it('merges the days of a month long over into its first day, where an erasure leaves them', async () => {
  const on = (day: string) => {
    rig.clock.ahead = Date.parse(`${day}T12:00:00Z`) - Date.now();
  };
  for (const day of ['2024-03-05', '2024-03-31', '2024-04-01']) {
    on(day);
    for (const user of ['ann', 'ben']) rig.state.addJobs(user, rig.state.addSession(user), 2);
    await rig.export({ formats: ['parquet', 'jsonl', 'xlsx'] });
  }
  const before = await Promise.all(TABLES.map((table) => duckDbDigest(rig.out, table)));
  const daysOf = async (table: string) =>
    (await filesOfTable(await rig.open(), table)).map(({ path }) => path.split('/')[2]).sort();

  on('2024-05-02');
  const summary = await compactArchive({ archive: rig.out, clock: rig.clock });
  expect(summary.merged.files).toBeGreaterThan(0);
  expect(summary.merged.files).toBe(2 * summary.written.files);
  for (const table of TABLES) {
    const both = ['dt=2024-03-01', 'dt=2024-04-01'];
    expect(await daysOf(table)).toEqual(both.flatMap((day) => [day, day]));
  }
  expect(await Promise.all(TABLES.map((table) => duckDbDigest(rig.out, table)))).toEqual(before);
  const named = (await filesOfTable(await rig.open(), 'jobs'))
    .filter(({ path }) => path.endsWith('.parquet'))
    .map(({ path }) => sqlText(join(rig.out, path)));
  const days = `SELECT DISTINCT dt::VARCHAR AS dt, exported_at::DATE::VARCHAR AS day
    FROM read_parquet([${named.join(', ')}], hive_partitioning = true) ORDER BY day`;
  expect(await duckDbRows(days)).toEqual([
    { dt: '2024-03-01', day: '2024-03-05' },
    { dt: '2024-03-01', day: '2024-03-31' },
    { dt: '2024-04-01', day: '2024-04-01' },
  ]);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });

  await eraseFromArchive({ archive: rig.out, clock: rig.clock, users: ['ann'] });
  expect(await daysOf('jobs')).toEqual(['03', '03', '04', '04'].map((of) => `dt=2024-${of}-01`));
  expect(await rig.files('workbooks')).toHaveLength(3);
  expect((await rig.rows('jobs')).map((row) => row['user_id'])).toEqual(Array(6).fill('ben'));
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it('lets those read on who listed the files before, and verify pass at every moment', async () => {
  await exportInPieces(8);
  const archive = await rig.open();
  const expected = await rig.rows('jobs');
  let isOver = false;
  let rounds = 0;
  const readOn = async (): Promise<void> => {
    while (!isOver) {
      const files = await filesOfTable(await rig.open(), 'jobs');
      for (const { path, sha256 } of files) {
        const bytes = await readFile(join(rig.out, path));
        expect(sha256Hex(bytes)).toBe(sha256);
      }
      expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(expected.length);
      rounds++;
    }
  };
  const verifyOn = async (): Promise<void> => {
    while (!isOver) expect((await rig.verify()).problems).toEqual([]);
  };
  const readers = Promise.all([readOn(), verifyOn()]);
  for (const targetBytes of [20_000, 4_000_000]) {
    await compacted(archive, { targetBytes });
  }
  isOver = true;
  await readers;
  expect(rounds).toBeGreaterThan(0);
  const rows = await rig.rows('jobs');
  expect(rows.length).toBe(expected.length);
  expect(doubledKeys('jobs', rows)).toEqual([]);
});

it('neither disturbs an export nor loses what it writes', async () => {
  await exportInPieces(8);
  const [summary] = await Promise.all([
    exportInPieces(6),
    compactArchive({ archive: rig.out, targetBytes: 100_000 }),
    compactArchive({ archive: rig.out, targetBytes: 200_000 }),
  ]);
  expect(summary).toMatchObject({ status: 'complete', jobs: { archived: 6 } });
  expect(await rig.rows('jobs')).toHaveLength(14);
  expect(doubledKeys('blocks', await rig.rows('blocks'))).toEqual([]);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it('is a command, whose archive is shown, asked and pruned as before', async () => {
  await exportInPieces(4);
  const [session] = rig.state.sessionIds('ann');
  const shown = await cli(['show', rig.out, session!]);
  const before = await cliJson<{ jobs: unknown; runs: unknown[] }>(['status', rig.out]);
  const summary = await cliJson<{ status: string; commits: number[] }>([
    'compact',
    rig.out,
    '--grace',
    '1s',
  ]);
  expect(summary.status).toBe('complete');
  expect(summary.commits).toHaveLength(1);
  expect((await cli(['show', rig.out, session!])).stdout).toBe(shown.stdout);
  const after = await cliJson<{ jobs: unknown; runs: unknown[] }>(['status', rig.out]);
  expect(after.jobs).toEqual(before.jobs);
  expect(after.runs[0]).toMatchObject({ jobs: 0, sessions: 0 });
  const pack = join(rig.directory, 'pack');
  expect((await cli(['evidence', rig.out, '--out', pack, '--session', session!])).exitCode).toBe(0);
  await access(join(pack, 'bagit.txt'));
  const again = await cli(['compact', rig.out]);
  expect(again.stdout).toContain('nothing to merge');
});

it('asks for the key where the log is signed', async () => {
  const { privateKey, publicKey } = ed25519Pair();
  const signer = startingSigner(privateKey);
  rig.state.addJobs('ann', rig.state.addSession('ann'), 2);
  await rig.export({ signer, checkpointBytes: 1 });
  await expect(compactArchive({ archive: rig.out })).rejects.toThrow('pass --signing-key');
  await compactArchive({ archive: rig.out, signer });
  const publicKeys = [ed25519Verifier(publicKey)];
  const { problems } = await verifyArchive(await rig.open(), { publicKeys });
  expect(problems).toEqual([]);
});
