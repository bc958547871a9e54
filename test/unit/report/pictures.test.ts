import { describe, expect, it } from 'vitest';
import { barsSvg, columnsSvg } from '../../../src/report/charts.js';
import { overTime } from '../../../src/report/over-time.js';
import { overviewHtml } from '../../../src/report/overview-html.js';
import { Tallies } from '../../../src/report/tallies.js';
import type { JobRows } from '../../../src/report/job-view.js';

describe('the pictures of the first page', () => {
  it('have neither style nor script, and colours that follow the theme', () => {
    for (const svg of [barsSvg([['<script>"&', 3]]), columnsSvg([['2026-01', 3]], 400)]) {
      expect(svg).not.toMatch(/<style|<script|style=|class="zr|ecmeta|\bon\w+=/);
      expect(svg).toContain('fill="var(--accent-bar)"');
    }
  });

  it('keep days without jobs, and sum days up as the time grows', () => {
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

  it('say how many jobs tell no time', () => {
    const tallies = new Tallies();
    const job = (created: bigint | null): JobRows => ({
      job: { created_at: created },
      blocks: [],
      artifacts: [],
    });
    tallies.job('ana', job(1_767_225_600_000_000n));
    tallies.job('ana', job(null));
    expect(overviewHtml(tallies)).toContain('1 of 2 jobs have ids without a timestamp');
  });
});
