import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { openBrowser, ReportPage } from '../support/browser.js';
import { cli } from '../support/cli-in-process.js';
import { CliRig } from '../support/cli-rig.js';
import { png } from '../support/tiny-image.js';

const WHEN = Date.UTC(2026, 2, 5, 12);

/** Two users' seeded sessions, and a user of whom every kind of block and of loss is known. */
async function startRig(): Promise<{ rig: CliRig; jobs: string[] }> {
  const rig = await CliRig.start({ users: 2, sessions: 3, jobs: 4 });
  const file = (key: string) => ({
    name: `The ${key}`,
    url: `{{url:${key}}}`,
    expires_at: '{{expires_at}}',
  });
  const block = (type: string, content: unknown, more: object = {}) => ({
    type,
    content,
    stage: 'Respond',
    group_id: '-1',
    ...more,
  });
  const jobs = [0, 1].map((hours) => rig.state.newJobId(WHEN + hours * 3_600_000));
  const step = { stage: 'Analyze', group_id: 'g1', group_name: 'Load the figures' };
  const rows = Array.from({ length: 150 }, (_one, index) => `row ${index},${(index * 37) % 151}`);
  rig.state.importJson(
    JSON.stringify({
      users: [
        {
          user_id: 'zoë',
          sessions: [
            {
              id: 'known',
              name: 'Known figures',
              output_language: 'EN',
              job_mode: 'AUTO',
              jobs: [
                {
                  job_id: jobs[0],
                  question: { blocks: [{ type: 'MESSAGE', content: 'How many *zebras*?' }] },
                  answer: {
                    blocks: [
                      block('CODE', '```sql\nSELECT count(*) FROM zebras\n```', step),
                      block('TABLE', file('long.csv'), step),
                      block('MESSAGE', '## Zebras\n\nThere are **42** of them.'),
                      block('TABLE', file('long.csv')),
                      block('IMAGE', file('drawn.png')),
                      block('SOURCES', [{ source: 'stables.xlsx', dataset_id: 'd1' }]),
                      block('QUESTIONS', ['And how many gnus?']),
                      block('TASK', { title: 'Count', done: true }),
                    ],
                  },
                },
                {
                  job_id: jobs[1],
                  question: { blocks: [{ type: 'MESSAGE', content: '去年的销售额是多少？' }] },
                  answer: {
                    blocks: [
                      block('TABLE', file('lost.csv')),
                      block('MESSAGE', '销售额为 1,234。'),
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
      files: {
        'long.csv': { text: `name,number\n${rows.join('\n')}\n` },
        'drawn.png': { base64: png({ width: 40, height: 30 }).toString('base64') },
      },
    }),
  );
  return { rig, jobs };
}

describe.skipIf(!chromium)('jobvault report', () => {
  let rig: CliRig;
  let jobs: string[];
  let browser: Browser;
  let report: string;

  beforeAll(async () => {
    ({ rig, jobs } = await startRig());
    await rig.export({ exitCode: 3 }); // one table is not to be had
    const end = await rig.run(['report', 'archive', '--json']);
    expect(end.exitCode).toBe(3);
    expect(JSON.parse(end.stdout)).toMatchObject({
      status: 'gaps',
      users: 3,
      gaps: 1,
      commit: 1,
      out: 'archive-report',
    });
    report = `${rig.out}-report`;
    browser = await openBrowser(chromium);
  });
  afterAll(async () => {
    await browser.close();
    await rig[Symbol.asyncDispose]();
  });

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
    for (const hash of ['#/gaps', `#/user/${encodeURIComponent('zoë')}`, '#/search/zebras']) {
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

  it('counts on its first page what the archive holds, with a table beside every picture', async () => {
    const { page, trouble } = await ReportPage.open(browser, report);
    expect(await page.locator('.tile').allInnerTexts()).toContainEqual(
      expect.stringMatching(/^Gaps\s+1\s/),
    );
    const [{ jobs: archived }] = (await rig.select('jobs', 'count(*)::INTEGER AS jobs')) as [
      { jobs: number },
    ];
    const card = page.locator('.card', { hasText: 'Jobs by user' });
    await card.locator('summary').click();
    const counts = async () => {
      const cells = await card.locator('tbody td').allInnerTexts();
      return cells.map(Number).reduce((sum, one) => sum + one, 0);
    };
    await expect.poll(counts).toBe(archived); // the page may not have unfolded it yet
    expect(await page.locator('svg.chart').count()).toBeGreaterThanOrEqual(8);
    await page.getByRole('link', { name: 'see what is missing' }).click();
    const missing = () => page.locator('#view tbody tr').allInnerTexts();
    await expect.poll(missing).toEqual([expect.stringContaining('missing')]);
    expect(trouble).toEqual([]);
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
    expect(await job.locator('.sources').innerText()).toContain('stables.xlsx');
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

  it.each([
    ['zebr many', 'How many *zebras*?'],
    ['销售额', '去年的销售额是多少？'],
    ['row 37', 'How many *zebras*?'],
  ])('finds %s', async (query, question) => {
    const { page, trouble } = await ReportPage.open(browser, report);
    await page.keyboard.press('/');
    await page.keyboard.type(query);
    await page.keyboard.press('Enter');
    const hit = page.locator('.hits li', { hasText: question });
    await hit.locator('a').click();
    await page.locator('.job:focus', { hasText: question }).waitFor();
    await page.goBack();
    await hit.waitFor();
    expect(trouble).toEqual([]);
  });

  it('has an address for every job, and says so where there is none', async () => {
    const hash = `${knownSession}/job/${jobs[1] ?? ''}`;
    const { page, address } = await ReportPage.open(browser, report, { hash });
    await page.locator('.job:focus', { hasText: '去年' }).waitFor();
    await page.goto(`${address}${knownSession}/job/none`);
    await page.getByText('There is no job none here.').waitFor();
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

  it('prints a conversation whole: everything unfolded, nothing of the frame', async () => {
    const { page } = await ReportPage.open(browser, report, { hash: knownSession });
    await page.locator('.job').first().waitFor();
    await page.evaluate(() => (window.print = () => (document.title = 'printed')));
    await page.getByRole('button', { name: 'Print' }).click();
    await page.waitForFunction(() => document.title === 'printed');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.step pre').first().isVisible()).toBe(true);
    for (const hidden of ['.bar', '.outline']) {
      expect(await page.locator(hidden).isVisible()).toBe(false);
    }
  });

  it('links to the archive beside it when told to, and holds one user when told to', async () => {
    const words = ['report', 'archive', '--out', 'linked', '--artifacts', 'link', '--user', 'zoë'];
    expect(await rig.run(words)).toMatchObject({ exitCode: 3, stderr: '' });
    const linked = join(rig.directory, 'linked');
    await expect(access(join(linked, 'data/files'))).rejects.toThrow();
    const { page, trouble } = await ReportPage.open(browser, linked, { hash: knownSession });
    const image = page.locator('.job img').first();
    await image.scrollIntoViewIfNeeded();
    expect(await image.getAttribute('src')).toMatch(/^\.\.\/archive\/artifacts\//);
    await expect
      .poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth))
      .toBe(40);
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
    [['--out', 'archive/report'], 'lies inside the archive'],
    [['--out', 's3://bucket/report'], 'is no place for a report; allowed is a directory'],
    [['--artifacts', 'move'], 'allowed is copy, link'],
  ])('refuses %j', async (words, reason) => {
    const end = await cli([
      'report',
      rig.out,
      ...words.map((word) => word.replace(/^archive\b/, rig.out)),
    ]);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(reason);
  });
});
