/**
 * What commands cost as nights pile up, and with many users: CPU of whole programs. The first night is an export; the
 * others list every user and find nothing new, and are put into the log by its own writer.
 * Usage: node dist/bench/test/bench/nights.js [--rounds 5] [--only nights-status,users-show] [--quick]
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { writeSnapshotIfDue } from '../../src/archive/snapshots/write-snapshot.js';
import { systemRandom, systemClock } from '../../src/base/runtime.js';
import { ulid } from '../../src/base/ulid.js';
import { asRunId } from '../../src/model/ids.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { userEntry } from '../support/store/archive-samples.js';
import { EmulatorProcess, everybody, KEY, type Service } from './emulator-process.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

/** Those of which a row tells what 100 nights cost. */
const COMMANDS = ['status', 'show', 'search', 'unchanged'] as const;

const { rounds, isQuick, wants } = benchFlags();
const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
try {
  if (['nights-status', 'status-1500'].some(wants)) await measureStatus(isQuick ? 15 : 1500);
  if (wants('nights-sample-1000')) await measureSample(isQuick ? 20 : 2000);
  if (COMMANDS.some((command) => wants(`nights-${command}-100`))) await measureNights(40);
  if (['status', 'show', 'verify', 'prune', 'unchanged'].some((of) => wants(`users-${of}`))) {
    await measureUsers(isQuick ? 20 : 10_000);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measureStatus(users: number): Promise<void> {
  const young = join(directory, 'young');
  const old = join(directory, 'old');
  using emulator = await serve(users);
  await exportTo(young, emulator.service);
  await addNights(young, emulator.service, 1);
  await cp(young, old, { recursive: true });
  await addNights(old, emulator.service, isQuick ? 2 : 22);
  const runs = await collect(rounds, async () => {
    const peer = await cpuOf(['status', young]);
    return { ours: await cpuOf(['status', old]), peer, start: await cpuOfNothing() };
  });
  if (wants('nights-status')) printRow('nights-status', 's CPU', runs);
  const starts = runs.map(({ peer, start }) => ({ ours: peer, peer: start }));
  if (wants('status-1500')) printRow('status-1500', 's CPU', starts);
  await Promise.all([young, old].map((archive) => rm(archive, { recursive: true })));
}

async function measureNights(users: number): Promise<void> {
  const young = join(directory, 'young');
  const old = join(directory, 'old');
  using emulator = await serve(users);
  const { service } = emulator;
  await exportTo(young, service);
  await addNights(young, service, 1);
  await cp(young, old, { recursive: true });
  await addNights(old, service, isQuick ? 2 : 98);
  const session = await newestSession(young);
  const argumentsOf = (archive: string): Readonly<Record<string, readonly string[]>> => ({
    status: ['status', archive],
    show: ['show', archive, session],
    search: ['search', archive, 'revenue'],
  });
  for (const command of COMMANDS) {
    const row = `nights-${command}-100`;
    if (!wants(row)) continue;
    const cost = async (archive: string): Promise<number> => {
      const words = argumentsOf(archive)[command];
      return words ? cpuOf(words) : (await exportTo(archive, service)).cpuSeconds;
    };
    const runs = await collect(rounds, async () => ({
      peer: await cost(young),
      ours: await cost(old),
    }));
    printRow(row, 's CPU', runs);
  }
  await Promise.all([young, old].map((archive) => rm(archive, { recursive: true })));
}

async function measureSample(users: number): Promise<void> {
  const young = join(directory, 'young');
  const old = join(directory, 'old');
  using emulator = await serve(users);
  await exportTo(young, emulator.service);
  await addNights(young, emulator.service, isQuick ? 2 : 10);
  await cp(young, old, { recursive: true });
  await addNights(old, emulator.service, isQuick ? 10 : 990);
  const cost = (archive: string) => cpuOf(['verify', archive, '--sample', '1%']);
  const runs = await collect(rounds, async () => ({
    peer: await cost(young),
    ours: await cost(old),
  }));
  printRow('nights-sample-1000', 's CPU', runs);
  await Promise.all([young, old].map((archive) => rm(archive, { recursive: true })));
}

async function measureUsers(users: number): Promise<void> {
  const archive = join(directory, 'archive');
  using emulator = await serve(users);
  const { service } = emulator;
  await exportTo(archive, service);
  await addNights(archive, service, 1);
  const session = await newestSession(archive);
  const rows = {
    status: ['status', archive],
    show: ['show', archive, session],
    verify: ['verify', archive],
    prune: ['prune', archive, '--all', '--dry-run', '--base-url', service.baseUrl],
  };
  for (const [row, words] of Object.entries(rows)) {
    if (!wants(`users-${row}`)) continue;
    const runs = await collect(rounds, async () => ({ ours: await cpuOf(words), peer: null }));
    printRow(`users-${row}`, 's CPU', runs);
  }
  if (!wants('users-unchanged')) return;
  const runs = await collect(rounds, async () => {
    const { cpuSeconds, stdout } = await exportTo(archive, service);
    const { requests } = JSON.parse(stdout) as { requests: { api: number } };
    return { ours: (cpuSeconds * 1000) / requests.api, peer: null };
  });
  printRow('users-unchanged', 'ms CPU', runs);
}

/** Users of one session with one job each. */
function serve(users: number): Promise<EmulatorProcess> {
  const sizes = { users, sessions: 1, jobs: 1, exactJobs: true };
  return EmulatorProcess.start({ ...sizes, blocksPerJob: 4, artifactsPerJob: 0 });
}

async function exportTo(archive: string, service: Service): Promise<MeasuredProcess> {
  const words = ['export', '--out', archive, ...everybody(service), '--json'];
  return await measuredNode([...words, '--log-level', 'silent'], { environment: KEY });
}

/** Appends commits of runs that listed every user and found nothing new. */
async function addNights(archive: string, { users }: Service, nights: number): Promise<void> {
  const opened = await openArchiveIn(createLocalStorage({ directory: archive }));
  const { log } = opened;
  for (let night = 0; night < nights; night++) {
    const run = asRunId(ulid(systemClock, systemRandom));
    await log.append({
      kind: 'export',
      run,
      checkpoint: 1,
      tool: 'bench',
      scope: { users: users.length },
      base: (await log.head())?.number ?? 0,
      users: users.map((user) =>
        userEntry(user, {
          sessions: { new: 0, changed: 0, unchanged: 1, failed: 0 },
          jobs: { archived: 0 },
        }),
      ),
    });
    await writeSnapshotIfDue({ archive: opened, run });
  }
}

async function newestSession(archive: string): Promise<string> {
  const { stdout } = await measuredNode(['show', archive, '--json']);
  const { sessions } = JSON.parse(stdout) as { sessions: { session_id: string }[] };
  const [newest] = sessions;
  if (!newest) throw new Error('the archive has no session');
  return newest.session_id;
}

async function cpuOf(words: readonly string[]): Promise<number> {
  return (await measuredNode(words, { environment: KEY })).cpuSeconds;
}

/** Node's own start, counted as that of our program. */
async function cpuOfNothing(): Promise<number> {
  const program = join(directory, 'nothing.mjs');
  await writeFile(program, '');
  return (await measuredNode([], { program })).cpuSeconds;
}
