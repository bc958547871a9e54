/** A report whose data files were cut off, as by a copy that broke off. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportPage } from '../support/programs/browser.js';
import { ReportRig } from '../support/rigs/report-rig.js';

describe.skipIf(!chromium)('a report with damaged data files', () => {
  let on: ReportRig;
  beforeAll(async () => {
    on = await ReportRig.start();
    await on.rig.runProgram(['report', 'archive']);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  const session = `#/user/${encodeURIComponent('zoë')}/session/known`;

  it('says which data file is damaged, and reads it again once it is whole', async () => {
    const { page, address } = await ReportPage.open(on.browser, on.report);
    const folder = join(on.report, 'data/s');
    const names = (await readdir(folder)).filter((name) => /^\d+\.js$/.test(name));
    const whole = await Promise.all(names.map((name) => readFile(join(folder, name))));
    for (const [at, name] of names.entries()) {
      await writeFile(join(folder, name), whole[at]?.subarray(0, -4) ?? '');
    }
    await page.goto(address + session);
    const told = page.locator('.lost[role=alert]');
    await told.first().waitFor();
    expect(await told.first().innerText()).toMatch(
      /^data\/s\/\d+\.js is damaged: make the report again$/,
    );
    for (const [at, name] of names.entries()) {
      await writeFile(join(folder, name), whole[at] ?? '');
    }
    await page.goto(`${address}#/gaps`);
    await page.locator('#view h1').waitFor();
    await page.goto(address + session);
    await page.locator('.job').nth(1).waitFor();
  });
});
