/** A report on paper: what each sheet says of itself, and where it ends. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, pdfToText } from '../services/programs.js';
import { ReportPage } from '../support/programs/browser.js';
import { ReportRig } from '../support/rigs/report-rig.js';

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
    await rig.export({ exitCode: 3 });
    expect((await rig.run(['report', 'archive', '--out', 'on-paper'])).exitCode).toBe(3);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  /** The text of each sheet, laid out as it is on paper. */
  async function printed(user: string, session: string, format: string): Promise<string[]> {
    const report = join(on.rig.directory, 'on-paper');
    const hash = `#/user/${encodeURIComponent(user)}/session/${session}`;
    const { page } = await ReportPage.open(on.browser, report, { hash });
    await page.locator('.job').last().waitFor();
    const file = join(on.rig.directory, 'printed.pdf');
    await page.pdf({ format, path: file });
    const { stdout } = await promisify(execFile)(pdfToText ?? '', ['-layout', file, '-']);
    return stdout.split('\f').slice(0, -1);
  }

  it('names user, time of export and newest commit', async () => {
    const sheets = await printed('zoë', 'known', 'A6');
    expect(sheets.length).toBeGreaterThan(2);
    for (const sheet of sheets) {
      // where a line breaks is the font's choice: a date also breaks at its hyphens
      const text = sheet.replace(/\s/g, '');
      expect(text).toContain('Userzoë');
      expect(text).toMatch(/exported\d{4}-\d\d-\d\d\d\d:\d\d/);
      expect(text).toMatch(/newestcommit\d,digest[0-9a-f]{64}/);
    }
    expect(sheets.join('')).not.toContain('SELECT count(*)'); // a step
  });

  it('names person, conversation and question, also where an answer goes on', async () => {
    const sheets = await printed('ana', 'parts', 'A5');
    expect(sheets.length).toBeGreaterThan(4);
    const questions = sheets.map((sheet) => {
      const text = sheet.replace(/\s+/g, ' ');
      const [, number] =
        /User ana · “Many parts”, session parts · question (\d+) of 40/.exec(text) ?? [];
      return number;
    });
    expect(questions[0]).toBe('1');
    expect(questions).not.toContain(undefined);
  });

  it('ends with no heading, no question and no folded steps', async () => {
    for (const format of ['A4', 'A5', 'A6']) {
      const sheets = await printed('ana', 'parts', format);
      const ends = sheets.map((sheet) =>
        sheet.match(/\b(Asked|Heading|Line|step)( \d+|\b)/g)?.at(-1),
      );
      expect(ends.filter((end) => end?.startsWith('Line') !== true)).toEqual([]);
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
