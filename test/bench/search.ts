/** A search over a million blocks in three scripts: how long the program takes, and its memory. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';
import { SEARCHED, writeConversations } from './said-in-scripts.js';

const { rounds, isQuick, wants } = benchFlags();
const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
const archive = join(directory, 'archive');
try {
  await makeArchive();
  await measure();
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function makeArchive(): Promise<void> {
  const told = join(directory, 'told');
  await mkdir(told, { recursive: true });
  const amount = isQuick
    ? { users: 2, sessions: 5, jobs: 20 }
    : { users: 40, sessions: 125, jobs: 20 };
  const importFiles = await writeConversations(told, amount);
  using emulator = await EmulatorProcess.start({ users: 0, importFiles });
  const words = ['export', '--out', archive, ...everybody(emulator.service)];
  await measuredNode(words, { environment: KEY });
  await rm(told, { recursive: true });
}

/** Of each round the slowest search of a script, the whole program, and the highest of all peaks. */
async function measure(): Promise<void> {
  const peaks: number[] = Array.from({ length: rounds }, () => 0);
  for (const [script, words] of Object.entries(SEARCHED)) {
    const runs = await collect(rounds, async (round) => {
      let slowest = 0;
      for (const word of words) {
        const { seconds, cpuSeconds, peakMB } = await measuredNode(['search', archive, word]);
        const used = `${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU, ${peakMB.toFixed(0)} MB`;
        process.stderr.write(`${word}: ${used}\n`);
        slowest = Math.max(slowest, seconds);
        peaks[round] = Math.max(peaks[round] ?? 0, peakMB);
      }
      return { ours: slowest, peer: null };
    });
    if (wants(`search-${script}`)) printRow(`search-${script}`, 's', runs);
  }
  const highest = peaks.map((ours) => ({ ours, peer: null }));
  if (wants('search-memory')) printRow('search-memory', 'MB', highest);
}
