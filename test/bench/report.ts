/** A report of 20,000 jobs: the memory that making it takes, and how soon its first page, a session and a search are there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

const { rounds, isQuick, wants } = benchFlags();
const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
const report = join(directory, 'report');
try {
  await makeReports();
  if (chromium === undefined) skipRow('report-page', 'there is no Chromium');
  else if (wants('report-page')) await openPages();
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function makeReports(): Promise<void> {
  using emulator = await EmulatorProcess.start({
    users: 10,
    sessions: isQuick ? 2 : 100,
    jobs: 20,
    exactJobs: true,
    blocksPerJob: 20,
    artifactsPerJob: 1,
  });
  const archive = join(directory, 'archive');
  await measuredNode(['export', '--out', archive, ...everybody(emulator.service)], {
    environment: KEY,
  });
  const runs = await collect(rounds, async () => {
    await rm(report, { recursive: true, force: true });
    const { peakMB, seconds } = await measuredNode(['report', archive, '--out', report]);
    process.stderr.write(`report: made in ${seconds.toFixed(1)} s\n`);
    return { ours: peakMB, peer: null };
  });
  printRow('report', 'MB', runs);
}

async function openPages(): Promise<void> {
  const runs = await collect(rounds, async () => {
    const browser = await ReportBrowser.start(chromium);
    try {
      const begun = performance.now();
      const { page, trouble } = await ReportPage.open(browser, report);
      const seconds = (performance.now() - begun) / 1000;
      const session = performance.now();
      await page.locator('#people tbody a').first().click();
      await page.locator('#view tbody a').first().click();
      await page.locator('.job').first().waitFor();
      const search = performance.now();
      await page.locator('#query').fill('step value');
      await page.keyboard.press('Enter');
      await page.locator('.hits li').first().waitFor();
      const [shown, found] = [search - session, performance.now() - search];
      process.stderr.write(
        `user and session ${shown.toFixed(0)} ms, search ${found.toFixed(0)} ms\n`,
      );
      if (trouble.length > 0) throw new Error(trouble.join(', '));
      return { ours: seconds, peer: null };
    } finally {
      await browser[Symbol.asyncDispose]();
    }
  });
  printRow('report-page', 's', runs);
}
