import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportPage, type ReportBrowser } from '../support/programs/browser.js';
import { cli } from '../support/programs/cli-in-process.js';
import type { CliRig } from '../support/rigs/cli-rig.js';
import { ReportRig } from '../support/rigs/report-rig.js';

describe.skipIf(!chromium)('jobvault report', () => {
  let on: ReportRig;
  let rig: CliRig;
  let jobs: readonly string[];
  let browser: ReportBrowser;
  let report: string;

  beforeAll(async () => {
    on = await ReportRig.start();
    ({ rig, jobs, browser, report } = on);
    const end = await rig.runProgram(['report', 'archive', '--json']);
    expect(end.exitCode).toBe(3);
    expect(JSON.parse(end.stdout)).toMatchObject({
      status: 'incomplete',
      users: 3,
      head: { number: 1 },
      out: 'archive-report',
    });
  });
  afterAll(() => on[Symbol.asyncDispose]());

  const knownSession = `#/user/${encodeURIComponent('zoë')}/session/known`;

  it.each([
    { what: 'light', dark: false, width: 1280 },
    { what: 'dark', dark: true, width: 1280 },
    { what: 'a phone', dark: false, width: 390 },
  ])('is for everybody, in every view: $what', async ({ dark, width }) => {
    const opened = await ReportPage.open(browser, report, { dark, width });
    const { page } = opened;
    const look = async (): Promise<void> => {
      expect(await opened.accessibilityFaults()).toEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(width);
    };
    await look();
    await page.goto(`${opened.address}#/?from=2026-03-05&to=2026-03-05`);
    await page.getByRole('heading', { name: 'Conversations from' }).waitFor();
    await look();
    for (const hash of [
      '#/gaps',
      `#/user/${encodeURIComponent('zoë')}`,
      '#/search/zebras',
      '#/search/nothing%20of%20the%20kind?user=none&from=2026-03-01',
      '#/user/nobody',
    ]) {
      await page.goto(opened.address + hash);
      await page.locator('#view h1').waitFor();
      await look();
    }
    await page.goto(opened.address + knownSession);
    await page.locator('.job').nth(1).waitFor();
    await page.locator('.steps > summary').click();
    await page.locator('.step > summary').click();
    await look();
    expect(opened.trouble).toEqual([]);
  });

  it.each([
    ['desk', 1280],
    ['phone', 390],
  ])('shows every column of its first page on a %s, however long a name is', async (_, width) => {
    const { page } = await ReportPage.open(browser, report, { width });
    for (const list of ['#people', '#latest']) {
      const hidden = await page.locator(`${list} .wide`).evaluate((wide) => {
        for (const link of wide.querySelectorAll('td a')) link.textContent = 'long'.repeat(20);
        return wide.scrollWidth - wide.clientWidth;
      });
      expect(hidden, list).toBe(0);
    }
  });

  it('breaks no word of a heading and no day on a phone', async () => {
    const { page } = await ReportPage.open(browser, report, { width: 390 });
    const broken = await page
      .locator('#people thead, #latest thead, #people .time, #latest .time')
      .evaluateAll((heads) =>
        heads.flatMap((head) => {
          const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
          const found: string[] = [];
          while (texts.nextNode()) {
            const { data } = texts.currentNode as Text;
            for (const { index, 0: word } of data.matchAll(/\S+/g)) {
              const range = document.createRange();
              range.setStart(texts.currentNode, index);
              range.setEnd(texts.currentNode, index + word.length);
              if (range.getClientRects().length > 1) found.push(word);
            }
          }
          return found;
        }),
      );
    expect(broken).toEqual([]);
  });

  it('counts on its first page what the archive holds, and has the numbers beside every bar', async () => {
    const { page, trouble } = await ReportPage.open(browser, report);
    expect(await page.locator('.tile').allInnerTexts()).toContainEqual(
      expect.stringMatching(/^Missing or in doubt \(kinds\)\s+1\s/),
    );
    const [{ jobs: archived }] = (await rig.select('jobs', 'count(*)::INTEGER AS jobs')) as [
      { jobs: number },
    ];
    const card = page.locator('.card', { hasText: 'Questions by user' });
    const cells = await card.locator('tbody td.number').allInnerTexts();
    expect(cells.map(Number).reduce((sum, one) => sum + one, 0)).toBe(archived);
    const over = page.locator('.card', { hasText: 'Questions over time' });
    await over.locator('summary').click();
    expect(await over.locator('tbody tr').count()).toBe(
      await over.locator('.roomy svg.chart rect').count(),
    );
    expect(trouble).toEqual([]);
  });

  it('says of every gap whose it is, in which session, and what it means', async () => {
    const { page } = await ReportPage.open(browser, report);
    await page.getByRole('link', { name: 'list of gaps' }).click();
    const missing = page.locator('#view tbody tr');
    await missing.waitFor();
    const told = (await missing.locator('td').allInnerTexts()).map((cell) => cell.trim());
    expect(told.slice(0, 4)).toEqual(['zoë', 'Known figures', 'TABLE', 'missing']);
    expect(told[5]).toBe('the file host does not have the file; an export looks again');
    await missing.getByRole('link', { name: 'Known figures' }).click();
    await page.locator('.job:focus', { hasText: '去年' }).waitFor();
  });

  it('shows on a phone what a gap means without scrolling sideways', async () => {
    const { page } = await ReportPage.open(browser, report, { hash: '#/gaps', width: 390 });
    const cells = page.locator('#view tbody td');
    await cells.first().waitFor();
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(390);
    }
    const label = await cells.nth(5).evaluate((cell) => getComputedStyle(cell, '::before').content);
    expect(label).toBe('"What it means: "');
    expect(await page.locator('#view thead').isVisible()).toBe(false);
  });

  it('shows a conversation: question, folded steps, answer, picture, sources, what comes next', async () => {
    const { page, trouble } = await ReportPage.open(browser, report, { hash: knownSession });
    const job = page.locator('.job').first();
    expect(await job.locator('h2').innerText()).toBe('How many *zebras*?'); // as it was typed
    expect(await job.locator('.prose').innerText()).toContain('There are 42 of them.');
    expect(await job.locator('.step').count()).toBe(0);
    await job.locator('.steps > summary').click();
    await job.getByText('Load the figures').click();
    expect(await job.locator('.step .hljs-keyword').first().innerText()).toBe('SELECT');
    const image = job.locator('img');
    await image.scrollIntoViewIfNeeded();
    expect(await image.getAttribute('alt')).toBe('The drawn.png');
    await expect
      .poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth))
      .toBe(40);
    const sources = job.locator('.sources');
    expect(await sources.locator('li').innerText()).toMatch(/^stables.xlsx page 3\n/);
    expect(await sources.locator('blockquote').innerText()).toBe('Zebras:\n"42"');
    expect(await job.locator('.follow').innerText()).toContain('And how many gnus?');
    expect(await job.getByText('"title": "Count"').count()).toBe(1);
    const lost = page.locator('.job').nth(1).locator('.lost');
    expect(await lost.innerText()).toMatch(/TABLE not archived.*The lost\.csv.*missing/);
    expect(trouble).toEqual([]);
  });

  it('sorts the first rows of a table, and links to the file with all of them', async () => {
    const { page } = await ReportPage.open(browser, report, { hash: knownSession });
    const table = page.locator('figure.table').first();
    expect(await table.locator('figcaption').innerText()).toContain('first 100 of 150 rows');
    const first = () => table.locator('tbody tr').first().innerText();
    expect(await first()).toMatch(/^row 0\s/);
    const head = table.getByRole('button', { name: 'number' });
    await head.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await table.locator('th[aria-sort=descending]').innerText()).toContain('number');
    expect(await first()).toMatch(/\s149$/); // as numbers: as words, 99 would be first
    const address = await table.getByRole('link').getAttribute('href');
    const file = await readFile(join(report, address ?? ''), 'utf8');
    expect(file.split('\n')).toHaveLength(152);
  });

  it('has an address for every job, and says so where there is none', async () => {
    const hash = `${knownSession}/job/${jobs[1] ?? ''}`;
    const { page, address } = await ReportPage.open(browser, report, { hash });
    await page.locator('.job:focus', { hasText: '去年' }).waitFor();
    await page.goto(`${address}${knownSession}/job/none`);
    await page.getByText('There is no question none here.').waitFor();
  });

  it('keeps the reader’s choice between light and dark', async () => {
    const { page } = await ReportPage.open(browser, report);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
  });

  it('holds one user when told to', async () => {
    const words = ['report', 'archive', '--out', 'one', '--user', 'zoë'];
    expect(await rig.run(words)).toMatchObject({ exitCode: 3, stderr: '' });
    const opened = await ReportPage.open(browser, join(rig.directory, 'one'));
    const { page, trouble } = opened;
    await page.goto(`${opened.address}#/`);
    await page.locator('#people table').waitFor();
    expect(await page.locator('#people tbody tr').count()).toBe(1);
    expect(trouble).toEqual([]);
  });

  it('replaces an earlier report, and nothing else', { timeout: 90_000 }, async () => {
    const again = join(rig.directory, 'again');
    const make = (out: string) =>
      cli(['report', rig.out, '--user', 'zoë', '--out', join(rig.directory, out)]);
    const mark = () => readFile(join(again, 'data/jobvault-report.json'), 'utf8');
    expect((await make('again')).exitCode).toBe(3);
    const before = await mark();
    expect((await make('again')).exitCode).toBe(3);
    expect(await mark()).not.toBe(before);

    await writeFile(join(again, 'letter.txt'), 'Dear');
    expect(await make('again')).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await readdir(again)).sort()).toEqual(['data', 'index.html', 'letter.txt']);
    expect((await readdir(rig.directory)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each([
    [['--user', 'nobody'], 'has no user "nobody"'],
    [['--session', 'none'], 'has no session "none"'],
    [['--out', 'archive/report'], 'is inside the archive'],
    [['--out', 's3://bucket/report'], 'cannot hold a report; allowed is a directory'],
  ])('refuses %j', async (words, reason) => {
    const end = await cli([
      'report',
      rig.out,
      ...words.map((word) => word.replace(/^archive\b/, rig.out)),
    ]);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(reason);
  });

  it('says which data file is damaged, and reads it again once it is whole', async () => {
    const { page, address } = await ReportPage.open(browser, report);
    const folder = join(report, 'data/s');
    const names = (await readdir(folder)).filter((name) => /^\d+\.js$/.test(name));
    const whole = await Promise.all(names.map((name) => readFile(join(folder, name))));
    for (const [at, name] of names.entries()) {
      await writeFile(join(folder, name), whole[at]?.subarray(0, -4) ?? '');
    }
    await page.goto(address + knownSession);
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
    await page.goto(address + knownSession);
    await page.locator('.job').nth(1).waitFor();
  });
});
