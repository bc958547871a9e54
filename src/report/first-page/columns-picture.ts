/** Pictures drawn when the report is made: nothing runs on the page for them, and their colours follow its theme. */
import { thousands } from '../../base/text/counted.js';
import { shownHtml } from './shown-html.js';

export type Counted = readonly (readonly [name: string, count: number])[];

const HEIGHT = 240;
const MARGIN = { left: 48, right: 16, top: 16, bottom: 32 };
/** The lines behind the columns. */
const MOST_STEPS = 4;
const WIDEST_COLUMN = 36;
/** What a date below a column takes. */
const LABEL_WIDTH = 96;
const FONT_SIZE = 13;
/** The width of a digit, at most. */
const LETTER_WIDTH = 8;

/** One bar a row: a table, so that names wrap, and those who cannot see the bars have the numbers. */
export function barsHtml(title: string, counted: Counted, most: number): string {
  const rows = counted.map(([name, count]) => {
    const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${shortNumber((100 * count) / most)}" height="10" fill="var(--accent-bar)"/></svg>`;
    const label = shownHtml(name.trim() === '' ? '(no name)' : name);
    return `<tr><th scope="row" dir="auto">${label}</th><td class="bar-of">${bar}</td><td class="number">${thousands(count)}</td></tr>`;
  });
  return `<table class="bars"><caption class="unseen">${shownHtml(title)}</caption><tbody>${rows.join('')}</tbody></table>`;
}

/** One column a stretch of time; a pointer that rests on one reads its number. */
export function columnsSvg(counted: Counted, width: number): string {
  const step = stepOf(Math.max(1, ...counted.map(([, count]) => count)));
  const top = step * Math.ceil(Math.max(1, ...counted.map(([, count]) => count)) / step);
  const plot = {
    width: width - MARGIN.left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const base = MARGIN.top + plot.height;
  const slot = plot.width / Math.max(1, counted.length);
  const column = Math.min(WIDEST_COLUMN, slot * 0.75);
  const labelled = Math.max(1, Math.ceil(LABEL_WIDTH / slot));
  const lines: string[] = [];
  for (let at = 0; at <= top; at += step) {
    const y = shortNumber(base - (plot.height * at) / top);
    lines.push(
      `<path d="M${MARGIN.left} ${y}H${width - MARGIN.right}" stroke="var(--line)"/>`,
      text(thousands(at), MARGIN.left - 8, y + FONT_SIZE / 3, 'end'),
    );
  }
  const columns = counted.map(([name, count], index) => {
    const middle = MARGIN.left + slot * (index + 0.5);
    const height = (plot.height * count) / top;
    // the last one would go beyond the right edge
    const place = Math.min(middle, width - (name.length * LETTER_WIDTH) / 2);
    const label = index % labelled === 0 ? text(name, place, HEIGHT - 10, 'middle') : '';
    return `<rect x="${shortNumber(middle - column / 2)}" y="${shortNumber(base - height)}" width="${shortNumber(column)}" height="${shortNumber(height)}" fill="var(--accent-bar)"><title>${shownHtml(name)}: ${thousands(count)}</title></rect>${label}`;
  });
  return `<svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true" focusable="false">${lines.join('')}${columns.join('')}</svg>`;
}

/** 1, 2 or 5 with noughts, so that few lines reach the highest. */
function stepOf(highest: number): number {
  const least = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10]
    .map((factor) => factor * power)
    .find((candidate) => candidate >= least);
  return Math.max(1, step ?? power);
}

function text(label: string, x: number, y: number, anchor: 'middle' | 'end'): string {
  return `<text x="${shortNumber(x)}" y="${shortNumber(y)}" text-anchor="${anchor}" font-size="${FONT_SIZE}" fill="var(--ink-soft)">${shownHtml(label)}</text>`;
}

function shortNumber(number: number): number {
  return Math.round(number * 10) / 10;
}
