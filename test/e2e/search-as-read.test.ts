/** Words are found as people read them: by the command, in a report, a workbook and a pack of them, by an assistant, and in the page. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { Assistant } from '../support/programs/assistant.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { cli } from '../support/programs/cli-in-process.js';
import { handOver } from '../support/rigs/evidence-rig.js';
import { SearchRig } from '../support/rigs/search-rig.js';
import { fault } from '../support/base/fault.js';

/** Histories of one user each, with the ids of their jobs in order. */
const HISTORIES = ['hyphens', 'apostrophes', 'kana', 'markup-and-words'] as const;
type History = (typeof HISTORIES)[number];

/** What is looked for, and which jobs of its history have it, from 0. */
const SOUGHT: readonly (readonly [History, string, readonly number[]])[] = [
  ['hyphens', 'year-over-year', [0, 1]],
  ['hyphens', 'year‑over‑year', [0, 1]],
  ['hyphens', '2026-03-31', [0, 1]],
  ['hyphens', 'Q1-Q2', [0, 1]],
  ['hyphens', '"covid 19"', [0, 1]],
  ['hyphens', '"−5 %"', [0, 1]],
  ['apostrophes', "customer's", [0, 1]],
  ['apostrophes', 'customer’s', [0, 1]],
  ['apostrophes', "d'achat", [0, 1]],
  ['apostrophes', 'OʼBrien', [0, 1]],
  ['apostrophes', "doesn't", [0, 1]],
  ['kana', 'ペット', [0]],
  ['kana', 'ﾍﾟｯﾄ', [0]],
  ['kana', 'ベッド', [1]],
  ['kana', 'ヘッドホン', [2]],
  ['kana', 'パパ', [3]],
  ['kana', 'ハハ', [4]],
  ['kana', 'ババ', [5]],
  ['markup-and-words', '"net revenue"', [0, 1, 2]],
  ['markup-and-words', '"net revenue?"', [0, 1, 2]],
  ['markup-and-words', 'net revenue?', [0, 1, 2, 5]],
  ['markup-and-words', 'revenue, grew', [0, 2]],
  ['markup-and-words', '"revenue, grew"', [0, 2]],
  ['markup-and-words', '(revenue)', [0, 1, 2, 4, 5]],
  ['markup-and-words', 'R&D', [3]],
  ['markup-and-words', '"costs rose"', [3]],
  ['markup-and-words', '"Acme"', [3, 4]],
  ['markup-and-words', '"Acme revenue was"', [4]],
  ['markup-and-words', '"revenue"', [0, 1, 2, 4, 5]],
  ['markup-and-words', 'net_revenue', [5]],
  ['markup-and-words', 'snake_case', [5]],
];

/** One whose words are folded, and one whose words stand in markup. */
const HANDED_OVER: typeof SOUGHT = [
  ['kana', 'ペット', [0]],
  ['markup-and-words', '"net revenue"', [0, 1, 2]],
];

describe('what people read is found', () => {
  const jobs = new Map<History, string[]>();
  let people: SearchRig;
  let out: string;
  let browser: ReportBrowser | undefined;

  beforeAll(async () => {
    people = await SearchRig.start();
    for (const history of HISTORIES) {
      const file = new URL(`../support/search/${history}.json`, import.meta.url);
      const { users } = JSON.parse(await readFile(file, 'utf8')) as {
        users: [{ user_id: string; sessions: [{ jobs: { job_id: string }[] }] }];
      };
      users[0].user_id = history;
      people.rig.state.importJson(JSON.stringify({ users }));
      jobs.set(
        history,
        users[0].sessions[0].jobs.map(({ job_id: id }) => id),
      );
    }
    await people.rig.export();
    out = people.rig.out;
    if (chromium) browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  const expected = (history: History, places: readonly number[]): string[] =>
    places.map((at) => jobs.get(history)?.[at] ?? '?').sort();

  it.each(SOUGHT)('by the command: in %s, %s', fault('F-157'), async (history, words, places) => {
    const { exitCode, stdout } = await cli(['search', out, words, '--user', history, '--json']);
    expect(exitCode).toBe(0);
    const { hits } = JSON.parse(stdout) as { hits: { job_id: string; excerpt: string }[] };
    expect(hits.map(({ job_id: id }) => id).sort()).toEqual(expected(history, places));
    for (const { excerpt } of hits) expect(excerpt).not.toMatch(/\*\*|\]\(|&amp;|\\_/);
  });

  it('by an assistant', async () => {
    await using assistant = await Assistant.inProcess(out);
    for (const [history, words, places] of HANDED_OVER) {
      const { data } = await assistant.ask('search', { words, user: history });
      const { hits } = data as { hits: { job_id: string }[] };
      const found = hits.map(({ job_id: id }) => id).sort();
      expect([words, found]).toEqual([words, expected(history, places)]);
    }
  });

  it.each(HANDED_OVER)('by whoever makes something of %s: %s', async (history, words, places) => {
    const sought = ['--user', history, '--match', words];
    const { pack, exitCode } = await handOver(people.rig, ...sought);
    expect(exitCode).toBe(0);
    for (const [at, id] of (jobs.get(history) ?? []).entries()) {
      const isThere = (await pack.filesWith(id)).length > 0;
      expect([id, isThere]).toEqual([id, places.includes(at)]);
    }
    for (const command of ['report', 'workbook']) {
      const place = join(people.rig.directory, `${history}-${command}`);
      const to = ['--out', command === 'workbook' ? `${place}.xlsx` : place];
      const made = await cli([command, out, ...sought, ...to, '--json']);
      expect(JSON.parse(made.stdout)).toMatchObject({ search: { matches: places.length } });
    }
  });

  it.skipIf(!chromium).each(HISTORIES)('in the page, and marked there: %s', async (history) => {
    if (!browser) throw new Error('no browser');
    const report = `${out}-${history}`;
    const made = await cli(['report', out, '--user', history, '--out', report]);
    expect(made.exitCode).toBe(0);
    const { page, trouble, address } = await ReportPage.open(browser, report);
    for (const [of, words, places] of SOUGHT) {
      if (of !== history) continue;
      await page.goto(`${address}#/`); // elsewhere in the page, which is not loaded once more
      await page.locator('.hits').waitFor({ state: 'detached' });
      await page.goto(`${address}#/search/${encodeURIComponent(words)}`);
      await page.locator('#view h1', { hasText: words }).waitFor();
      const addresses = await page
        .locator('.hits li > a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      const ids = (jobs.get(history) ?? []).filter((id) =>
        addresses.some((address) => address.includes(encodeURIComponent(id))),
      );
      expect([words, ids.sort()]).toEqual([words, expected(history, places)]);
      expect([words, addresses.length]).toEqual([words, places.length]);
      await page.locator('.hits li').last().locator('mark').first().waitFor();
      expect(trouble).toEqual([]);
    }
  });
});
