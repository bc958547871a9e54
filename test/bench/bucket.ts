/**
 * What a bucket is asked: requests before the first part file of `show ID` and `query`, and reads of each commit that an
 * `erase` replaces. Needs the S3 server of the tests.
 * Usage: node dist/bench/test/bench/bucket.js [--only bucket-show,…] [--quick]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../src/archive/archive.js';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { rowFormats } from '../../src/formats/formats.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { archiveSettings, runOf, session, userEntry } from '../support/store/archive-samples.js';
import { commitJobs } from '../support/store/written-jobs.js';
import { hasS3, missingS3 } from '../services/s3-availability.js';
import { BenchBucket } from './bench-bucket.js';
import { CountingFront } from './counting-front.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, printRow, skipRow } from './measurement.js';

const SQL = 'SELECT count(*) AS questions FROM current_jobs';
const SESSION = 'a-session';

const { isQuick, wants } = benchFlags();
/** As the log grows, a snapshot of it is more or fewer commits old. */
const NIGHTS = isQuick ? [1, 6] : [1, 4, 5, 6, 7, 8, 300];
const LONG_NIGHTS = isQuick ? 6 : 120;
/** More than a run keeps of the log in memory, together. */
const SESSIONS_OF_A_LONG_NIGHT = 200;

const READS = ['bucket-show', 'bucket-query'].filter(wants);
const ERASURES = ['bucket-erase', 'bucket-erase-long'].filter(wants);
if (hasS3) await measure();
else for (const row of [...READS, ...ERASURES]) skipRow(row, missingS3.join());

async function measure(): Promise<void> {
  await using bucket = await BenchBucket.start();
  if (READS.length > 0) await measureReads(bucket);
  for (const row of ERASURES) {
    const isLong = row === 'bucket-erase-long';
    const counts = await readsOfCommits(bucket, row, isLong ? LONG_NIGHTS : 60, {
      sessions: isLong ? SESSIONS_OF_A_LONG_NIGHT : 1,
    });
    process.stderr.write(`${row}: ${JSON.stringify(counts)}\n`);
    printRow(row, 'reads', [{ ours: counts.most, peer: null }]);
  }
}

async function measureReads(bucket: BenchBucket): Promise<void> {
  const most = new Map<string, number>();
  for (const nights of NIGHTS) {
    const prefix = `nights-${nights}`;
    await uploadedNights(bucket, prefix, async (archive) => {
      for (let night = 1; night <= nights; night++) {
        if (night === 1) await addJob(archive, night);
        else await addListing(archive, night);
        await writeSnapshotIfDue({ archive, run: runOf('A') });
      }
    });
    for (const row of READS) {
      const of = bucket.placeOf(prefix);
      const words = row === 'bucket-show' ? ['show', of, SESSION] : ['query', of, SQL];
      const seen = await requestsOf(bucket, words);
      const first = seen.findIndex((asked) => asked.startsWith(`GET /bench/${prefix}/tables/`));
      if (first < 0) throw new Error(`${row} has read no part file`);
      process.stderr.write(`${row}, ${nights} nights: ${first}, ${seen.length} in all\n`);
      most.set(row, Math.max(most.get(row) ?? 0, first));
    }
  }
  for (const [row, ours] of most) printRow(row, 'requests', [{ ours, peer: null }]);
}

/** Reads of each commit by an erasure of somebody who is in every second one, with those that a swap makes itself. */
async function readsOfCommits(
  bucket: BenchBucket,
  prefix: string,
  nights: number,
  { sessions }: { readonly sessions: number },
): Promise<{ readonly most: number; readonly replaced: object; readonly others: object }> {
  await uploadedNights(bucket, prefix, async (archive) => {
    for (let night = 1; night <= nights; night++) {
      const names = ['ben', ...(isReplaced(night) ? ['ann'] : [])];
      const jobs = names.map((user) => ({ user, session: `${user}-1`, job: `${user}-${night}` }));
      const more = Array.from({ length: sessions }, (_, at) => session(`user-${at}`, `of-${at}`));
      const own = names.map((user) => session(user, `${user}-1`, { version: night }));
      const formats = await parquet();
      await commitJobs(archive, jobs, {
        formats,
        checkpoint: night,
        over: { sessions: [...own, ...more] },
      });
    }
  });
  const seen = await requestsOf(bucket, [
    ...['erase', bucket.placeOf(prefix), '--user', 'ann', '--yes', '--log-level', 'silent'],
  ]);
  // neither the first, which each look for an archive reads, nor the last, which each look for later ones does
  const counts = Array.from({ length: nights - 2 }, (_, at): [number, number] => {
    const path = `/_commits/${String(at + 2).padStart(12, '0')}.json`;
    const reads = seen.filter((asked) => asked.startsWith('GET ') && asked.includes(path)).length;
    return [at + 2, reads];
  });
  const replaced = counts.filter(([night]) => isReplaced(night)).map(([, reads]) => reads);
  const others = counts.filter(([night]) => !isReplaced(night)).map(([, reads]) => reads);
  return { most: Math.max(...replaced), replaced: tally(replaced), others: tally(others) };
}

function isReplaced(night: number): boolean {
  return night % 2 === 1;
}

function tally(counts: readonly number[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const count of counts) times[count] = (times[count] ?? 0) + 1;
  return times;
}

async function requestsOf(bucket: BenchBucket, words: readonly string[]): Promise<string[]> {
  await using front = await CountingFront.start(bucket.server.endpoint);
  const { environment } = bucket;
  await measuredNode([...words, ...bucket.accessTo(front.endpoint)], { environment });
  return front.seen;
}

/** Written to a disk first: a bucket would take its time. */
async function uploadedNights(
  bucket: BenchBucket,
  prefix: string,
  write: (archive: Archive) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  try {
    const settings = archiveSettings({ clock: systemClock, random: systemRandom });
    await write(await createOrOpenArchive(createLocalStorage({ directory }), settings));
    await bucket.upload(directory, prefix);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function addJob(archive: Archive, night: number): Promise<void> {
  const job = { user: 'ann', session: SESSION, job: `job ${night}` };
  const formats = await parquet();
  await commitJobs(archive, [job], {
    formats,
    checkpoint: night,
    over: { users: [userEntry('ann')] },
  });
}

/** A night in which nothing is new. */
async function addListing(archive: Archive, night: number): Promise<void> {
  await archive.log.append({
    kind: 'export',
    base: archive.index.through,
    run: runOf('A'),
    checkpoint: night,
    tool: 'jobvault bench',
    scope: {},
    users: [userEntry('ann')],
  });
}

async function parquet() {
  return (await rowFormats()).filter(({ name }) => name === 'parquet');
}
