/** A report on paper: what each sheet says of itself, and where it ends. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { chromium, pdfToText } from '../services/programs.js';
import { ReportPage } from '../support/programs/browser.js';
import type { CliRig } from '../support/rigs/cli-rig.js';
import { ReportRig } from '../support/rigs/report-rig.js';
import { png } from '../support/tables/tiny-image.js';

/** In inches. */
const PAPER = {
  A4: { paperWidth: 8.27, paperHeight: 11.69 },
  A5: { paperWidth: 5.83, paperHeight: 8.27 },
  A6: { paperWidth: 4.13, paperHeight: 5.83 },
} as const;

describe.skipIf(!chromium || !pdfToText)('a sheet of a printed conversation', () => {
  let on: ReportRig;

  beforeAll(async () => {
    on = await ReportRig.start();
    const { rig } = on;
    const session = rig.state.addSession('ana', { id: 'parts', name: 'Many parts' });
    for (let at = 1; at <= 40; at++) {
      const lines = Array.from({ length: 1 + ((at * 7) % 11) }, () => `Line ${at}\n\n`);
      const block = { type: 'MESSAGE', stage: 'Respond', group_id: '-1' };
      const step = { ...block, stage: 'Analyze', group_id: 'g', group_name: 'Count' };
      const answer = [
        { ...step, content: 'One.' },
        { ...block, content: `## Heading ${at}\n\n${lines.join('')}` },
      ];
      rig.state.addJob('ana', session, {
        job_id: `job-${at}`,
        question: { blocks: [{ type: 'MESSAGE', content: `Asked ${at}` }] },
        answer: { blocks: answer },
      });
    }
    addOrdinaryQuestions(rig);
    await rig.export({ exitCode: 3 });
    expect((await rig.run(['report', 'archive', '--out', 'on-paper'])).exitCode).toBe(3);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  /** The text of each sheet, laid out as it is on paper. */
  async function printed(
    user: string,
    session: string,
    format: keyof typeof PAPER,
  ): Promise<string[]> {
    const report = join(on.rig.directory, 'on-paper');
    const hash = `#/user/${encodeURIComponent(user)}/session/${session}`;
    const { page } = await ReportPage.open(on.browser, report, { hash });
    await page.locator('.job').last().waitFor();
    return sheetsOf(page, format);
  }

  async function sheetsOf(page: Page, format: keyof typeof PAPER): Promise<string[]> {
    const file = join(on.rig.directory, 'printed.pdf');
    // the driver's own way to print leaves no margin
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.printToPDF', {
      ...PAPER[format],
      preferCSSPageSize: true,
    });
    await writeFile(file, data, 'base64');
    const { stdout } = await promisify(execFile)(pdfToText ?? '', ['-layout', file, '-']);
    return stdout.split('\f').slice(0, -1);
  }

  it('names user, time of export and the commit', async () => {
    const sheets = await printed('zoë', 'known', 'A6');
    expect(sheets.length).toBeGreaterThan(2);
    for (const sheet of sheets) {
      // where a line breaks is the font's choice: a date also breaks at its hyphens
      const text = sheet.replace(/\s/g, '');
      expect(text.match(/Userzoë/g)?.length, text).toBeGreaterThan(0);
      // once in the head of a question, and not in the foot, whose one line is full
      expect(text).not.toContain('Userzoë,session');
      expect(text).toMatch(/exported\d{4}-\d\d-\d\d\d\d:\d\d/);
      expect(text).toMatch(/asofcommit\d,digest[0-9a-f]{64}/);
    }
    expect(sheets.join('')).not.toContain('SELECT count(*)'); // a step
  });

  it('has its number, where the browser numbers sheets', async ({ skip }) => {
    const sheets = await printed('zoë', 'known', 'A5');
    const version = Number(on.browser.version.split('.')[0]);
    skip(version < FIRST_WITH_MARGIN_BOXES);
    const numbers = sheets.map((sheet) => /^\s*(\d+) ?\/ ?(\d+)\s*\n/.exec(sheet)?.slice(1));
    expect(numbers).toEqual(sheets.map((_one, at) => [`${at + 1}`, `${sheets.length}`]));
  });

  it('names the service once, on the first of them', async () => {
    const sheets = await printed('ana', 'parts', 'A5');
    const named = sheets.map((sheet) => sheet.includes('Archive of http'));
    expect(named).toEqual(sheets.map((_one, at) => at === 0));
  });

  it('is one of 20 at most for 13 ordinary questions; steps are there when asked for', async () => {
    const pack = join(on.rig.directory, 'ordinary');
    const words = ['evidence', 'archive', '--out', pack, '--user', 'käthe'];
    expect((await on.rig.run(words)).exitCode).toBe(0);
    const { page } = await ReportPage.open(on.browser, join(pack, 'data'), {});
    await page.locator('#paper .job').nth(12).waitFor({ state: 'attached' });
    const folded = await sheetsOf(page, 'A4');
    expect(folded.length).toBeLessThanOrEqual(20);
    expect(folded.join('')).not.toContain('GROUP BY region');
    await page.getByLabel('with the steps').check();
    const open = (await sheetsOf(page, 'A4')).join('');
    expect(open.match(/GROUP BY region/g)).toHaveLength(13);
    await page.getByLabel('with the steps').uncheck();
    expect((await sheetsOf(page, 'A4')).join('')).not.toContain('GROUP BY region');
  });

  it('names how many people the pack is of, where it is of several', async () => {
    const pack = join(on.rig.directory, 'two');
    const words = ['evidence', 'archive', '--out', pack, '--user', 'käthe', '--user', 'zoë'];
    await on.rig.run(words);
    const { page } = await ReportPage.open(on.browser, join(pack, 'data'), {});
    await page.locator('#paper .job').first().waitFor({ state: 'attached' });
    const sheets = (await sheetsOf(page, 'A4')).join('');
    expect(sheets).toContain('2 users · ');
    expect(sheets).not.toContain('All users');
  });

  it('names person, conversation and question, also where an answer goes on', async () => {
    const sheets = await printed('ana', 'parts', 'A5');
    expect(sheets.length).toBeGreaterThan(4);
    const questions = sheets.map((sheet) => {
      const text = sheet.replace(/\s+/g, ' ');
      const [, number] =
        /User ana · “Many parts”, conversation parts · question job-(\d+) of 40/.exec(text) ?? [];
      return number;
    });
    expect(questions[0]).toBe('40'); // as the service lists what has no date
    expect(questions).not.toContain(undefined);
  });

  it('ends with no heading, no question and no folded steps', async () => {
    for (const format of ['A4', 'A5', 'A6'] as const) {
      const sheets = await printed('ana', 'parts', format);
      const ends = sheets.map((sheet) =>
        sheet.match(/\b(Asked|Heading|Line|step)( \d+|\b)/g)?.at(-1),
      );
      expect(ends.filter((end) => end?.startsWith('Line') !== true)).toEqual([]);
    }
  });

  it('has the line of a question, however long, with what was asked', async () => {
    const pack = join(on.rig.directory, 'searched');
    const words = ['evidence', 'archive', '--out', pack, '--user', 'ana'];
    await on.rig.run([...words, '--match', 'asked OR line OR heading OR many']);
    const { page } = await ReportPage.open(on.browser, join(pack, 'data'), {});
    await page.locator('#paper .job').nth(39).waitFor({ state: 'attached' });
    for (const format of ['A4', 'A5', 'A6'] as const) {
      const sheets = await sheetsOf(page, format);
      const parted = sheets.flatMap((sheet) =>
        [...sheet.matchAll(/Link +question job-(\d+)/g)].filter(
          ([, number = '']) => !new RegExp(`Asked ${number}\\b`).test(sheet),
        ),
      );
      expect([format, parted.map(([line]) => line)]).toEqual([format, []]);
    }
  });

  it('labels questions and answers, says what is a suggestion and what a setting', async () => {
    const text = (await printed('zoë', 'known', 'A4')).join('').replace(/\s+/g, ' ');
    expect(text).toMatch(/QUESTION How many \*zebras\*\? ANSWER/i);
    expect(text).toContain('Suggested follow-up questions And how many gnus?');
    expect(text).toMatch(/Setting (an answer takes up to|unknown how many) /);
    expect(text).not.toContain('Context');
  });
});

