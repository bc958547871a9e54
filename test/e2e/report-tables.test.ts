/** Dates and numbers of tables in a narrow browser, and the way from a conversation to the first page and back. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { CliRig } from '../support/rigs/cli-rig.js';

const MONTHS = ['2025-01', '2025-02'];
const ANSWER = [
  '| month | what was sold, in the words of those who sold it | revenue | a further column |',
  '| ----- | ------------------------------------------------ | ------: | :--------------: |',
  `| ${MONTHS[0]} | bicycles, and everything that belongs to a bicycle | -1,234.50 | 12:30 |`,
  `| ${MONTHS[1]} | helmets | 7 | words |`,
].join('\n');
/** Its first line is wider than a desk. */
const CODE = `\`\`\`sql\nSELECT ${'a_column, '.repeat(40)}1\nFROM sales\n\`\`\``;
const WIDE = Array.from({ length: 9 }, (_one, at) => (at === 0 ? 'm' : `further-column-${at}`));

describe.skipIf(!chromium)('tables of a report', () => {
  let rig: CliRig;
  let browser: ReportBrowser;
  let report: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 0 });
    const respond = (type: string, content: unknown) => ({ type, content, stage: 'Respond' });
    const file = { name: 'Sales', url: '{{url:sales.csv}}', expires_at: '{{expires_at}}' };
    const session = (id: string, blocks: readonly object[]) => ({
      id,
      name: `The ${id} one`,
      jobs: [
        {
          job_id: `job-${id}`,
          question: { blocks: [{ type: 'MESSAGE', content: 'How much?' }] },
          answer: { blocks },
        },
      ],
    });
    const sessions = [
      session('first', [respond('MESSAGE', ANSWER), respond('TABLE', file)]),
      session('second', [respond('MESSAGE', 'Seven.'), respond('CODE', CODE)]),
    ];
    const rows = MONTHS.map((month) => [month, ...WIDE.slice(1)].join(','));
    rig.state.importJson(
      JSON.stringify({
        users: [{ user_id: 'ada', sessions }],
        files: { 'sales.csv': { text: [WIDE.join(','), ...rows].join('\n') } },
      }),
    );
    await rig.export();
    report = join(rig.directory, 'report');
    const end = await rig.run(['report', rig.out, '--out', report]);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  const FIRST = '#/user/ada/session/first';

  it.each([390, 1280])('lay no label over code, in a window of %i', async (width) => {
    const hash = '#/user/ada/session/second';
    const { page } = await ReportPage.open(browser, report, { hash, width });
    const code = page.locator('.code').filter({ hasText: 'a_column' });
    await code.waitFor();
    const [label, first, tall] = await code.evaluate((block) => {
      const range = document.createRange();
      range.selectNodeContents(block.querySelector('pre code') ?? block);
      const language = block.querySelector('.language')?.getBoundingClientRect();
      const pre = block.querySelector('pre')?.getBoundingClientRect();
      return [language?.bottom, range.getClientRects()[0]?.top, pre?.height];
    });
    expect(label).toBeLessThanOrEqual(first ?? 0);
    expect(tall).toBeLessThan(120);
  });

  it.each(['.prose', 'figure.table'])('break no date or number on a phone: %s', async (place) => {
    const { page } = await ReportPage.open(browser, report, { hash: FIRST, width: 390 });
    const cells = page.locator(`${place} tbody td`);
    await cells.first().waitFor();
    const shown = await cells.evaluateAll((all) =>
      all.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return { text: cell.textContent, lines: range.getClientRects().length };
      }),
    );
    const short = shown.filter(({ text }) => /^[\d.,:-]+$/.test(text));
    expect(short.map(({ text }) => text)).toEqual(expect.arrayContaining(MONTHS));
    expect(short.filter(({ lines }) => lines !== 1)).toEqual([]);
  });

  it('stand as the answer aligns them', async () => {
    const { page } = await ReportPage.open(browser, report, { hash: FIRST });
    const cells = page.locator('.prose tbody tr').first().locator('td');
    await cells.first().waitFor();
    const aligned = await cells.evaluateAll((all) =>
      all.map((cell) => getComputedStyle(cell).textAlign),
    );
    expect(aligned).toEqual(['start', 'start', 'right', 'center']);
  });

  const conversation = (page: Page, name: string) =>
    page.locator('#view h1', { hasText: name }).waitFor();

  it('of a conversation are there again when the reader comes back to it from the first page', async () => {
    const { page, trouble } = await ReportPage.open(browser, report);
    for (const back of ['Overview', 'the browser’s button']) {
      await page.locator('#latest').getByRole('link', { name: 'The first one' }).click();
      await conversation(page, 'The first one');
      expect(await page.locator('#overview').isVisible(), back).toBe(false);
      if (back === 'Overview') await page.getByRole('link', { name: back }).click();
      else await page.goBack();
      await page.locator('#overview').waitFor();
      await page.locator('#view h1').waitFor({ state: 'detached' });
    }
    expect(trouble).toEqual([]);
  });

  it('of a conversation are there again when the reader asked for one that does not exist', async () => {
    const { page, address } = await ReportPage.open(browser, report, { hash: FIRST });
    await conversation(page, 'The first one');
    await page.goto(`${address}#/user/ada/session/none`);
    await conversation(page, 'Not here');
    await page.goto(address + FIRST);
    await conversation(page, 'The first one');
  });

  it('are shown for the conversation that was asked for last, whichever is read first', async () => {
    const { page } = await ReportPage.open(browser, report);
    // both are asked for in one turn, so the first is read when nobody wants it any more
    const read = page.waitForEvent('requestfinished', (one) => /\/s\/\d+-0\.js$/.test(one.url()));
    await page.evaluate(() => {
      location.hash = '#/user/ada/session/first';
      dispatchEvent(new HashChangeEvent('hashchange'));
      location.hash = '#/';
      dispatchEvent(new HashChangeEvent('hashchange'));
    });
    await page.locator('#overview').waitFor();
    await read;
    await page.locator('#latest').getByRole('link', { name: 'The first one' }).click();
    await conversation(page, 'The first one');
  });

  it('of the whole report are cut for paper after a conversation has been read, too', async () => {
    const { page } = await ReportPage.open(browser, report, { hash: FIRST });
    await conversation(page, 'The first one');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('#overview').waitFor();
    const note = page.locator('#paper > .note');
    expect(await note.textContent()).toBe(
      'The conversations are not on this paper: the button “Print every conversation” of the page puts them there.',
    );
    await page.evaluate(() => (window.print = () => (document.title = 'printed')));
    await page.getByRole('button', { name: 'Print every conversation' }).click();
    await page.waitForFunction(() => document.title === 'printed');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.locator('#paper .bands caption').allTextContents()).toEqual([
      'Columns 1 to 7 of 9',
      'Columns 8 to 9 of 9',
    ]);
    expect(await note.count()).toBe(0);
  });
});
