/** Acceptance: 24,000 jobs with 20 blocks each stay under 450 MB, and under 1.25 times what 12,000 need. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.js';
import { measuredRun } from './measured-export.js';

const ARTIFACTS = Number(process.env['BENCH_ARTIFACTS'] ?? 1);
const SCALE = Number(process.env['BENCH_SCALE'] ?? 1);

async function exported(users: number) {
  const emulator = await startEmulator({
    users,
    sessions: 50,
    jobs: Math.round(120 * SCALE),
    exactJobs: true,
    blocksPerJob: 20,
    artifactsPerJob: ARTIFACTS,
  });
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  try {
    const named = emulator.state.userIds().flatMap((user) => ['--user', user]);
    const run = await measuredRun(
      [
        'export',
        '--out',
        directory,
        '--base-url',
        emulator.baseUrl,
        '--rate',
        '1000',
        '--json',
        ...named,
      ],
      { JOBVAULT_API_KEY: 'demo-key' },
    );
    expect(run.exitCode, run.stderr).toBe(0);
    const summary = JSON.parse(run.stdout) as {
      jobs: { archived: number };
      rows: { blocks: number };
    };
    const { jobs, rows } = summary;
    console.log(
      `${jobs.archived} jobs, ${rows.blocks} blocks: ${run.seconds.toFixed(1)} s, peak ${run.peakMB.toFixed(0)} MB`,
    );
    return { ...run, jobs: jobs.archived };
  } finally {
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  }
}

it('keeps its memory flat from 12,000 to 24,000 jobs of 20 blocks', async () => {
  const half = await exported(2);
  const whole = await exported(4);
  console.log(`ratio ${(whole.peakMB / half.peakMB).toFixed(2)}`);
  expect(whole.peakMB).toBeLessThan(450);
  expect(whole.peakMB / half.peakMB).toBeLessThan(1.25);
});
