/** The tables of seeded answers, from the same figures as their texts. */
import { type Figures, changeOf } from './figures.js';
import type { RandomStream } from './seed-plan.js';
import type { FileContent } from './seeded-ids.js';

/** One row per category. */
export function seededTable(figures: Figures, style: CsvStyle = {}): FileContent {
  const { topic, rows } = figures;
  const head = [topic.dimension, topic.measure, `${topic.measure}_before`, 'change_percent'];
  const lines = rows.map(({ category, value, previous }) => [
    category,
    value.toFixed(topic.decimals),
    previous.toFixed(topic.decimals),
    changeOf(value, previous),
  ]);
  return csvFile(csvText([head, ...lines], style));
}

/**
 * So many rows a category, before grouping: they add up to (or average) the figures exactly.
 *
 * @param parts rows a category
 */
export function detailTable(figures: Figures, parts: number, random: RandomStream): FileContent {
  const { topic, rows } = figures;
  const scale = 10 ** topic.decimals;
  const head = ['row_id', topic.dimension, 'entry', topic.measure, 'note'];
  const lines = rows.flatMap(({ category, value }) => {
    const whole = Math.round(value * scale) * (topic.additive ? 1 : parts);
    return split(whole, parts, random).map((part, index) => [
      `${category.slice(0, 3)}-${index + 1}`,
      category,
      index + 1,
      (part / scale).toFixed(topic.decimals),
      random.chance(0.1) ? random.pick(NOTES) : '',
    ]);
  });
  return csvFile(csvText([head, ...lines]));
}

const NOTES = [
  'checked, ok',
  'He said "later"',
  'über Plan',
  '値引きあり',
  'two\nlines',
  'late entry; see ticket',
  '✅',
];

/** Whole numbers of at least 0 that add up to `whole`. */
function split(whole: number, parts: number, random: RandomStream): number[] {
  let left = whole;
  return Array.from({ length: parts }, (_, index) => {
    const fair = left / (parts - index);
    const part =
      index === parts - 1
        ? left
        : Math.min(left, Math.round(fair * (0.6 + 0.8 * random.fraction())));
    left -= part;
    return part;
  });
}

export function csvFile(text: string): FileContent {
  return { bytes: Buffer.from(text), mediaType: 'text/csv' };
}

export interface CsvStyle {
  /** As spreadsheets on Windows save it: a byte order mark and CRLF. */
  readonly windows?: boolean;
}

/** RFC 4180, with quotes only where they are needed. */
function csvText(rows: readonly (readonly (string | number)[])[], style: CsvStyle = {}): string {
  const end = style.windows ? '\r\n' : '\n';
  const lines = rows.map((row) => row.map(cell).join(',') + end);
  return (style.windows ? '\ufeff' : '') + lines.join('');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
