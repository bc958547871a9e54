/**
 * What 1,000 nights of 10,000 users cost those who come after them, and what a night adds to the log. The first night
 * is an export; the others list every user, write new versions of 100 sessions, and are put into the archive by its own
 * writers. These 100 are of users whom no export asks for. In the end the archive is compacted.
 * Usage: node dist/bench/test/bench/years.js [--rounds 5] [--only years-status,night-log] [--quick] [--keep DIRECTORY]
 */
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../src/archive/archive.js';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { ulid } from '../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { rowFormats } from '../../src/formats/formats.js';
import { asRunId } from '../../src/model/ids.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { userEntry } from '../support/store/archive-samples.js';
import { commitJobs } from '../support/store/written-jobs.js';
import { EmulatorProcess, everybody, KEY, type Service } from './emulator-process.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

const DAY_MS = 86_400_000;
const FIRST_NIGHT_MS = Date.UTC(2024, 0, 1);
/** Of which the bytes of the log are told. */
const COUNTED_NIGHTS = 30;
const SQL = 'SELECT count(*) AS questions, count(DISTINCT user_id) AS users FROM current_jobs';
const UNCHANGED = userEntry('', {
  sessions: { new: 0, changed: 0, unchanged: 1, failed: 0 },
  jobs: { archived: 0 },
});

const { rounds, isQuick, wants, own } = benchFlags(['keep']);
const [users, nights, hot] = isQuick ? [30, 40, 3] : [10_000, 1000, 100];
const directory = own['keep'] ?? (await mkdtemp(join(tmpdir(), 'jobvault-bench-')));
const [young, old] = [join(directory, 'young'), join(directory, 'old')];
try {
  const sizes = { users, sessions: 1, jobs: 1, exactJobs: true, blocksPerJob: 4 };
  using emulator = await EmulatorProcess.start({ ...sizes, artifactsPerJob: 0 });
  const { service } = emulator;
  if (!(await stat(old).catch(() => undefined))) await make(service);
  const session = await newestSession();
  const commands: Readonly<Record<string, (archive: string) => Promise<MeasuredProcess>>> = {
    status: (archive) => measuredNode(['status', archive]),
    show: (archive) => measuredNode(['show', archive, session]),
    query: (archive) => measuredNode(['query', archive, SQL]),
    // the last: it adds to both
    unchanged: (archive) => exportTo(archive, service),
  };
  for (const [command, of] of Object.entries(commands)) {
    const row = `years-${command}`;
    if (!wants(row) && !wants(`${row}-memory`)) continue;
    const runs = await collect(rounds, async () => {
      return { peer: await of(young), ours: await of(old) };
    });
    const figures = (of: 'cpuSeconds' | 'peakMB') =>
      runs.map(({ ours, peer }) => ({ ours: ours[of], peer: peer[of] }));
    printRow(row, 's CPU', figures('cpuSeconds'));
    printRow(`${row}-memory`, 'MB', figures('peakMB'));
  }
} finally {
  if (own['keep'] === undefined) await rm(directory, { recursive: true, force: true });
}

async function make(service: Service): Promise<void> {
  await exportTo(young, service);
  await addNights(young, service, 1, 2);
  await cp(young, old, { recursive: true });
  const before = await bytesOfLog(old);
  await addNights(old, service, 2, 2 + COUNTED_NIGHTS);
  const after = await bytesOfLog(old);
  for (const row of ['night-commits', 'night-log'] as const) {
    const ours = (after[row] - before[row]) / COUNTED_NIGHTS / 1000;
    if (wants(row)) printRow(row, 'KB', [{ ours, peer: null }]);
  }
  await addNights(old, service, 2 + COUNTED_NIGHTS, nights);
  await measuredNode(['compact', old]);
}

/** Nights in which every user is listed and the hot sessions have another version. */
async function addNights(place: string, service: Service, from: number, to: number): Promise<void> {
  const context = { clock: systemClock, random: systemRandom };
  const archive = await openArchiveIn(createLocalStorage({ directory: place }), context);
  const formats = (await rowFormats()).filter(({ name }) => name === 'parquet');
  for (let night = from; night < to; night++) await addNight(archive, service, night, formats);
}

async function addNight(
  archive: Archive,
  service: Service,
  night: number,
  formats: Awaited<ReturnType<typeof rowFormats>>,
): Promise<void> {
  const run = asRunId(ulid(systemClock, systemRandom));
  const names = Array.from({ length: hot }, (_, at) => `hot-${at}@example.com`);
  const jobs = names.map((user) => {
    return { user, session: `session of ${user}`, job: `job of ${user}`, version: night };
  });
  const listed = service.users.map((user) => ({ ...UNCHANGED, user: userEntry(user).user }));
  await commitJobs(archive, jobs, {
    formats,
    run,
    sessionVersion: night,
    day: new Date(FIRST_NIGHT_MS + night * DAY_MS).toISOString().slice(0, 10),
    over: { users: [...listed, ...names.map((user) => userEntry(user))] },
  });
  await writeSnapshotIfDue({ archive, run });
}

async function exportTo(archive: string, service: Service): Promise<MeasuredProcess> {
  const words = ['export', '--out', archive, ...everybody(service), '--json'];
  return await measuredNode([...words, '--log-level', 'silent'], { environment: KEY });
}

/** Commits alone, and all that the log has: side objects, snapshots, times of checks. */
async function bytesOfLog(place: string) {
  const commits = await bytesIn(join(place, '_commits'), /^\d+\.json$/);
  const folders = ['_commits', '_snapshots', '_laps'];
  const all = await Promise.all(folders.map((folder) => bytesIn(join(place, folder), /./)));
  return { 'night-commits': commits, 'night-log': all.reduce((sum, bytes) => sum + bytes, 0) };
}

async function bytesIn(folder: string, names: RegExp): Promise<number> {
  if (!(await stat(folder).catch(() => undefined))) return 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Of a user of the service: written in the first night alone. */
async function newestSession(): Promise<string> {
  const { stdout } = await measuredNode(['show', young, '--json']);
  const { sessions } = JSON.parse(stdout) as {
    sessions: { session_id: string; user_id: string }[];
  };
  const found = sessions.find(({ user_id }) => !user_id.startsWith('hot-'));
  if (!found) throw new Error('the archive has no session');
  return found.session_id;
}
