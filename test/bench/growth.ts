/** What a job costs in exports of growing size: CPU of each beyond that of an export of next to nothing, and peak memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmulatorOptions } from '../../src/emulator/options.js';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

interface Cost {
  readonly msPerJob: number;
  readonly peakMB: number;
}

const { rounds, isQuick, wants } = benchFlags();
const steps = isQuick ? [1, 2, 4] : [10, 100, 1000];
const started = await costs({ users: 1, sessions: 1, jobs: 1 }, () => 0);
const least = Math.min(...started.map(({ msPerJob }) => msPerJob));
if (wants('growth-users') || wants('growth-users-memory')) {
  await grow('growth-users', (users) => ({ users, sessions: 1, jobs: 10 }));
}
if (wants('growth-session') || wants('growth-session-memory')) {
  await grow('growth-session', (jobs) => ({ users: 1, sessions: 10, jobs }));
}

async function grow(row: string, sizesOf: (step: number) => Sizes): Promise<void> {
  const all: Cost[][] = [];
  for (const step of steps) all.push(await costs(sizesOf(step), () => least));
  for (const [at, step] of steps.entries()) {
    const told = all[at]?.map(({ msPerJob }) => msPerJob.toFixed(2)).join(' ');
    process.stderr.write(`${row}, ${step}: ${told} ms CPU a job\n`);
  }
  const [, before = [], last = []] = all;
  const pair = (of: (cost: Cost) => number) =>
    last.map((cost, at) => ({ ours: of(cost), peer: of(before[at] ?? cost) }));
  printRow(
    row,
    'ms CPU',
    pair(({ msPerJob }) => msPerJob),
  );
  printRow(
    `${row}-memory`,
    'MB',
    pair(({ peakMB }) => peakMB),
  );
}

type Sizes = Required<Pick<EmulatorOptions, 'users' | 'sessions' | 'jobs'>>;

/** Of each round. */
async function costs(sizes: Sizes, startMs: () => number): Promise<Cost[]> {
  using emulator = await EmulatorProcess.start({
    ...sizes,
    exactJobs: true,
    blocksPerJob: 20,
    artifactsPerJob: 0,
  });
  const jobs = sizes.users * sizes.sessions * sizes.jobs;
  return await collect(rounds, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
    try {
      const words = ['export', '--out', directory, ...everybody(emulator.service)];
      const { cpuSeconds, peakMB } = await measuredNode(words, { environment: KEY });
      return { msPerJob: (cpuSeconds * 1000 - startMs()) / jobs, peakMB };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}
