/** The page of an evidence pack in a browser, and on paper. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, pdfToText } from '../services/programs.js';
import { cli } from '../support/programs/cli-in-process.js';
import { handOver } from '../support/rigs/evidence-rig.js';
import { SearchRig } from '../support/rigs/search-rig.js';
import { ReportPage } from '../support/programs/browser.js';
import { ReportRig } from '../support/rigs/report-rig.js';

describe.skipIf(!chromium)('the page of an evidence pack', () => {
  let on: ReportRig;
  let pack: string;
  beforeAll(async () => {
    on = await ReportRig.start();
    pack = join(on.rig.directory, 'pack');
    const words = ['evidence', 'archive', '--out', pack, '--match', 'zebras OR figures'];
    expect((await on.rig.run(words)).exitCode).toBe(3);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  const open = () => ReportPage.open(on.browser, join(pack, 'data'), {});

  it('shows the conversations with the files of the pack, and why each question is in it', async () => {
    const { page, trouble } = await open();
    await page.locator('#latest').getByText('Known figures').click();
    const marks = page.locator('#view .job .about .mark');
    await marks.first().waitFor();
    expect(await marks.allInnerTexts()).toEqual([
      'found in the question, the answer, code, the name of the conversation',
      'found in the name of the conversation',
    ]);
    const image = page.locator('#view .conversation figure.image img').first();
    expect(await image.getAttribute('src')).toMatch(/^artifacts\/[0-9a-f]{64}\.png$/);
    await expect
      .poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth))
      .toBeGreaterThan(0);
    expect(
      await page.locator('#view').getByRole('link', { name: 'As a text' }).getAttribute('href'),
    ).toMatch(/^transcripts\/.*\.txt$/);
    expect(trouble).toEqual([]);
  });

  it('opens the steps with the words, on screen and paper, and says where no mark can be shown', async () => {
    await using people = await SearchRig.start();
    const rows = Array.from(
      { length: 150 },
      (_one, row) => `${row},${row === 140 ? 'ocelot' : ''}\n`,
    );
    people.talk('ada', 's-1', 'Cats', [
      { question: 'one', step: 'The ocelot is counted first.' },
      {
        question: 'two',
        step: 'Nothing of it.',
        table: 'cats.csv',
        csv: `n,cat\n${rows.join('')}`,
      },
      { question: 'three', answer: 'It is [here](https://cats.example/ocelot).' },
      { question: 'four', code: 'SELECT ocelot', step: 'Nothing of it.' },
    ]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'ocelot');
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#paper .job').last().waitFor({ state: 'attached' });
    await page.locator('#latest').getByText('Cats').click();
    await page.locator('#view .job').last().waitFor();
    for (const place of ['#view', '#paper']) {
      const jobs = page.locator(`${place} .job`);
      const told = await jobs.evaluateAll((shown) =>
        shown.map((job) => [
          [...job.querySelectorAll('.about .mark')].map(({ textContent }) => textContent).at(-1),
          [...job.querySelectorAll('mark')].filter((mark) => mark.closest('details:not([open])'))
            .length,
          job.querySelectorAll('mark').length,
          job.querySelectorAll('details[open]').length,
        ]),
      );
      expect(told).toEqual([
        ['found in the answer', 0, 1, 2],
        ['found in a table (beyond the rows shown, or what is shown of them)', 0, 0, 0],
        ['found in the answer (not in what is shown of it, as in the address of a link)', 0, 0, 0],
        ['found in code', 0, 1, 2],
      ]);
    }
  });

  it('has on paper the first rows of tables in steps, and names the file with all of them', async () => {
    await using people = await SearchRig.start();
    const rows = Array.from({ length: 60 }, (_one, row) => `${row}\n`);
    people.talk('ada', 's-1', 'Cats', [
      { code: 'SELECT ocelot', stepTable: 'raw.csv', csv: `n\n${rows.join('')}` },
    ]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'ocelot');
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#paper .job').last().waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    const seen = await page
      .locator('#paper .steps figure.table tbody tr')
      .evaluateAll((all) => all.filter((row) => getComputedStyle(row).display !== 'none').length);
    expect(seen).toBe(20);
    expect(await page.locator('#paper .steps .rest').innerText()).toMatch(
      /^On paper 20 rows, and those with words of the search; all are in artifacts\/[0-9a-f]{64}\.csv$/,
    );
  });

  it('has on paper once what a step and the answer both show', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'Cats', [
      { code: 'SELECT ocelot', stepTable: 'raw.csv', table: 'cats.csv', csv: 'n\n1\n2\n' },
    ]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'ocelot');
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#paper .job').last().waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    const seen = (place: string) =>
      page
        .locator(`#paper ${place}`)
        .evaluateAll((all) =>
          all
            .filter((one) => one instanceof HTMLElement && one.offsetHeight > 0)
            .map(({ textContent }) => textContent),
        );
    expect(await seen('.steps figure figcaption')).toEqual(['raw.csv 2 rows']);
    expect(await seen('.steps figure :is(td, .note)')).toEqual([
      'On paper it stands in the answer below.',
    ]);
    expect(await seen('.answer > figure td')).toEqual(['1', '2']);
  });

  it('counts two spellings of a user as one below every sheet, as the first page does', async () => {
    await using people = await SearchRig.start();
    const [job = ''] = people.talk('ana', 's-1', 'Shared', [{ question: 'Which?' }]);
    people.talk('Ana', 's-1', 'Shared', [{ id: job, question: 'Which?' }]);
    await people.rig.export({ users: ['ana', 'Ana', 'nobody'] });
    const made = await handOver(people.rig);
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#paper .job').last().waitFor({ state: 'attached' });
    expect(await page.locator('.tiles').innerText()).toMatch(/^Users\s+1\s/);
    expect(await page.locator('#subject').innerText()).toBe('1 user');
  });

  it('says of jobs that were left out that they are no gaps, and links to none of them', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'قطط وكلاب في المدينة', [
      { question: 'one falcon' },
      { question: 'two falcons', id: 'timeless' },
    ]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'falcon OR falcons', '--to', '2026-01-10');
    const place = join(made.pack.directory, 'data');
    const { page } = await ReportPage.open(on.browser, place, { hash: '#/gaps' });
    expect(await page.locator('h1').last().innerText()).toMatch(/^1 question left out/);
    expect(await page.locator('#view .note').first().innerText()).toBe(
      'Not complete: 1 question whose date is unknown was left out. Left out is what the archive has, and of which no dated question beside it tells whether it was asked within the period.',
    );
    const cells = page.locator('#view tbody td');
    expect(await cells.last().innerText()).toBe(
      'whoever makes this decides whether it is taken in, or may be left out',
    );
    expect(await page.locator('#view tbody a[href*="timeless"]').count()).toBe(0);
  });

  it('calls a lost table lost on screen, on paper and among the gaps, whole on a phone', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'Cats', [
      { question: 'one', table: 'cats.csv', csv: 'n\n1\n' },
      { question: 'two', table: 'never.csv', csv: null },
    ]);
    people.talk('ben', 's-2', 'Dogs', [{ question: 'three', table: 'dogs.csv', csv: 'n\n2\n' }]);
    await people.rig.export();
    const sql = "SELECT path FROM current_artifacts WHERE status = 'stored'";
    const { stdout } = await cli(['query', people.rig.out, sql, '--output', 'json']);
    const paths = (JSON.parse(stdout) as { path: string }[]).map(({ path }) => path);
    for (const path of paths) await rm(join(people.rig.out, path));
    const placeOf = async (...words: string[]) => {
      const made = await handOver(people.rig, '--allow-lost-files', ...words);
      expect(made.exitCode).toBe(3);
      return join(made.pack.directory, 'data');
    };
    const place = await placeOf('--user', 'ada');
    const { page, trouble } = await ReportPage.open(on.browser, place, {});
    const tile = page.locator('.tile', { hasText: 'Tables and images' });
    expect(await tile.locator('span').textContent()).toBe(
      'each once; 2 places in answers have none (1 lost)',
    );
    await page.locator('#latest').getByText('Cats').click();
    await page.locator('#paper .job').last().waitFor({ state: 'attached' });
    for (const where of ['#view .job', '#paper .job']) {
      const told = page.locator(`${where} p.lost`);
      await told.last().waitFor({ state: 'attached' });
      const [lost = '', never = ''] = await told.allTextContents();
      expect(lost).toMatch(
        /^TABLE lost “cats\.csv”: it was archived, and is lost: in the archive, artifacts\/\S+\.csv is missing\.$/,
      );
      expect(never).toMatch(/^TABLE not archived “never\.csv” is missing: /);
    }
    const LOST = 'Lost is what was archived, and is missing or damaged in the archive now.';
    for (const width of [390, 1280]) {
      const gaps = await ReportPage.open(on.browser, place, { width, hash: '#/gaps' });
      expect(await gaps.page.locator('#view .note').first().innerText()).toBe(
        `Not complete: 1 file is lost; 1 gap. A gap is what the archive could not get. ${LOST}`,
      );
      const [shown, whole] = await gaps.page
        .locator('#view .wide')
        .evaluate((table) => [table.clientWidth, table.scrollWidth] as const);
      expect([width, whole]).toEqual([width, shown]);
    }
    const ofBen = await ReportPage.open(on.browser, await placeOf('--user', 'ben'), {
      hash: '#/gaps',
    });
    expect(await ofBen.page.locator('#view h1').innerText()).toBe('1 lost file');
    expect(await ofBen.page.locator('#view .note').first().innerText()).toBe(
      `Not complete: 1 file is lost. ${LOST}`,
    );
    expect(trouble).toEqual([]);
  });

  it('says where words stand in a table that is lost, and not that they are beyond what is shown', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'Cats', [
      { question: 'one', stepTable: 'lost.csv', csv: 'n\nocelot\n' },
    ]);
    await people.rig.export();
    const sql = 'SELECT path FROM current_artifacts';
    const { stdout } = await cli(['query', people.rig.out, sql, '--output', 'json']);
    for (const { path } of JSON.parse(stdout) as { path: string }[]) {
      await rm(join(people.rig.out, path));
    }
    const made = await handOver(people.rig, '--match', 'ocelot', '--allow-lost-files');
    const place = join(made.pack.directory, 'data');
    const { page } = await ReportPage.open(on.browser, place, {});
    await page.locator('#latest').getByText('Cats').click();
    const marks = page.locator('#view .job .about .mark');
    await marks.first().waitFor();
    expect(await marks.last().innerText()).toBe('found in a table (in one that is lost)');
    expect(await page.locator('#view .steps p.lost').isVisible()).toBe(true);
  });

  it('shows the place of a table of a step that was never archived at its question', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'Cats', [{ question: 'one', stepTable: 'lost.csv', csv: null }]);
    await people.rig.export();
    const made = await handOver(people.rig, '--session', 's-1');
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#latest').getByText('Cats').click();
    const place = page.locator('#view .steps p.lost');
    await place.waitFor();
    expect(await place.isVisible()).toBe(true);
    expect(await page.locator('#paper .steps[open] .step[open] p.lost').count()).toBe(1);
  });

  it('has its button beside a title from right to left, and not on it', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-1', 'قطط وكلاب في المدينة '.repeat(12), [{ question: 'falcon' }]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'falcon');
    const { page } = await ReportPage.open(on.browser, join(made.pack.directory, 'data'), {});
    await page.locator('#latest a', { hasText: 'قطط' }).click();
    const button = await page.locator('#view .head > .plain').boundingBox();
    const lines = await page.locator('#view .head h1').evaluate((title) => {
      const range = document.createRange();
      range.selectNodeContents(title);
      return Math.max(...[...range.getClientRects()].map(({ right }) => right));
    });
    expect(lines).toBeLessThanOrEqual(button?.x ?? 0);
  });

  it("a phone breaks no user's name and no day within a word, and says how many jobs of how many", async () => {
    await using people = await SearchRig.start();
    people.talk('mei.tanaka', 's-1', 'Umsatz nach Monat, 2025', [
      ...[{ question: 'a falcon' }, { question: 'the weather' }],
      { question: 'which falcon?', id: 'timeless' },
    ]);
    people.talk('jonas.weber@example.com', 's-2', 'Website visits', [{ question: 'falcon' }]);
    await people.rig.export();
    const made = await handOver(people.rig, '--match', 'falcon');
    const place = join(made.pack.directory, 'data');
    const { page } = await ReportPage.open(on.browser, place, { width: 390 });
    const texts = page.locator('#latest tbody .name + .name a, #latest tbody .time');
    const broken = await texts.evaluateAll((shown) =>
      shown.flatMap((element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found: string[] = [];
        while (walker.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(walker.currentNode);
          if (range.getClientRects().length > 1) found.push(range.toString());
        }
        return found;
      }),
    );
    expect([await texts.count(), broken]).toEqual([4, []]);
    const second = page.locator('#latest tbody tr').filter({ hasText: 'Umsatz' });
    expect(await second.locator('.name').first().innerText()).toMatch(
      /^Umsatz nach Monat, 2025\s+2 of 3 questions$/,
    );
  });

  it('marks in a report the questions of which nothing tells whether they belong to the period', async () => {
    const period = ['--from', '2026-03-08', '--undated', 'include', '--session', 'formulas'];
    const out = join(on.rig.directory, 'undated');
    expect((await on.rig.run(['report', 'archive', '--out', out, ...period])).exitCode).toBe(0);
    const { page } = await ReportPage.open(on.browser, out, {});
    await page.locator('#latest a', { hasText: 'HYPERLINK' }).click();
    const marks = page.locator('#view .job .about .mark');
    await marks.first().waitFor();
    expect(await marks.allInnerTexts()).toEqual([
      'may lie outside of the period',
      'may still change',
    ]);
  });

  it.skipIf(!pdfToText)(
    'prints every conversation on a sheet of its own, with the code in which words were found',
    async () => {
      const { page } = await open();
      await page.locator('#paper > .session').last().waitFor({ state: 'attached' });
      const sessions = await page.locator('#paper > .session').count();
      const file = join(on.rig.directory, 'pack.pdf');
      await page.pdf({ format: 'A4', path: file });
      const { stdout } = await promisify(execFile)(pdfToText ?? '', ['-layout', file, '-']);
      const sheets = stdout.split('\f').slice(0, -1);
      expect(sheets[0]).toContain('README.txt');
      const heads = sheets.filter((sheet) =>
        /^\s*(\d+ ?\/ ?\d+\s+)?User [^·\n]*\n[^·]*\n\s*Questions/.test(sheet),
      );
      expect(heads).toHaveLength(sessions);
      expect(stdout).toContain('How the answer was reached');
      expect(stdout).toContain('SELECT count(*) FROM zebras');
    },
  );

  it.skipIf(!pdfToText)(
    'prints no steps where no words were found in them, and few sheets',
    async () => {
      const plain = join(on.rig.directory, 'plain-pack');
      const words = ['evidence', 'archive', '--out', plain, '--session', 'known'];
      expect((await on.rig.run(words)).exitCode).toBe(3);
      const { page } = await ReportPage.open(on.browser, join(plain, 'data'), {});
      await page.locator('#paper > .session').waitFor({ state: 'attached' });
      const file = join(on.rig.directory, 'plain.pdf');
      await page.pdf({ format: 'A4', path: file });
      const { stdout } = await promisify(execFile)(pdfToText ?? '', ['-layout', file, '-']);
      expect(stdout).toContain('How the answer was reached: 1 step');
      expect(stdout).not.toContain('SELECT count(*)');
      // a hundred rows of a table, two questions, and the pack's own page
      expect(stdout.split('\f').length - 1).toBeLessThanOrEqual(8);
    },
  );
});
