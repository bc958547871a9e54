import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, pdfToText } from '../services/programs.js';
import { ReportPage, type ReportBrowser } from '../support/programs/browser.js';
import { COLUMNS, ReportRig } from '../support/rigs/report-rig.js';

const ZEBRAS = 'How many *zebras*?';
const SALES = '去年的销售额是多少？';
const ZOE = encodeURIComponent('zoë');

describe.skipIf(!chromium)('the lists and the search of a report', () => {
  let on: ReportRig;
  let browser: ReportBrowser;
  let report: string;

  beforeAll(async () => {
    on = await ReportRig.start();
    ({ browser, report } = on);
    const end = await on.rig.run(['report', 'archive', '--title', 'The figures']);
    expect(end.exitCode).toBe(3);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  const open = (hash = '') => ReportPage.open(browser, report, { hash });
  const heading = (page: Page) => page.locator('#view h1').innerText();
  const hits = (page: Page) => page.locator('.hits li > a').allInnerTexts();

  async function search(page: Page, query: string): Promise<void> {
    await page.keyboard.press('/');
    await page.locator('#query').fill('');
    await page.keyboard.type(query);
    await page.locator('#view h1', { hasText: query }).waitFor();
  }

  it('says its title once, with users and conversations above the pictures', async () => {
    const { page, trouble } = await open();
    expect(await page.getByText('The figures').filter({ visible: true }).count()).toBe(1);
    const tops = await Promise.all(
      ['#people h2', '#latest h2', '.over-time h2'].map(async (place) => {
        const box = await page.locator(place).boundingBox();
        return box?.y ?? NaN;
      }),
    );
    expect(tops[0]).toBe(tops[1]);
    expect(tops[2]).toBeGreaterThan(tops[1] ?? Infinity);
    const newest = await page.locator('#latest tbody .time').allInnerTexts();
    const known = newest.filter((one) => /^\d{4}-/.test(one));
    expect(known.length).toBeGreaterThan(1);
    expect(known).toEqual(known.toSorted().reverse());
    await page.goto(`${pageAddress(page)}#/user/${ZOE}`);
    await page.locator('.brand').waitFor(); // from there on it leads back
    expect(trouble).toEqual([]);
  });

  it('narrows lists and search by user and days, and keeps that in every address', async () => {
    const { page, trouble } = await open('#/search/figures');
    await page.locator('.hits li').first().waitFor();
    await page.getByLabel('User').selectOption({ label: 'zoë' });
    await page.getByLabel('From').fill('2026-03-05');
    await page.getByLabel('To', { exact: true }).fill('2026-03-05');
    await page.waitForFunction(() => location.hash.includes('to='));
    expect(await page.evaluate(() => location.hash)).toBe(
      `#/search/figures?user=${ZOE}&from=2026-03-05&to=2026-03-05`,
    );
    await expect.poll(() => heading(page)).toContain('by zoë from 2026-03-05 to 2026-03-05');
    await page.reload();
    await expect.poll(() => heading(page)).toContain('by zoë from 2026-03-05 to 2026-03-05');
    await page.locator('#query').fill('');
    await page.locator('#view h1', { hasText: /^zoë$/ }).waitFor(); // the list with the same filter
    expect(await page.getByLabel('From').inputValue()).toBe('2026-03-05');
    expect(await page.locator('#view tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^Known figures\s+2\s/),
    ]);
    await page.getByLabel('User').selectOption({ label: 'All users' });
    await page.getByRole('heading', { name: 'Conversations from 2026-03-05' }).waitFor();
    expect(await page.locator('#people tbody tr').allInnerTexts()).toContainEqual(
      expect.stringMatching(/^zoë not complete\s+1\s+2\s/),
    );
    expect(await page.locator('.tiles').isVisible()).toBe(false); // they count all days
    await page.getByLabel('From').fill('2019-01-01');
    await page.getByLabel('To', { exact: true }).fill('2019-01-02');
    await page.getByText('No conversation from 2019-01-01 to 2019-01-02.').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'Latest conversations' }).waitFor();
    expect(trouble).toEqual([]);
  });

  it('judges a job without a timestamp by its neighbours, and says where they do not tell', async () => {
    const { page, trouble } = await open(`#/user/${ZOE}?from=2026-03-07&to=2026-03-07`);
    const told = page.locator('#view .note').first();
    expect(await told.innerText()).toBe(
      '1 conversation, 1 question from 2026-03-07 to 2026-03-07. Not counted: 1 question without a timestamp, of which nobody can tell whether these dates apply. not complete',
    );
    await page.getByLabel('To', { exact: true }).fill('2026-03-08');
    await expect
      .poll(() => told.innerText())
      .toBe('1 conversation, 3 questions from 2026-03-07 to 2026-03-08 not complete');
    await search(page, 'timeless');
    expect(await page.locator('.hits small').innerText()).toContain(
      '2026-03-07 12:00 – 2026-03-08 12:00',
    );
    await page.getByLabel('To', { exact: true }).fill('2026-03-07');
    await page.getByText('Not counted: 1 more question with these words').waitFor();
    expect(await heading(page)).toContain('No question with');
    expect(trouble).toEqual([]);
  });

  it.each([
    ['zebr many', ZEBRAS],
    ['销售额', SALES],
    ['row 37', ZEBRAS],
    ['"42 of them"', ZEBRAS],
    ['gnus OR 1,234', SALES],
  ])('finds %s while it is typed', async (query, question) => {
    const { page, trouble } = await open();
    await search(page, query);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('query');
    const hit = page.locator('.hits li', { hasText: question });
    await hit.locator('a').click();
    await page.locator('.job:focus', { hasText: question }).waitFor();
    await page.goBack();
    await hit.waitFor();
    await page.goBack(); // what was typed is one step
    await page.getByRole('heading', { name: 'Latest conversations' }).waitFor();
    expect(trouble).toEqual([]);
  });

  it('takes phrases and excluded words for what they are, and helps where nothing is found', async () => {
    const { page, trouble } = await open();
    await search(page, 'zebras -gnus');
    expect(await heading(page)).toContain('No question with');
    await search(page, '"many how"');
    expect(await heading(page)).toContain('No question with');
    await page.getByRole('link', { name: 'Search the words without quotes' }).click();
    await expect.poll(() => hits(page)).toEqual([ZEBRAS]);
    await search(page, 'xyzzy zebras');
    await page.getByText('No question of this report has “xyzzy” in what is searched.').waitFor();
    expect(await page.getByText('How to search').isVisible()).toBe(true);
    await page.goto(`${pageAddress(page)}#/search/zebras?user=nobody`);
    await page.getByRole('link', { name: 'Search everything: 1 question' }).click();
    await expect.poll(() => hits(page)).toEqual([ZEBRAS]);
    expect(trouble).toEqual([]);
  });

  it('saves a result as CSV in which nothing is a formula', async () => {
    const { page, trouble } = await open('#/search/zebroids');
    await page.locator('.hits li').first().waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('search.csv');
    const [header, line, end] = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(header).toBe(
      '\uFEFFuser_id,session_id,session_name,job_id,created_at,created_after,created_before,question',
    );
    expect(line).toMatch(
      /^zoë,formulas,"'=HYPERLINK\(""http:\/\/example\.invalid\/""\)",\S+,2026-03-07T12:00:00\.000Z,,,'@SUM\(1;1\) zebroids\?$/,
    );
    expect(end).toBe('');
    expect(trouble).toEqual([]);
  });

  it('prints a conversation with its steps folded and nothing of the frame', async () => {
    const { page } = await open(`#/user/${ZOE}/session/known`);
    await page.locator('.job').first().waitFor();
    await page.evaluate(() => (window.print = () => (document.title = 'printed')));
    await page.getByRole('button', { name: 'Print' }).click();
    await page.waitForFunction(() => document.title === 'printed');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.step pre').count()).toBe(0);
    for (const hidden of ['.bar', '.outline', '.filters']) {
      expect(await page.locator(hidden).isVisible()).toBe(false);
    }
  });

  it("the browser's own print leaves the steps open that the reader has opened, and no others", async () => {
    const { page } = await open(`#/user/${ZOE}/session/known`);
    await page.locator('.job').nth(1).waitFor();
    await page.pdf();
    expect(await page.locator('.step pre').count()).toBe(0);
    await page.locator('.steps > summary').first().click();
    await page.locator('.step > summary').first().click();
    await page.locator('.step pre').first().waitFor();
    await page.pdf();
    expect(await page.locator('.step pre').first().isVisible()).toBe(true);
  });

  it.skipIf(!pdfToText)(
    'repeats the head of a table on every sheet, and unfolds gaps',
    async () => {
      const { page } = await open(`#/user/${ZOE}/session/known`);
      await page.locator('.job').nth(1).waitFor();
      const sheets = await printed(page, 'A5');
      const rows = sheets.filter((sheet) => /row \d+/.test(sheet));
      expect(rows.length).toBeGreaterThan(3);
      for (const sheet of rows) expect(sheet).toMatch(/name\s+number/);
      expect(sheets[0]).toContain('TABLE: missing');
      await page.goto(`${pageAddress(page)}#/gaps`);
      await page.locator('h1', { hasText: 'gap' }).waitFor();
      expect((await printed(page, 'A4'))[0]).toMatch(/User\s+Conversation\s+What/);
    },
  );

  it.skipIf(!pdfToText)('prints every cell of a wide table, in bands of columns', async () => {
    const { page } = await open(`#/user/${ZOE}/session/formulas`);
    await page.locator('figure.table').waitFor();
    const sheets = await printed(page, 'A4');
    const cells = new Set(sheets.join(' ').split(/\s+/));
    for (let row = 1; row <= 40; row++) {
      expect(COLUMNS.filter((column) => !cells.has(`${column}-${row}`))).toEqual([]);
    }
    expect(sheets.join('')).toContain('Columns 8 to 12 of 12');
    const pageWidth = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(pageWidth).toBeLessThanOrEqual(0);
    // on the screen there is one table, as before
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    expect(await page.locator('figure.table table').count()).toBe(1);
    expect(await page.locator('figure.table thead th').count()).toBe(12);
  });

  /** The text of each sheet, laid out as it is on paper. */
  async function printed(page: Page, format: string): Promise<string[]> {
    const file = join(on.rig.directory, 'printed.pdf');
    await page.pdf({ format, path: file });
    const { stdout } = await promisify(execFile)(pdfToText ?? '', ['-layout', file, '-']);
    return stdout.split('\f').slice(0, -1);
  }
});

function pageAddress(page: Page): string {
  return page.url().replace(/#.*$/, '');
}
