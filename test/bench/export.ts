/**
 * CPU and time of an export without files against what people would use instead, on the same jobs: the
 * emulator, each export and each peer run in processes of their own.
 * Flags of its own: --jobs 14400, --profile DIRECTORY (a CPU profile of each export).
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/base/error.js';
import { EmulatorProcess, everybody, KEY, type Service } from './emulator-process.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, printRow, skipRow, type Run } from './measurement.js';

const USERS = 4;
const SESSION_JOBS = 120;
const BLOCKS = 20;
/** What the service grants a team. */
const RATE = 20;

const { rounds, isQuick, wants, own } = benchFlags(['jobs', 'profile']);
const sizes = sizesOf(Number(own['jobs'] ?? (isQuick ? 480 : 14_400)));
const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
try {
  await measureCpu();
  if (wants('export-wall')) await measureWall();
} finally {
  await rm(directory, { recursive: true, force: true });
}

function sizesOf(jobs: number) {
  const sessions = Math.max(1, Math.ceil(jobs / USERS / SESSION_JOBS));
  return {
    users: USERS,
    sessions,
    jobs: Math.ceil(jobs / USERS / sessions),
    exactJobs: true,
    blocksPerJob: BLOCKS,
    artifactsPerJob: 0,
  };
}

async function measureCpu(): Promise<void> {
  using emulator = await EmulatorProcess.start(sizes);
  const { service } = emulator;
  await peer('floor', service); // the emulator makes its records when they are first asked for
  const rows = new Map<string, Run[]>();
  const failed = new Map<string, string>();
  const add = (row: string, ours: MeasuredProcess, theirs: MeasuredProcess): void => {
    const run = { ours: ours.cpuSeconds, peer: theirs.cpuSeconds };
    rows.set(row, [...(rows.get(row) ?? []), run]);
    const told = `${run.ours.toFixed(2)} s CPU, ${ours.seconds.toFixed(2)} s, peak ${ours.peakMB.toFixed(0)} MB`;
    process.stderr.write(`${row}: ${told}; beside it ${run.peer.toFixed(2)} s CPU\n`);
  };
  for (let round = 0; round < rounds; round++) {
    const floor = await peer('floor', service);
    const out = join(directory, `parquet-${round}`);
    const parquet = await exported('parquet', service, out);
    add('export-floor', parquet, floor);
    if (wants('unchanged')) {
      add('unchanged', await exported('parquet', service, out, 'unchanged'), floor);
    }
    if (wants('jsonl')) {
      add('jsonl', await exported('jsonl', service, join(directory, `jsonl-${round}`)), parquet);
    }
    if (wants('export-delta')) {
      // the other order in every other round
      const alone = () =>
        exported('parquet', service, join(directory, `no-delta-${round}`), 'no-delta');
      const before = round % 2 === 1 ? await alone() : undefined;
      const withDelta = await exported(
        'parquet',
        service,
        join(directory, `delta-${round}`),
        'delta',
      );
      add('export-delta', withDelta, before ?? (await alone()));
    }
    for (const name of ['script', 'duckdb'].filter((one) => wants(`export-${one}`))) {
      try {
        add(`export-${name}`, parquet, await peer(name, service));
      } catch (error) {
        failed.set(`export-${name}`, messageOf(error));
      }
    }
    await empty(directory);
  }
  for (const [row, why] of failed) skipRow(row, why);
  for (const [row, runs] of rows) {
    if (wants(row) && !failed.has(row)) printRow(row, 's CPU', runs);
  }
}

/** Under the service's limit: what an export takes against what its requests take at the granted rate. */
async function measureWall(): Promise<void> {
  using emulator = await EmulatorProcess.start({ ...sizes, rateLimit: RATE });
  const runs: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    const out = join(directory, `wall-${round}`);
    const { seconds, stdout } = await exported('parquet', emulator.service, out, 'wall', RATE);
    const { requests } = JSON.parse(stdout) as { requests: { api: number } };
    runs.push({ ours: seconds, peer: requests.api / RATE });
    await empty(directory);
  }
  printRow('export-wall', 's', runs);
}

function exported(
  format: string,
  service: Service,
  out: string,
  kind = format,
  rate?: number,
): Promise<MeasuredProcess> {
  const { profile } = own;
  return measuredNode(
    [
      ...['export', '--out', out, '--format', format, '--json', ...everybody(service, rate)],
      ...(kind === 'no-delta' ? ['--no-delta'] : []),
    ],
    {
      environment: KEY,
      flags: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profile, kind)}`],
    },
  );
}

async function peer(name: string, service: Service): Promise<MeasuredProcess> {
  const out = join(directory, name);
  await mkdir(out, { recursive: true });
  const program = fileURLToPath(new URL(`peers/${name}.js`, import.meta.url));
  return measuredNode([JSON.stringify(service), out], { program });
}

async function empty(path: string): Promise<void> {
  await rm(path, { recursive: true });
  await mkdir(path);
}
