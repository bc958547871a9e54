/**
 * What stored files cost those who do not ask for them: whole programs over an archive of 30,000 jobs with 100,000,
 * 300,000 and 1,000,000 files, against one with none; and with 3,000,000 that they work at all. One user is exported from
 * an emulator; the others are put into the archive by the writers of an export.
 * Usage: node dist/bench/test/bench/stored-files.js [--rounds 5] [--only stored-status-1000000,…] [--quick] [--keep DIRECTORY]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { ulid } from '../../src/base/ulid.js';
import { rowFormats } from '../../src/formats/formats.js';
import { asRunId } from '../../src/model/ids.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { userEntry } from '../support/store/archive-samples.js';
import { commitJobs } from '../support/store/written-jobs.js';
import { EmulatorProcess, everybody, KEY, type Service } from './emulator-process.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';
import { ROWS, STORED_FILES, STORED_MOST } from './rows.js';

const SESSIONS = 10;
const JOBS = 10;
/** Of a commit, as of an export's. */
const COMMIT_USERS = 5;
/** The same in every run, so that an archive that is kept is still one of the service. */
const PORT = 18_731;
const SQL = 'SELECT count(*) AS questions, count(DISTINCT user_id) AS users FROM current_jobs';

const { rounds, isQuick, own, ...flags } = benchFlags(['keep']);
const wants = (name: string) => ROWS.some(({ row }) => row === name) && flags.wants(name);
const users = isQuick ? 10 : 300;
const directory = own['keep'] ?? (await mkdtemp(join(tmpdir(), 'jobvault-bench-')));

try {
  const sizes = { users: 1, sessions: 10, jobs: 10, exactJobs: true, blocksPerJob: 4 };
  using emulator = await EmulatorProcess.start({ ...sizes, artifactsPerJob: 0, port: PORT });
  const { service } = emulator;
  for (const [command, measure] of Object.entries(commandsOf(service))) {
    for (const files of STORED_FILES) await compareWithNone(command, files, measure, service);
    const row = `stored-${command}-${STORED_MOST}`;
    if (wants(row)) {
      const runs = await collect(1, () => timesOf(row, STORED_MOST, measure, service));
      printRow(
        row,
        'MB',
        runs.map(({ peakMB }) => ({ ours: peakMB, peer: null })),
      );
    }
  }
} finally {
  if (own['keep'] === undefined) await rm(directory, { recursive: true, force: true });
}

type Words = readonly string[];
type Measure = (archive: string) => Promise<MeasuredProcess>;

function commandsOf(service: Service): Readonly<Record<string, Measure>> {
  const first = 'user-0@example.com';
  const words: Readonly<Record<string, (archive: string) => Words | Promise<Words>>> = {
    status: (archive) => ['status', archive],
    // of the user who was exported: it has no files in any of the archives
    show: async (archive) => ['show', archive, await newestSession(archive, service)],
    query: (archive) => ['query', archive, SQL],
    unchanged: (archive) => [
      ...['export', '--out', archive, ...everybody(service), '--json', '--log-level', 'silent'],
    ],
    sample: (archive) => ['verify', archive, '--sample', '1%'],
    plan: (archive) => ['erase', archive, '--user', first, '--dry-run'],
    verify: (archive) => ['verify', archive],
    copy: (archive) => ['copy', archive, `${archive}-copy`],
    // the last: it changes the archive
    erase: (archive) => ['erase', archive, '--user', first, '--yes', '--log-level', 'silent'],
  };
  return Object.fromEntries(
    Object.entries(words).map(([command, of]): [string, Measure] => [
      command,
      async (archive) => measuredNode(await of(archive), { environment: KEY }),
    ]),
  );
}

async function newestSession(archive: string, { users: [user = ''] }: Service): Promise<string> {
  const { stdout } = await measuredNode(['show', archive, '--user', user, '--json']);
  const [newest] = (JSON.parse(stdout) as { sessions: { session_id: string }[] }).sessions;
  if (!newest) throw new Error(`the archive has no session of ${user}`);
  return newest.session_id;
}

async function compareWithNone(
  command: string,
  files: number,
  measure: Measure,
  service: Service,
): Promise<void> {
  const row = `stored-${command}-${files}`;
  if (!wants(row) && !wants(`${row}-memory`)) return;
  const runs = await collect(rounds, async () => ({
    peer: await timesOf(`stored-${command}-0`, 0, measure, service),
    ours: await timesOf(row, files, measure, service),
  }));
  const figures = (of: 'cpuSeconds' | 'peakMB') =>
    runs.map(({ ours, peer }) => ({ ours: ours[of], peer: peer[of] }));
  if (wants(row)) printRow(row, 's CPU', figures('cpuSeconds'));
  if (wants(`${row}-memory`)) printRow(`${row}-memory`, 'MB', figures('peakMB'));
}

async function timesOf(
  row: string,
  files: number,
  measure: Measure,
  service: Service,
): Promise<MeasuredProcess> {
  const archive = await archiveWith(isQuick ? files / 1000 : files, service);
  await rm(`${archive}-copy`, { recursive: true, force: true });
  const measured = await measure(archive);
  const { peakMB, cpuSeconds } = measured;
  process.stderr.write(`${row}: ${peakMB.toFixed(0)} MB, ${cpuSeconds.toFixed(1)} s of CPU\n`);
  return measured;
}

async function archiveWith(files: number, service: Service): Promise<string> {
  const place = join(directory, `files-${files}`);
  if (await stat(join(place, 'made')).catch(() => undefined)) return join(place, 'archive');
  await rm(place, { recursive: true, force: true });
  const archive = join(place, 'archive');
  await measuredNode(
    ['export', '--out', archive, ...everybody(service), '--json', '--log-level', 'silent'],
    { environment: KEY },
  );
  await addUsers(archive, files);
  await writeFile(join(place, 'made'), '');
  return archive;
}

/** The files are shared out evenly, and no two have the same bytes. */
async function addUsers(place: string, files: number): Promise<void> {
  const context = { clock: systemClock, random: systemRandom };
  const archive = await openArchiveIn(createLocalStorage({ directory: place }), context);
  const formats = (await rowFormats()).filter(({ name }) => name === 'parquet');
  const allJobs = users * SESSIONS * JOBS;
  const folders = new Set<string>();
  let made = 0;
  for (let from = 0; from < users; from += COMMIT_USERS) {
    const names = Array.from({ length: COMMIT_USERS }, (_, at) => `user-${from + at}@example.com`);
    const jobs = names.flatMap((user, nth) =>
      Array.from({ length: SESSIONS * JOBS }, (_, at) => {
        const number = (from + nth) * SESSIONS * JOBS + at;
        const until = Math.floor(((number + 1) * files) / allJobs);
        const texts: string[] = [];
        for (; made < until; made++) texts.push(`number\n${made}\n`);
        const session = sessionOf(user, Math.floor(at / JOBS));
        return { user, session, job: `job ${at} of ${user}`, files: texts };
      }),
    );
    await commitJobs(archive, jobs, {
      formats,
      run: asRunId(ulid(systemClock, systemRandom)),
      // without a sync, and at once: 1,000,000 of them would take half an hour
      putFile: (path, content) => {
        const file = join(place, path);
        if (!folders.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
        folders.add(dirname(file));
        writeFileSync(file, content);
        return Promise.resolve();
      },
      over: { users: names.map((user) => userEntry(user)) },
    });
  }
  await writeSnapshotIfDue({ archive, run: asRunId(ulid(systemClock, systemRandom)) });
}

function sessionOf(user: string, at: number): string {
  return `session ${at} of ${user}`;
}
