/** Peak memory of merging 1,000 files of 340 MB, against that of merging a quarter of them. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEntry } from '../../src/archive/log/commit.js';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { systemRandom, systemClock } from '../../src/base/runtime.js';
import { ulid } from '../../src/base/ulid.js';
import { asRunId } from '../../src/model/ids.js';
import type { Row } from '../../src/model/table-schema.js';
import { tableNamed } from '../../src/model/tables.js';
import { writePart } from '../../src/archive/parts/part-files.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';
import { allFormats } from '../support/base/memory-bytes.js';

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
  const storage = await openStorage(out);
  const random = systemRandom;
  const archive = await createOrOpenArchive(storage, {
    baseUrl: 'http://127.0.0.1:1',
    project: null,
    formats: [name],
    tool: 'jobvault bench',
    clock: systemClock,
    random,
  });
  const format = allFormats.find((one) => one.name === name);
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
    const { stdout, seconds, peakMB } = await measuredNode(['compact', out, '--json']);
    const { merged, written } = JSON.parse(stdout) as {
      merged: { files: number; bytes: number; rows: number };
      written: { files: number; bytes: number };
    };
    if (merged.rows !== merged.files * ROWS_PER_FILE) throw new Error('rows are missing');
    const mb = (merged.bytes / 1e6).toFixed(0);
    process.stderr.write(
      `${merged.files} files of ${mb} MB into ${written.files}: ${seconds.toFixed(1)} s\n`,
    );
    return peakMB;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const { rounds, isQuick, wants } = benchFlags();
const files = isQuick ? 40 : 1000;
for (const name of ['parquet', 'jsonl'] as const) {
  if (!wants(`compact-${name}`)) continue;
  const runs = await collect(rounds, async () => {
    const peer = await compacted(name, files / 4);
    return { ours: await compacted(name, files), peer };
  });
  printRow(`compact-${name}`, 'MB', runs);
}
