/**
 * What an `erase` of one user from a bucket keeps in TMPDIR at a time, where every compacted file has rows of that user.
 * Needs the S3 server of the tests, which keeps objects in memory: old and new files, twice the size.
 * Usage: node dist/bench/test/bench/erasure-spool.js [--only erase-spool] [--quick]
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../src/archive/archive.js';
import { openArchiveIn, createOrOpenArchive } from '../../src/archive/open-archive.js';
import { writePart } from '../../src/archive/parts/part-files.js';
import { codeOf } from '../../src/base/error.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { rowFormats } from '../../src/formats/formats.js';
import type { Row } from '../../src/model/table-schema.js';
import { tableNamed } from '../../src/model/tables.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { archiveSettings, draft, runOf, session } from '../support/store/archive-samples.js';
import { hasS3, missingS3 } from '../services/s3-availability.js';
import { BenchBucket } from './bench-bucket.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, printRow, skipRow } from './measurement.js';

/** Random, so that it hardly shrinks. */
const RECORD_BYTES = 22_500;
/** Of a file before the compaction, which makes files of 256 MB. */
const FILE_ROWS = 2800;
const BATCH_ROWS = 100;
const USERS = 50;
const MB = 1e6;
const SAMPLE_MS = 10;

const { isQuick } = benchFlags();
const [large, small] = isQuick ? [40, 20] : [3000, 750];
process.env['JOBVAULT_TEST_CEPH_BYTES'] ??= String((2.6 * large + 1000) * MB);
if (hasS3) {
  const peer = await peakOf(small);
  printRow('erase-spool', 'MB', [{ ours: await peakOf(large), peer }]);
} else skipRow('erase-spool', missingS3.join());

/** @returns MB */
async function peakOf(megabytes: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  await using bucket = await BenchBucket.start();
  try {
    const archive = join(directory, 'archive');
    await writeArchive(archive, megabytes);
    await measuredNode(['compact', archive, '--grace', '0s', '--log-level', 'silent']);
    const { files, bytes } = await tablesOf(archive);
    await bucket.upload(archive, 'archive');
    await rm(archive, { recursive: true });
    const spool = join(directory, 'tmp');
    await mkdir(spool);
    const watched = watch(spool);
    const words = ['erase', bucket.placeOf('archive'), '--user', 'user-0', '--yes', '--json'];
    const ended = await measuredNode([...words, ...bucket.accessTo()], {
      environment: { ...bucket.environment, TMPDIR: spool },
    });
    const peak = await watched.end();
    const { erased } = JSON.parse(ended.stdout) as {
      erased: { rows: Readonly<Record<string, number>> };
    };
    process.stderr.write(
      `${files} files of ${(bytes / MB).toFixed(0)} MB, ${erased.rows['raw_jobs'] ?? 0} rows erased: ` +
        `at most ${(peak / MB).toFixed(0)} MB in TMPDIR, ${ended.peakMB.toFixed(0)} MB of memory, ${ended.seconds.toFixed(0)} s\n`,
    );
    return peak / MB;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Each file has rows of every user. */
async function writeArchive(directory: string, megabytes: number): Promise<void> {
  const settings = archiveSettings({ clock: systemClock, random: systemRandom });
  const archive = await createOrOpenArchive(createLocalStorage({ directory }), settings);
  const count = Math.max(2, Math.round((megabytes * MB) / (FILE_ROWS * RECORD_BYTES)));
  const rows = Math.round((megabytes * MB) / count / RECORD_BYTES);
  for (let n = 1; n <= count; n++) await addFile(archive, n, rows);
}

async function addFile(archive: Archive, n: number, rows: number): Promise<void> {
  const [format] = (await rowFormats()).filter(({ name }) => name === 'parquet');
  const table = tableNamed('raw_jobs');
  if (!format || !table) throw new Error('there is no such format or table');
  const { storage, index, log } = archive;
  async function* batches(): AsyncGenerator<Row[]> {
    for (let from = 0; from < rows; from += BATCH_ROWS) {
      const length = Math.min(BATCH_ROWS, rows - from);
      yield await Promise.resolve(Array.from({ length }, (_, at) => rowOf(n, from + at)));
    }
  }
  const target = { storage, table, format, run: runOf('A'), day: '2026-11-05', n };
  const { entry, staged } = await writePart(target, batches());
  await staged.publish(entry.path);
  await index.refresh();
  const sessions = Array.from({ length: USERS }, (_, at) =>
    session(`user-${at}`, `of-${at}`, { version: n }),
  );
  await log.append(
    draft({ base: index.through, run: runOf('A'), checkpoint: n, files: [entry], sessions }),
  );
}

function rowOf(file: number, at: number): Row {
  return {
    user_id: `user-${at % USERS}`,
    session_id: `of-${at % USERS}`,
    job_id: `job-${file}-${at}`,
    job_version: 1,
    record: randomBytes(RECORD_BYTES).toString('base64'),
    run_id: runOf('A'),
    exported_at: BigInt(systemClock.now()) * 1000n,
  };
}

async function tablesOf(directory: string): Promise<{ files: number; bytes: number }> {
  const context = { clock: systemClock, random: systemRandom };
  const { index } = await openArchiveIn(createLocalStorage({ directory }), context);
  await index.refresh();
  const all = [...index.contents.files.values()];
  return { files: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Looks every few milliseconds at all that is in a directory. */
function watch(directory: string): { readonly end: () => Promise<number> } {
  const over = new AbortController();
  let most = 0;
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await bytesIn(directory));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return {
    end: async () => {
      over.abort();
      await watching;
      return most;
    },
  };
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(goneAs([]))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else bytes += (await stat(path).catch(goneAs({ size: 0 }))).size;
  }
  return bytes;
}

/** What was uploaded or removed meanwhile counts as this. */
function goneAs<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return nothing;
    throw error;
  };
}
