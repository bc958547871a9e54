/** What the pages of a pack and a report say where something is left out, withheld or redacted for their request. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { cli } from '../support/programs/cli-in-process.js';
import { SearchRig } from '../support/rigs/search-rig.js';

const NAME = 'Matter 7';

describe.skipIf(!chromium)('the page of what is made for a request with decisions', () => {
  let people: SearchRig;
  let browser: ReportBrowser;
  const at = (name: string): string => join(people.rig.directory, name);
  beforeAll(async () => {
    people = await SearchRig.start();
    const [, withheld = '', redacted = ''] = people.talk('ada', 's-1', 'Sales', [
      { question: 'falcon one' },
      { question: 'falcon two' },
      { question: 'falcon three' },
      { question: 'falcon four', id: 'no-time' },
    ]);
    await people.rig.archived();
    const { out } = people.rig;
    const asked = ['--user', 'ada', '--match', 'falcon', '--from', '2020', '--to', '2026-01-13'];
    await cli(['request', 'new', out, NAME, ...asked, '--by', 'Grace', '--reason', 'Art. 15']);
    for (const [decision, job] of [
      ['withhold', withheld],
      ['redact', redacted],
    ] as const) {
      const words = ['--session', 's-1', '--job', job, '--reason', 'r', '--by', 'Dana'];
      expect((await cli(['request', 'decide', out, NAME, decision, ...words])).exitCode).toBe(0);
    }
    for (const undated of [['--undated', 'include'], []]) {
      const name = undated.at(-1) ?? 'undecided';
      for (const made of ['evidence', 'report']) {
        const words = ['--request', NAME, '--by', 'Dana', ...undated, '--out', at(made + name)];
        expect((await cli([made, out, ...words])).exitCode).toBe(undated.length > 0 ? 0 : 3);
      }
    }
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  it.each([
    ['evidenceinclude', 'by decision'],
    ['reportinclude', 'by decision'],
    ['evidenceundecided', 'not complete'],
    ['reportundecided', 'not complete'],
  ])("the user's page in %s says what the first page says", async (made, mark) => {
    const place = made.startsWith('evidence') ? join(at(made), 'data') : at(made);
    const { page } = await ReportPage.open(browser, place, { hash: '#/user/ada' });
    await page.locator('#view h1', { hasText: 'ada' }).waitFor();
    expect(await page.locator('#view .mark').allInnerTexts()).toContain(mark);
    const headline = await page.locator('#standing').textContent();
    expect(headline).toMatch(/^Not complete.*1 question is withheld.*1 question is redacted/);
    expect(await page.locator('#view p.note').allInnerTexts()).toContain(`${headline}.`);
  });

  it.each([
    ['evidenceinclude', '0 gaps', /^No gap is known\. /],
    ['reportundecided', '1 question left out', /^/],
  ])('the list of gaps in %s says what is missing beside gaps', async (made, heading, begin) => {
    const place = made.startsWith('evidence') ? join(at(made), 'data') : at(made);
    const { page } = await ReportPage.open(browser, place, { hash: '#/gaps' });
    await page.locator('#view h1', { hasText: heading }).waitFor();
    const headline = await page.locator('#standing').textContent();
    const note = (await page.locator('#view p.note').first().innerText()).replace(begin, '');
    expect(note.startsWith(`${headline}.`)).toBe(true);
    const tile = await page.locator('.tile.gaps dd').textContent();
    expect(tile).toMatch(
      begin.source === '^'
        ? /^3 not complete; see above, and the list of gaps$/
        : /^2 not complete, by decision; see above$/,
    );
  });

  it('a page says who withheld some of it, and a redacted text has no text as sent below it', async () => {
    const { page } = await ReportPage.open(browser, at('reportinclude'), { hash: '' });
    await page.locator('#latest').getByText('Sales').click();
    await page.locator('#view .job').last().waitFor();
    expect(await page.locator('#view .head').innerText()).toContain(
      '1 question is withheld: r (by Dana, ',
    );
    const jobs = await page.locator('#view .job').all();
    const told = await Promise.all(
      jobs.map(async (job) => [
        (await job.textContent())?.includes('[redacted]'),
        (await job.locator('.sent').count()) > 0,
      ]),
    );
    expect(told.toSorted()).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
  });
});
