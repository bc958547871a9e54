/** Peak memory of an export without files: it must not grow with what is exported. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

const BLOCKS = 20;
const SESSION_JOBS = 125;

const { rounds, isQuick } = benchFlags();
const scale = isQuick ? 0.02 : 1;
// a job has a block more: its question
const small = await peaks(14_000 * scale);
printRow(
  'memory',
  'MB',
  small.map((ours) => ({ ours, peer: null })),
);
const large = await peaks(49_000 * scale);
printRow(
  'memory-large',
  'MB',
  large.map((ours, at) => ({ ours, peer: small[at] ?? null })),
);

async function peaks(jobs: number): Promise<number[]> {
  using emulator = await EmulatorProcess.start({
    users: 4,
    sessions: Math.max(1, Math.round(jobs / 4 / SESSION_JOBS)),
    jobs: Math.min(SESSION_JOBS, Math.round(jobs / 4)),
    exactJobs: true,
    blocksPerJob: BLOCKS,
    artifactsPerJob: 0,
  });
  return await collect(rounds, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
    try {
      const words = ['export', '--out', directory, ...everybody(emulator.service)];
      return (await measuredNode(words, { environment: KEY })).peakMB;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}
