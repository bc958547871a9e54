/** Acceptance: merging 1,000 files into files of 256 MB needs less than 450 MB, and no more than 1.3 times what 250 need. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FileEntry } from '../../src/archive/log/commit.js';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { systemRandom } from '../../src/base/random.js';
import { systemClock } from '../../src/base/system-clock.js';
import { ulid } from '../../src/base/ulid.js';
import { rowFormats } from '../../src/formats/formats.js';
import { asRunId } from '../../src/model/ids.js';
import type { Row } from '../../src/model/table-schema.js';
import { tableNamed } from '../../src/model/tables.js';
import { writePart } from '../../src/rewrite/compaction/part-files.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { measuredRun } from './measured-export.js';

const ROWS_PER_FILE = 15;
/** Random, so that it hardly shrinks: 1,000 files come to 340 MB. */
const RECORD_BYTES = 22_500;

function rowsOf(file: number, run: string): Row[] {
  return Array.from({ length: ROWS_PER_FILE }, (_, n) => ({
    user_id: 'ann',
    session_id: `session-${file}`,
    job_id: `job-${file}-${n}`,
    job_version: 1,
    record: randomBytes(RECORD_BYTES).toString('base64'),
    run_id: run,
    exported_at: BigInt(systemClock.now()) * 1000n,
  }));
}

async function archiveOf(out: string, name: 'parquet' | 'jsonl', count: number): Promise<void> {
  const storage = openStorage(out);
  const random = systemRandom;
  const archive = await createOrOpenArchive(storage, {
    baseUrl: 'http://127.0.0.1:1',
    project: null,
    formats: [name],
    tool: 'jobvault bench',
    clock: systemClock,
    random,
  });
  const format = rowFormats().find((one) => one.name === name);
  const table = tableNamed('raw_jobs');
  if (!format || !table) throw new Error(`there is no format ${name}`);
  const run = asRunId(ulid(systemClock, random));
  const files: FileEntry[] = [];
  for (let n = 1; n <= count; n++) {
    const batches = (async function* () {
      yield await Promise.resolve(rowsOf(n, run));
    })();
    const target = { storage, table, format, run, day: '2026-11-21', n };
    const { entry, staged } = await writePart(target, batches);
    await staged.publish(entry.path);
    files.push(entry);
  }
  await archive.log.append({
    kind: 'export',
    base: 0,
    run,
    checkpoint: 1,
    tool: 'jobvault bench',
    scope: {},
    files,
  });
  await storage.close();
}

async function compacted(name: 'parquet' | 'jsonl', count: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  try {
    const out = join(directory, 'archive');
    await archiveOf(out, name, count);
    const run = await measuredRun(['compact', out, '--json'], {});
    expect(run.exitCode, run.stderr).toBe(0);
    const { merged, written } = JSON.parse(run.stdout) as {
      merged: { files: number; bytes: number; rows: number };
      written: { files: number; bytes: number };
    };
    expect(merged.rows).toBe(merged.files * ROWS_PER_FILE);
    console.log(
      `${name}: ${merged.files} files of ${(merged.bytes / 1e6).toFixed(0)} MB into ${written.files}: ` +
        `${run.seconds.toFixed(1)} s, peak ${run.peakMB.toFixed(0)} MB`,
    );
    return run.peakMB;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

it.for(['parquet', 'jsonl'] as const)('keeps its memory flat while it merges %s', async (name) => {
  const quarter = await compacted(name, 250);
  const whole = await compacted(name, 1000);
  console.log(`${name}: ratio ${(whole / quarter).toFixed(2)}`);
  expect(whole).toBeLessThan(450);
  expect(whole / quarter).toBeLessThan(1.3);
});
