/** What people see of texts is what was sent: formulas, bold beside Han, directions, in a browser, in a workbook and in a terminal. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/base/repository-files.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { chromium } from '../services/programs.js';

const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** By history: its archive, which tests only read. */
const archives = new Map<string, Promise<CliRig>>();
let rig: CliRig;
afterAll(async () => {
  for (const made of archives.values()) await (await made)[Symbol.asyncDispose]();
});

async function archive(history: string): Promise<void> {
  const made = archives.get(history) ?? exported(history);
  archives.set(history, made);
  rig = await made;
}

async function exported(history: string): Promise<CliRig> {
  const json = await readFile(join(ROOT, 'test/support/histories', `${history}.json`), 'utf8');
  const made = await CliRig.start({ users: 0 });
  made.state.importJson(json);
  await made.export();
  return made;
}

async function run(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await rig.run(words);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

/** Of the archive, by the command that makes it: once. */
async function outputOf(command: 'evidence' | 'report'): Promise<string> {
  const place = join(rig.directory, command);
  if (!existsSync(place)) await run(command, rig.out, '--out', place);
  return place;
}

/** The texts of all cells of the sheets that are read as conversations. */
async function workbookCells(): Promise<Map<string, unknown[][]>> {
  const file = join(rig.directory, 'all.xlsx');
  const [user = ''] = rig.state.userIds();
  await run('workbook', rig.out, '--user', user, '--out', file);
  const { sheets } = await readXlsx(await readFile(file));
  return new Map(sheets.map(({ name, rows }) => [name, rows]));
}

describe('a workbook', () => {
  it('has cells of answers as numbers only where they read as they were sent', async () => {
    await archive('answer-tables');
    const sheets = await workbookCells();
    const cells = new Set((sheets.get('Answer tables') ?? []).flat());
    const texts = ['3.10', '1.10', '+4930123456', '1.50', '12.00', '0.10', '1000000.00'];
    for (const text of [...texts, '01067', '1E5', '1/2', '- collect\n- clean\n- load']) {
      expect(cells).toContain(text);
    }
    for (const number of [4006381333931, 5901234123457, 123456789012345, 2026, 987654321098765]) {
      expect(cells).toContain(number);
    }
    const conversations = JSON.stringify(sheets.get('Conversations'));
    expect(conversations).toContain(
      'The price is ~~12 EUR~~ 15 EUR. Formula: 5! = 5*4*3*2*1 and price*qty*1.19.',
    );
    expect(conversations).toContain('CO<sub>2</sub> and m<sup>2</sup>');
  });

  it('has formulas, struck prices and numbers of lists as they were sent', async () => {
    await archive('formulas');
    expect(JSON.stringify((await workbookCells()).get('Conversations'))).toContain(
      JSON.stringify('\\boldsymbol{\\phi}_{P,r}\n=\n\\begin{bmatrix}- z_a\\,\\theta_r').slice(
        1,
        -1,
      ),
    );
    await archive('emphasis-beside-han');
    const answers = JSON.stringify((await workbookCells()).get('Conversations'));
    expect(answers).toContain('Old price ~~12 EUR~~ now 15 EUR. 5! = 5*4*3*2*1.');
    expect(answers).toContain('10. ten');
  });

  it('shows what would turn a text, and ids with what cannot be seen, as a terminal does', async () => {
    await archive('directions');
    const sheets = JSON.stringify([...(await workbookCells())]);
    expect(sheets).not.toMatch(TURNING);
    expect(sheets).toContain(String.raw`Report \\u202egpj.exe`);
    expect(sheets).toContain(String.raw`ada\\u200b`);
    expect(sheets).toContain('👩‍💻');
    const shown = await run('show', rig.out, '0e0f00000001-sess');
    expect(shown).not.toMatch(TURNING);
    expect(shown).toContain(String.raw`user ada\u200b`);
    expect(shown).toContain('👩‍💻');
  });
});

describe.skipIf(!chromium)('a page', () => {
  let browser: ReportBrowser;
  beforeAll(async () => {
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  /** The one session, in the report and in a pack. */
  async function* pages(): AsyncGenerator<Page> {
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    const hash = `#/user/${encodeURIComponent(user)}/session/${session}`;
    const places = [await outputOf('report'), join(await outputOf('evidence'), 'data')];
    for (const directory of places) {
      const { page, trouble } = await ReportPage.open(browser, directory, { hash });
      await page.locator('#view .job').first().waitFor();
      yield page;
      expect(trouble).toEqual([]);
    }
  }

  it('shows formulas with every sign, and makes no heading of them', async () => {
    await archive('formulas');
    for await (const page of pages()) {
      const prose = page.locator('#view .prose');
      const text = await prose.innerText();
      for (const formula of [
        String.raw`\(NPV = \sum_{t=1}^{n} \frac{C_t}{(1+r)^t}\)`,
        '\\[\nA = \\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}\n\\]',
        '$a_1 * b_2 + a_2 * b_1$',
        String.raw`set \{x_1, x_2\}`,
        '$$\n\\boldsymbol{\\phi}_{P,r}\n=\n\\begin{bmatrix}- z_a\\,\\theta_r\\end{bmatrix}\n$$',
      ]) {
        expect(text).toContain(formula);
      }
      expect(await prose.locator('h1, h2, h3, h4, h5, h6, ul, em, sub').count()).toBe(0);
    }
  });

  it('has beside every text the characters that were sent', async () => {
    await archive('formulas');
    for await (const page of pages()) {
      const blocks = page.locator('#view .job .sent');
      expect(await blocks.count()).toBe(2);
      await blocks.last().locator('summary').click();
      const text = await blocks.last().locator('pre').textContent();
      expect(text).toContain('The value is \\(NPV = \\sum');
      expect(text?.endsWith('\\end{bmatrix}\n$$')).toBe(true);
    }
  });

  it('is bold where the stars say, breaks lines at <br> and hides no cell', async () => {
    await archive('emphasis-beside-han');
    for await (const page of pages()) {
      await page.locator('#view .job').nth(3).waitFor();
      const text = await page.locator('#view .conversation').innerText();
      for (const part of [
        '[^note]: Internal ledger, page 3.',
        '5! = 5*4*3*2*1. Use price*qty*1.19 and snake_case_name and __init__.',
        String.raw`C:\new\_folder\*.csv and \d+\.\d* and 100% $5`,
        'a|b',
        'c | d',
        '#NoSpaceHeading',
      ]) {
        expect(text).toContain(part);
      }
      expect(await page.locator('#view .prose strong').allTextContents()).toEqual([
        'bold',
        '15 EUR',
      ]);
      expect(await page.locator('#view .prose td br').count()).toBe(2);
      expect(await page.locator('#view .prose sub').allTextContents()).toEqual(['2']);
      const numbers = await page
        .locator('#view .prose ol > li')
        .evaluateAll((items) => items.map((item) => (item as HTMLLIElement).value));
      expect(numbers).toEqual([1, 2, 10]);
    }
  });

  it('gives every paragraph its own direction, and code that of code', async () => {
    await archive('directions');
    for await (const page of pages()) {
      const directions = (selector: string): Promise<string[]> =>
        page
          .locator(`#view ${selector}`)
          .evaluateAll((all) => all.map((element) => getComputedStyle(element).direction));
      expect(await directions('.prose > p')).toEqual(['rtl', 'ltr', 'ltr']);
      expect(await directions('.prose :is(ul, li)')).toEqual(['rtl', 'rtl', 'ltr']);
      expect(await directions('.prose table')).toEqual(['rtl']);
      expect(await directions('.prose p code')).toEqual(['ltr']);
      expect(await directions('.question h2')).toEqual(['rtl']);
      await page.locator('#view .steps > summary').click();
      await page.locator('#view .step > summary').click();
      await page.locator('#view .step pre').waitFor();
      expect(await directions('.step pre')).toEqual(['ltr']);
    }
  });

  it('shows what would turn a text, and as sent has it to be copied, where it turns nothing', async () => {
    await archive('directions');
    for await (const page of pages()) {
      const view = page.locator('#view');
      expect(await view.innerText()).not.toMatch(TURNING);
      expect(await view.locator('h1').textContent()).toBe(String.raw`Report \u202egpj.exe`);
      expect(await view.locator('.crumbs').textContent()).toContain(String.raw`ada\u200b`);
      expect(await page.locator('#subject').textContent()).toContain(String.raw`ada\u200b`);
      expect(await view.locator('.prose').textContent()).toContain('👩‍💻');
      const question = view.locator('.question .sent');
      await question.locator('summary').click();
      expect(await question.locator('pre').textContent()).toBe(
        'ما هي المبيعات؟\nHow much in \u202edetrevni\u202c?',
      );
      expect(await question.locator('.turning').count()).toBe(2);
    }
  });

  it('has in the transcript of a pack the escapes of what would turn a text', async () => {
    await archive('directions');
    const pack = await outputOf('evidence');
    const [transcript = ''] = await readdir(join(pack, 'data/transcripts'));
    const text = await readFile(join(pack, 'data/transcripts', transcript), 'utf8');
    expect(text).not.toMatch(TURNING);
    expect(text).toContain(String.raw`Report \u202egpj.exe`);
    expect(text).toContain(String.raw`user ada\u200b`);
  });
});
