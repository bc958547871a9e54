/**
 * What reading takes where an archive has 100,000 users of one session: peak memory of whole programs, over one archive
 * and over sixteen by shards of the users. The archives are put together by the writers of an export, without a service.
 * Usage: node dist/bench/test/bench/company.js [--rounds 5] [--only company-status,…] [--quick] [--keep DIRECTORY]
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { rowFormats } from '../../src/formats/formats.js';
import { asUserId } from '../../src/model/ids.js';
import { isInShard } from '../../src/model/shard.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { archiveSettings, runOf, userEntry } from '../support/store/archive-samples.js';
import { commitJobs } from '../support/store/written-jobs.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

const ARCHIVES = 16;
/** As many as an export commits together. */
const COMMIT_USERS = 250;
const SQL = 'SELECT count(*) AS questions, count(DISTINCT user_id) AS users FROM current_jobs';

const { rounds, isQuick, wants, own } = benchFlags(['keep']);
const count = isQuick ? 1000 : 100_000;
const users = Array.from(
  { length: count },
  (_, at) => `user.number-${String(at).padStart(6, '0')}@example.com`,
);
const directory = own['keep'] ?? (await mkdtemp(join(tmpdir(), 'jobvault-bench-')));
const [whole, report] = [join(directory, 'whole'), join(directory, 'report')];
const shards = Array.from({ length: ARCHIVES }, (_, at) => join(directory, `archive-${at + 1}`));
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  status: ['status', whole],
  verify: ['verify', whole],
  query: ['query', whole, SQL],
  report: ['report', whole, '--out', report],
  'status-16': ['status', ...shards],
  'query-16': ['query', ...shards, SQL],
  // the last: it changes the archive
  compact: ['compact', whole],
};
try {
  for (const [command, words] of Object.entries(COMMANDS)) {
    const row = `company-${command}`;
    if (!wants(row)) continue;
    await make(words.includes(whole) ? [whole] : shards);
    const runs = await collect(command === 'compact' ? 1 : rounds, async () => {
      await rm(report, { recursive: true, force: true });
      const { peakMB, cpuSeconds, stdout } = await measuredNode(words);
      process.stderr.write(`${row}: ${peakMB.toFixed(0)} MB, ${cpuSeconds.toFixed(1)} s of CPU\n`);
      if (command.startsWith('query') && stdout !== `questions,users\n${count},${count}\n`) {
        throw new Error(`${row}: ${stdout}`);
      }
      return { ours: peakMB, peer: null };
    });
    printRow(row, 'MB', runs);
  }
} finally {
  if (own['keep'] === undefined) await rm(directory, { recursive: true, force: true });
}

/** What is not there yet. */
async function make(places: readonly string[]): Promise<void> {
  for (const [at, place] of places.entries()) {
    if (await stat(place).catch(() => undefined)) continue;
    const shard = { index: at, count: places.length };
    await write(
      place,
      users.filter((user) => isInShard(user, shard)),
    );
  }
}

async function write(place: string, own: readonly string[]): Promise<void> {
  const archive = await createOrOpenArchive(
    createLocalStorage({ directory: place }),
    archiveSettings({ clock: systemClock, random: systemRandom }),
  );
  const formats = (await rowFormats()).filter(({ name }) => name === 'parquet');
  for (let from = 0; from < own.length; from += COMMIT_USERS) {
    const some = own.slice(from, from + COMMIT_USERS);
    await commitJobs(
      archive,
      some.map((user) => ({ user, session: `session of ${user}`, job: `job of ${user}` })),
      {
        formats,
        checkpoint: from / COMMIT_USERS + 1,
        over: { users: some.map((user) => userEntry(asUserId(user))) },
      },
    );
  }
  await writeSnapshotIfDue({ archive, run: runOf('A') });
}
