/** The first page on a phone says what is in doubt, and nothing goes beyond its edge. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { cli } from '../support/programs/cli-in-process.js';
import { SearchRig } from '../support/rigs/search-rig.js';

describe.skipIf(!chromium)('the first page on a phone', () => {
  let people: SearchRig;
  let browser: ReportBrowser;
  let report: string;
  let whole: string;

  beforeAll(async () => {
    people = await SearchRig.start();
    people.talk('ada.lovelace@example-company.com', 's-1', 'Falcon', [{ question: 'Falcon?' }]);
    people.talk('ada.lovelace@example-company.com', 's-2', 'Wind', [
      { question: 'the wind', table: 'w.csv', csv: null },
    ]);
    await people.rig.export();
    const { out, directory } = people.rig;
    report = join(directory, 'report');
    const words = ['report', out, '--out', report, '--match', 'falcon'];
    expect((await cli(words)).exitCode).toBe(3);
    whole = join(directory, 'whole');
    const accept = ['--session', 's-2', '--by', 'Dana', '--reason', 'file lost'];
    expect((await cli(['gap', 'accept', out, ...accept])).exitCode).toBe(0);
    expect((await cli(['report', out, '--out', whole])).exitCode).toBe(0);
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  it.each([1280, 390, 320])(
    'names the session in doubt, and nothing is cut: %i px',
    async (width) => {
      const { page, trouble } = await ReportPage.open(browser, report, { width, dark: true });
      expect(await page.locator('.card.doubt').innerText()).toContain(
        '1 conversation that was searched has gaps',
      );
      const beyond = await page.evaluate(() =>
        [...document.querySelectorAll('.tile, .card, main, body')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ className }) => className),
      );
      expect([beyond, trouble]).toEqual([[], []]);
    },
  );

  it.each([1280, 1024, 800, 750, 700, 641, 390, 360])(
    'lists show their gaps without a scroll: %i px',
    async (width) => {
      const user = `#/user/${encodeURIComponent('ada.lovelace@example-company.com')}`;
      for (const [hash, list] of [
        ['', '#people'],
        ['', '#latest'],
        [user, '#view'],
      ] as const) {
        const { page } = await ReportPage.open(browser, whole, { width, hash });
        const table = page.locator(`${list} .wide`).first();
        const shown = table.locator('.mark:visible').filter({ hasText: '1 accepted gap' });
        const beyond = await table.evaluate((wide) => wide.scrollWidth - wide.clientWidth);
        expect([list, await shown.count(), beyond]).toEqual([list, 1, 0]);
      }
    },
  );
});
