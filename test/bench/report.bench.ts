/** Acceptance: a report of 20,000 jobs is interactive in about two seconds, however large it is; its making is measured. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.js';
import { chromium } from '../services/programs.js';
import { openBrowser, ReportPage } from '../support/browser.js';
import { measuredRun } from './measured-export.js';

const SCALE = Number(process.env['BENCH_SCALE'] ?? 1);
const USERS = 10;
const SESSIONS = 100;
const JOBS = Math.max(1, Math.round(20 * SCALE));

describe.skipIf(!chromium)('a report of 1,000 sessions and 20,000 jobs', () => {
  let directory: string;
  let report: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
    report = join(directory, 'report');
    const emulator = await startEmulator({
      users: USERS,
      sessions: SESSIONS,
      jobs: JOBS,
      exactJobs: true,
      blocksPerJob: 20,
      artifactsPerJob: 1,
    });
    const archive = join(directory, 'archive');
    const users = emulator.state.userIds().flatMap((user) => ['--user', user]);
    const place = ['--out', archive, '--base-url', emulator.baseUrl, '--rate', '1000'];
    const environment = { JOBVAULT_API_KEY: 'demo-key' };
    const exported = await measuredRun(['export', ...place, ...users], environment);
    await emulator.close();
    expect(exported.exitCode, exported.stderr).toBe(0);
    const made = await measuredRun(['report', archive, '--out', report, '--json'], environment);
    expect(made.exitCode, made.stderr).toBe(0);
    const { jobs, files, bytes } = JSON.parse(made.stdout) as Record<string, number>;
    console.log(
      `${jobs} jobs: made in ${made.seconds.toFixed(1)} s, peak ${made.peakMB.toFixed(0)} MB, ${files} files, ${((bytes ?? 0) / 1e6).toFixed(0)} MB`,
    );
    expect(made.peakMB).toBeLessThan(600);
  }, 1_800_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is interactive in about two seconds, and finds words as fast', async () => {
    const browser = await openBrowser(chromium);
    try {
      const begun = performance.now();
      const { page, trouble } = await ReportPage.open(browser, report);
      console.log(`first page ${ms(begun)}`);
      const first = performance.now() - begun;
      const session = performance.now();
      await page.locator('#people tbody a').first().click();
      await page.locator('#view tbody a').first().click();
      await page.locator('.job').first().waitFor();
      console.log(`user and session ${ms(session)}`);
      const search = performance.now();
      await page.locator('#query').fill('step value');
      await page.keyboard.press('Enter');
      await page.locator('.hits li').first().waitFor();
      console.log(`search ${ms(search)}: ${await page.locator('h1:visible').innerText()}`);
      expect(first).toBeLessThan(4000); // about two, on a machine that does nothing else
      expect(trouble).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

function ms(since: number): string {
  return `${(performance.now() - since).toFixed(0)} ms`;
}