/** Chromium before it puts nothing into the margin. */
const FIRST_WITH_MARGIN_BOXES = 131;

/** A step with code and a table, a text, the same table, a picture for every other one, sources, suggestions. */
function addOrdinaryQuestions({ state }: CliRig): void {
  for (let at = 1; at <= 13; at++) {
    const isFirst = [1, 5, 8, 13].includes(at);
    const session = `talk-${[1, 5, 8, 13].filter((first) => first <= at).length}`;
    if (isFirst) state.addSession('käthe', { id: session, name: `Umsätze und Kündigungen ${at}` });
    const rows = Array.from({ length: [8, 12, 24, 40][at % 4] ?? 0 }, (_one, row) => {
      return `Köln,2026-0${1 + (row % 6)},${(row * 7919) % 100_000},${row % 60} %,0.${row % 10}`;
    });
    const table = `umsatz-${at}.csv`;
    const picture = `diagramm-${at}.png`;
    const files = {
      [table]: { text: `Region,Monat,Umsatz,Marge,Anteil\n${rows.join('\n')}\n` },
      [picture]: { base64: png({ width: 800, height: 450 + at }).toString('base64') },
    };
    state.importJson(JSON.stringify({ users: [], files }));
    const file = (name: string) => ({
      name,
      url: `{{url:${name}}}`,
      expires_at: '{{expires_at}}',
    });
    const block = { stage: 'Respond', group_id: '-1' };
    const step = { stage: 'Analyze', group_id: 'g', group_name: 'Daten laden' };
    const sql = 'SELECT region, sum(revenue)\nFROM sales\nGROUP BY region\nORDER BY 2 DESC';
    state.addJob('käthe', session, {
      job_id: `${session}-${at}`,
      question: { blocks: [{ type: 'MESSAGE', content: `Wie hoch war der Umsatz ${at}?` }] },
      answer: {
        blocks: [
          { ...step, type: 'CODE', content: `\`\`\`sql\n${sql}\n\`\`\`` },
          { ...step, type: 'TABLE', content: file(table) },
          { ...block, type: 'MESSAGE', content: ORDINARY_ANSWER },
          { ...block, type: 'TABLE', content: file(table) },
          ...(at % 2 === 0 ? [{ ...block, type: 'IMAGE', content: file(picture) }] : []),
          ...(at % 3 === 0
            ? [{ ...block, type: 'SOURCES', content: [{ source: 'Vertrag.pdf', page_no: 3 }] }]
            : []),
          { ...block, type: 'QUESTIONS', content: ['Und im Vorjahr?', 'Nach Kunden?'] },
        ],
      },
    });
  }
}

const ORDINARY_ANSWER = `## Ergebnis

Der Umsatz lag **12 %** über dem Vorjahr. Die größten Beiträge kamen aus *Köln* und *Zürich*; der Süden blieb hinter dem Plan zurück.

- Nord: stabil
- Süd: −4 %, wegen der Überschwemmungen
- West: +9 %

Die Abweichung erklärt sich zur Hälfte durch den Preis, zur Hälfte durch die Menge. Für den April erwarten wir eine Normalisierung, da die Lieferkette wieder vollständig arbeitet.
`;
