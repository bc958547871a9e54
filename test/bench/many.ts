/**
 * What may not grow without end: peak memory of whole programs for one user of 100,000 jobs, an export with 45,000 new
 * files, and 1,000,000 sessions in an archive, which its own writers have put together without a service.
 * Usage: node dist/bench/test/bench/many.js [--rounds 5] [--only many-jobs-export,…] [--quick]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { rowFormats } from '../../src/formats/formats.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { archiveSettings, runOf, userEntry } from '../support/store/archive-samples.js';
import { commitJobs } from '../support/store/written-jobs.js';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { FileService } from './file-service.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';
import { writeConversations } from './said-in-scripts.js';

const JOBS_OF_A_SESSION = 1000;
const SESSIONS_OF_A_USER = 1000;
/** As an export commits together: 10,000 jobs. */
const COMMIT_USERS = 10;

const { rounds, isQuick, wants } = benchFlags();
const scale = isQuick ? 100 : 1;

if (wants('many-jobs-export') || wants('many-jobs-prune')) await withDirectory(measureJobs);
if (wants('many-files-export')) {
  using service = await FileService.start({
    jobs: Math.ceil(5625 / scale),
    fileBytes: 900,
    latencyMs: 0,
  });
  print(
    'many-files-export',
    'peakMB',
    await collect(rounds, () =>
      withDirectory((directory) => service.export(join(directory, 'archive'))),
    ),
  );
}
if (['status', 'status-cpu', 'show'].some((row) => wants(`many-sessions-${row}`))) {
  await withDirectory(measureSessions);
}

async function measureJobs(directory: string): Promise<void> {
  const size = Math.sqrt(scale);
  const amount = { users: 1, sessions: 100 / size, jobs: JOBS_OF_A_SESSION / size, blocks: 3 };
  const importFiles = await writeConversations(directory, amount);
  const exports: MeasuredProcess[] = [];
  const prunes = await collect(wants('many-jobs-prune') ? rounds : 1, async (round) => {
    // a new one: what is pruned there is gone
    using emulator = await EmulatorProcess.start({ users: 0, importFiles });
    const { service } = emulator;
    const archive = join(directory, `archive-${round}`);
    const words = ['export', '--out', archive, ...everybody(service), '--log-level', 'error'];
    exports.push(await measuredNode(words, { environment: KEY }));
    const prune = ['prune', archive, '--all', '--yes', '--rate', '100000'];
    return await measuredNode([...prune, '--base-url', service.baseUrl], {
      environment: KEY,
    });
  });
  print('many-jobs-export', 'peakMB', exports);
  print('many-jobs-prune', 'peakMB', prunes);
}

async function measureSessions(directory: string): Promise<void> {
  const archive = join(directory, 'archive');
  await writeSessions(archive, 1000 / scale);
  const status = await collect(rounds, () => measuredNode(['status', archive]));
  print('many-sessions-status', 'peakMB', status);
  print('many-sessions-status-cpu', 'cpuSeconds', status);
  if (!wants('many-sessions-show')) return;
  print(
    'many-sessions-show',
    'peakMB',
    await collect(rounds, () => measuredNode(['show', archive])),
  );
}

async function writeSessions(place: string, users: number): Promise<void> {
  const archive = await createOrOpenArchive(
    createLocalStorage({ directory: place }),
    archiveSettings({ clock: systemClock, random: systemRandom }),
  );
  const formats = (await rowFormats()).filter(({ name }) => name === 'parquet');
  for (let from = 0; from < users; from += COMMIT_USERS) {
    const names = Array.from({ length: COMMIT_USERS }, (_, at) => `user-${from + at}@example.com`);
    const jobs = names.flatMap((user) =>
      Array.from({ length: SESSIONS_OF_A_USER }, (_, at) => {
        return { user, session: `session ${at} of ${user}`, job: `job ${at} of ${user}` };
      }),
    );
    await commitJobs(archive, jobs, {
      formats,
      checkpoint: from / COMMIT_USERS + 1,
      sessionVersion: 1,
      over: { users: names.map((user) => userEntry(user)) },
    });
  }
  await writeSnapshotIfDue({ archive, run: runOf('B') });
}

function print(row: string, of: 'peakMB' | 'cpuSeconds', runs: readonly MeasuredProcess[]): void {
  for (const { peakMB, cpuSeconds } of runs) {
    process.stderr.write(`${row}: ${peakMB.toFixed(0)} MB, ${cpuSeconds.toFixed(1)} s of CPU\n`);
  }
  const figures = runs.map((run) => ({ ours: run[of], peer: null }));
  if (wants(row)) printRow(row, of === 'peakMB' ? 'MB' : 's CPU', figures);
}

async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
