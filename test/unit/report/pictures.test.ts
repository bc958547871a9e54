import { expect, it } from 'vitest';
import { overTime } from '../../../src/report/first-page/over-time.js';
import { barsHtml, columnsSvg } from '../../../src/report/first-page/columns-picture.js';
import { picturesHtml } from '../../../src/report/first-page/index-tiles.js';
import { jobWith, type JobRows } from '../../../src/archive/reading/rows/session-rows.js';
import { Tallies } from '../../../src/report/first-page/tallies.js';

const DAY_US = 86_400_000_000n;
const FIRST = 1_767_225_600_000_000n; // 2026-01-01

function jobOf(times: Record<string, bigint | null>): JobRows {
  return jobWith({ created_at: null, ...times });
}

/** Of the picture of jobs over time. */
function notesOf(tallies: Tallies): string[] {
  const [, card = ''] =
    /<h2>Questions over time<\/h2>(.*?)<\/section>/s.exec(picturesHtml(tallies, tallies.users)) ??
    [];
  return [...card.matchAll(/<p class="note">(.*?)<\/p>/g)].map(([, note = '']) => note);
}

it('the pictures have neither style nor script, and colours that follow the theme', () => {
  for (const picture of [
    barsHtml('Names', [['<script>"&', 3]], 3),
    columnsSvg([['2026-01', 3]], 400),
  ]) {
    expect(picture).not.toMatch(/<style|<script|style=|class="zr|ecmeta|\bon\w+=/);
    expect(picture).toContain('fill="var(--accent-bar)"');
  }
});

it('the pictures of the first page have every name uncut, beside a bar as long as its number', () => {
  const name = 'A data source with a name of more than fourteen characters.xlsx';
  const bars = barsHtml('Data sources', [['all.csv', 40], [name, 10]], 40); // prettier-ignore
  expect(bars).toContain(`>${name}</th>`);
  expect([...bars.matchAll(/<rect width="([\d.]+)"/g)].map(([, width]) => width)).toEqual([
    '100',
    '25',
  ]);
});

it('the pictures have every date below a column within the picture, the last one, too', () => {
  const days = Array.from({ length: 31 }, (_, day) => [`2026-01-${10 + day}`, 1] as const);
  for (const width of [360, 1160]) {
    for (const count of [2, 19, 25, 31]) {
      const labels = [
        ...columnsSvg(days.slice(0, count), width).matchAll(
          /<text x="([\d.]+)"[^>]*text-anchor="middle"[^>]*>([^<]+)</g,
        ),
      ];
      const ends = labels.map(([, x, name = '']) => Number(x) + (name.length * 7.5) / 2);
      expect(Math.max(...ends)).toBeLessThanOrEqual(width);
    }
  }
});

it('the pictures have columns as high as their numbers, up to a line as high as the highest', () => {
  const svg = columnsSvg([['2026-01', 7], ['2026-02', 14], ['2026-03', 0]], 400); // prettier-ignore
  const heights = [...svg.matchAll(/<rect [^>]* height="([\d.]+)"/g)].map(([, one]) => Number(one));
  expect(heights[1]).toBeCloseTo(2 * (heights[0] ?? 0), 0);
  expect(heights[2]).toBe(0);
  expect([...svg.matchAll(/text-anchor="end"[^>]*>(\d+)</g)].map(([, one]) => one)).toEqual([
    '0',
    '5',
    '10',
    '15',
  ]);
});

it('the pictures of the first page keep days without jobs, and sum days up as the time grows', () => {
  const two = overTime([
    ['2026-01-03', 2],
    ['2026-01-01', 1],
  ]);
  expect(two).toEqual({
    unit: 'day',
    counted: [
      ['2026-01-01', 1],
      ['2026-01-02', 0],
      ['2026-01-03', 2],
    ],
  });
  expect(overTime([['2026-01-01', 1], ['2026-03-31', 1]]).unit).toBe('week'); // prettier-ignore
  const months = overTime([['2025-11-30', 1], ['2026-12-31', 4]]); // prettier-ignore
  expect(months.unit).toBe('month');
  expect(months.counted).toHaveLength(14);
  expect(months.counted.at(-1)).toEqual(['2026-12', 4]);
  expect(overTime([]).counted).toEqual([]);
});

it('the pictures count a job without a timestamp where those beside it leave no doubt', () => {
  const rule = 'such a question is in the picture where the ones beside it in its conversation';
  const tallies = new Tallies();
  tallies.job('ana', jobOf({ created_at: FIRST }));
  tallies.job('ana', jobOf({ created_at: FIRST + DAY_US }));
  tallies.job('ana', jobOf({ created_after: FIRST, created_before: FIRST + 1n }));
  expect(notesOf(tallies)).toEqual([
    `Questions per day (UTC). 1 of 3 questions has no time of its own: ${rule} were asked on the same day.`,
  ]);
  // between two days, after one, and anywhen
  tallies.job('ana', jobOf({ created_after: FIRST, created_before: FIRST + DAY_US }));
  tallies.job('ana', jobOf({ created_after: FIRST }));
  tallies.job('ana', jobOf({}));
  expect(overTime(tallies.days.entries()).counted).toEqual([
    ['2026-01-01', 2],
    ['2026-01-02', 1],
  ]);
  expect(notesOf(tallies)).toEqual([
    `Questions per day (UTC). 4 of 6 questions have no time of their own: ${rule} were asked on the same day. Not in the picture: 3 without a time.`,
  ]);
  // by weeks, what lies between two days of one week is of that week
  tallies.job('ana', jobOf({ created_at: FIRST + 60n * DAY_US }));
  expect(overTime(tallies.days.entries()).counted[0]).toEqual(['2025-12-29', 4]);
  expect(notesOf(tallies)).toEqual([
    `Questions per week (UTC). 4 of 7 questions have no time of their own: ${rule} were asked in the same week. Not in the picture: 2 without a time.`,
  ]);
});

it('where no question has a time there is no picture, and a line says so', () => {
  const unknown = new Tallies();
  unknown.job('ana', jobOf({}));
  unknown.job('ana', jobOf({}));
  expect(notesOf(unknown)).toEqual(['2 questions, without a time: there is no picture of them.']);
});

it('the pictures of the first page give way to a line of text where there would be one bar', () => {
  const tallies = new Tallies();
  tallies.job('ana', jobOf({ created_at: FIRST }));
  tallies.job('ana', jobOf({ created_at: FIRST }));
  tallies.languages.add('EN', 1);
  tallies.modes.add('AUTO', 3);
  const html = picturesHtml(tallies, tallies.users);
  expect(html).toContain('2 questions on 2026-01-01 (UTC).');
  expect(html).toContain('ana: 2 questions');
  expect(html).toContain('EN: 1 conversation');
  expect(html).toContain('AUTO: 3 conversations');
  expect(html).not.toContain('<svg');
  expect(html).not.toContain('Kinds of content'); // there are none
});

it('the kinds of content are counted in answers, and the caption says so', () => {
  const tallies = new Tallies();
  const blocks = ['question', 'answer'].map((role) => ({ role, type: 'MESSAGE' }));
  tallies.job('ana', jobWith({ created_at: FIRST }, { blocks }));
  const html = picturesHtml(tallies, tallies.users);
  expect(html).toContain('MESSAGE: 1 part of answers');
  tallies.blockTypes.add('TABLE', 1);
  expect(picturesHtml(tallies, tallies.users)).toContain('By number of parts of answers.');
});
