/** The page of a pseudonymised copy says what is not in it, and of a search what it could not look at. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { cli } from '../support/programs/cli-in-process.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { SearchRig } from '../support/rigs/search-rig.js';

describe.skipIf(!chromium)('the page of a pseudonymised copy', () => {
  let people: SearchRig;
  let browser: ReportBrowser;
  beforeAll(async () => {
    people = await SearchRig.start();
    const [cited, followUp] = ['a passage', 'And the eagle?'];
    people.talk('ada', 's1', 'Birds', [
      { question: 'Where is the falcon?', table: 'nests', cited, followUp },
      { question: 'When?', id: 'x-1' },
      { question: 'And then?' },
    ]);
    await people.rig.export();
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  const opened = (hash: string, ...more: string[]) => openedOf(people, hash, ...more);

  const openedOf = async ({ rig }: SearchRig, hash: string, ...more: string[]) => {
    const { out, directory } = rig;
    const [key, copy] = [join(directory, 'key'), join(directory, `copy${more.join('')}`)];
    const report = `${copy}-page`;
    if (existsSync(report)) return ReportPage.open(browser, report, { hash });
    await writeFile(key, 'k'.repeat(40));
    const made = await cli(['copy', out, copy, '--pseudonymise', key, ...more]);
    expect(made.exitCode, made.stderr).toBe(0);
    await cli(['report', copy, '--out', report]);
    return ReportPage.open(browser, report, { hash });
  };

  const searched = async (word: string, ...more: string[]) => {
    const { page } = await opened(`#/search/${word}`, ...more);
    await page.locator('#view h1').waitFor();
    return page.locator('#view');
  };

  const conversation = async (...more: string[]) => {
    const { page } = await opened('', ...more);
    await page.locator('#latest tbody a').first().click();
    await page.locator('article.job').nth(2).waitFor();
    return page.locator('#view');
  };

  it.each([
    [['--keep-text'], ['SOURCES', 'QUESTIONS']],
    [[], ['MESSAGE', 'MESSAGE', 'SOURCES', 'QUESTIONS']],
  ])('says of %j that a content is left out of the copy', async (more, types) => {
    const view = await conversation(...more);
    const job = view.locator('article.job').first();
    expect(await job.locator('p.note').allInnerTexts()).toEqual(
      types.map((type) => `${type}: its content is left out of this pseudonymised copy`),
    );
    expect(await view.innerText()).not.toContain('null');
  });

  it.each([
    [['--keep-text'], 'TABLE “nests”'],
    [[], 'TABLE'],
  ])('says of a file, with %j, that it is stored in the archive alone', async (more, name) => {
    const view = await conversation(...more);
    const told = `${name} (stored in the archive, not in this pseudonymised copy)`;
    expect(await view.locator('.file').allInnerTexts()).toEqual([told]);
    expect(await view.locator('.lost').count()).toBe(0);
  });

  it.each([
    [['--keep-text'], '“eggs”'],
    [[], 'a file without a name'],
  ])('says of a file that is not archived, with %j, what it is called', async (more, name) => {
    await using others = await SearchRig.start();
    others.talk('ben', 's1', 'Eggs', [{ question: 'How many?', table: 'eggs', csv: null }]);
    await others.rig.export();
    const { page } = await openedOf(others, '', ...more);
    await page.locator('#latest tbody a').first().click();
    const reason = 'the reason is left out of this pseudonymised copy';
    const told = `TABLE not archived ${name} is missing: ${reason}.`;
    const lost = page.locator('#view article .lost');
    await lost.waitFor();
    expect(await lost.allTextContents()).toEqual([told]);
  });

  it('tells of each question its day, and no midnight', async () => {
    const view = await conversation('--keep-text');
    const asked = view.locator('article.job .about .time');
    const days = ['2026-01-10', '2026-01-10 – 2026-01-11', '2026-01-11'];
    expect(await asked.allInnerTexts()).toEqual(days);
    expect(await view.locator('.facts').innerText()).toMatch(/Exported\n?\d{4}-\d\d-\d\d\n/);
    const search = await searched('falcon', '--keep-text');
    expect(await search.locator('li small').innerText()).toMatch(/^2026-01-10 · p-/);
    const { page } = await opened('', '--keep-text');
    const newest = page.locator('#latest .time, #people .time');
    const day = expect.stringMatching(/2026-01-11$/);
    expect(await newest.allInnerTexts()).toEqual([day, day]);
  });

  it('tells of a copy that keeps times the minute of a question, and the day of an export', async () => {
    const view = await conversation('--keep-times');
    const asked = view.locator('article.job .about .time').first();
    expect(await asked.innerText()).toBe('2026-01-10 12:00');
    expect(await view.locator('.facts').innerText()).toMatch(/Exported\n?\d{4}-\d\d-\d\d\n/);
  });

  it('says that it holds no texts, so that finding nothing tells nothing', async () => {
    const view = await searched('falcon');
    expect(await view.locator('h1').innerText()).toBe('No question with “falcon”');
    const told = await view.locator('p').allInnerTexts();
    const sentence =
      'This is a pseudonymised copy that holds no texts. Nothing was searched, which tells nothing of what was asked and answered: search the archive that it was made of.';
    expect(told.filter((text) => text.includes('searched'))).toEqual([sentence, sentence]);
  });

  it('says with texts that names of conversations and tables are not in it', async () => {
    const view = await searched('falcon', '--keep-text');
    expect(await view.locator('h1').innerText()).toBe('1 question with “falcon”');
    expect(await view.locator('p.note').last().innerText()).toMatch(
      /^Searched, as by the command jobvault search: questions, .* tasks\. This is a pseudonymised copy: names of conversations and what is in tables are not in it\.$/,
    );
  });
});
