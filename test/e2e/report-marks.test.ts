/** What was looked for is marked in the page of a pack and of a report, on screen and on paper, and never becomes HTML. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { cli } from '../support/programs/cli-in-process.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { handOver } from '../support/rigs/evidence-rig.js';
import { SearchRig } from '../support/rigs/search-rig.js';

const HTML = '<img src=x onerror=alert(1)>';
/** Of the same as a phrase: what stands around its words is nothing. */
const WORDS = 'img src=x onerror=alert(1';

describe.skipIf(!chromium)('the words of a search', () => {
  let people: SearchRig;
  let browser: ReportBrowser;
  beforeAll(async () => {
    people = await SearchRig.start();
    people.talk('ada', 's-birds', 'Falcons of prey', [
      {
        question: `Where is the falcon? ${HTML}`,
        answer: `The **Fal**con, the falconer and the peregrine ${HTML}\n\n- one *falcon*\n\nNo fal con.`,
        code: '```sql\nSELECT falcon FROM birds\n```',
        table: 'falcons.csv',
        csv: `bird,falcon ${HTML}\nfalcon,1\nhawk,2\n`,
        followUp: 'Another falcon?',
        cited: 'Fálcon, they say.',
      },
      { question: 'And the hawk?', answer: 'Elsewhere.' },
    ]);
    await people.rig.export();
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  /** The one session, in the page of a pack. */
  const opened = async (words: readonly string[]) => {
    const { pack } = await handOver(people.rig, ...words);
    const on = await ReportPage.open(browser, join(pack.directory, 'data'), {
      hash: '#/user/ada/session/s-birds',
    });
    await on.page.locator('#view .job').first().waitFor();
    return on;
  };
  const marksIn = (page: Page, place: string) => page.locator(`${place} mark`).allTextContents();
  const elementsInMarks = (page: Page) => page.locator('mark *, img[src="x"]').count();

  it('are marked wherever they were looked for, as they are written there, and stay texts', async () => {
    const { page, trouble } = await opened(['--match', `falcon OR "${HTML}"`]);
    expect(await marksIn(page, '#view h1')).toEqual(['Falcon']);
    expect(await marksIn(page, '#view .question')).toEqual(['falcon', WORDS]);
    expect(await marksIn(page, '#view .prose')).toEqual(['Fal', 'con', 'falcon', WORDS, 'falcon']);
    expect(await marksIn(page, '#view .code')).toEqual(['falcon']);
    expect(await marksIn(page, '#view figure.table figcaption')).toEqual(['falcon']);
    expect(await marksIn(page, '#view figure.table th')).toEqual(['falcon', WORDS]);
    expect(await marksIn(page, '#view figure.table td')).toEqual(['falcon']);
    expect(await marksIn(page, '#view .follow')).toEqual(['falcon']);
    expect(await marksIn(page, '#view .sources')).toEqual(['Fálcon']);
    await page.locator('#view figure.table th button').first().click();
    expect(await marksIn(page, '#view figure.table td')).toEqual(['falcon']);
    expect([await elementsInMarks(page), trouble]).toEqual([0, []]);
  });

  it('are marked only where --in says that they were looked for', async () => {
    const { page } = await opened(['--match', 'falcon', '--in', 'question,file']);
    expect(await marksIn(page, '#view .question')).toEqual(['falcon']);
    expect(await marksIn(page, '#view figure.table figcaption')).toEqual(['falcon']);
    expect(await marksIn(page, '#view')).toHaveLength(2);
  });

  it('are marked on paper, too, where no background and no colour may be printed', async () => {
    const { page } = await opened(['--match', 'falcon']);
    const [onScreen, onPaper] = [await marksIn(page, '#view'), await marksIn(page, '#paper')];
    expect(onPaper).toEqual(onScreen);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const style = await page
      .locator('#paper mark')
      .first()
      .evaluate((mark) => {
        const { backgroundColor, color, fontWeight, textDecorationLine } = getComputedStyle(mark);
        return { backgroundColor, color, fontWeight, textDecorationLine };
      });
    expect(style).toEqual({
      backgroundColor: 'rgb(255, 233, 168)',
      color: 'rgb(0, 0, 0)',
      fontWeight: '700',
      textDecorationLine: 'underline',
    });
  });

  it('are marked in a report of a search, and nothing in one of everything', async () => {
    const out = join(people.rig.directory, 'report');
    for (const [words, marks] of [
      [['--match', 'hawk'], ['hawk']],
      [[], []],
    ] as const) {
      expect((await cli(['report', people.rig.out, '--out', out, ...words])).exitCode).toBe(0);
      const hash = '#/user/ada/session/s-birds';
      const { page } = await ReportPage.open(browser, out, { hash });
      await page.locator('#view .job', { hasText: 'And the hawk?' }).waitFor();
      expect(await marksIn(page, '#view .question')).toEqual(marks);
    }
  });
});
