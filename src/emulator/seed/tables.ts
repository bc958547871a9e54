/** The tables of seeded answers, from the same figures as their texts. */
import type { FileContent, RandomStream } from './seed-plan.js';
import type { Dimension, Measure } from './phrases.js';

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

/** The numbers of one job: its text, tables and chart all show these. */

export interface Figure {
  readonly category: string;
  readonly value: number;
  /** The value of the previous period. */
  readonly previous: number;
}

export interface Figures {
  readonly topic: Topic;
  readonly period: string;
  /** In the topic's order. */
  readonly rows: readonly Figure[];
  readonly top: Figure;
  readonly low: Figure;
  /** The total, or the average where values do not add up; rounded to the topic's decimals. */
  readonly aggregate: number;
  /** Change against the previous period in per cent: one decimal, with its sign. */
  readonly change: string;
}

export function makeFigures(topic: Topic, random: RandomStream): Figures {
  const period = topic.dimension === 'month' ? '2025' : random.pick(['2025', 'Q3 2025', 'Q4 2025']);
  const scale = 10 ** topic.decimals;
  const trend = random.fraction() - 0.4;
  const rows = topic.categories.map((category, index): Figure => {
    const drift = topic.chart === 'line' ? trend * (index / topic.categories.length) : 0;
    const share = Math.min(1, Math.max(0, random.fraction() * 0.7 + 0.15 + drift));
    const value = Math.round((topic.low + share * (topic.high - topic.low)) * scale) / scale;
    const previous = Math.round(value * (0.8 + 0.35 * random.fraction()) * scale) / scale;
    return { category, value, previous };
  });
  const aggregate = aggregateOf(rows, topic, ({ value }) => value);
  const before = aggregateOf(rows, topic, ({ previous }) => previous);
  return {
    topic,
    period,
    rows,
    aggregate,
    top: rows.reduce((best, row) => (row.value > best.value ? row : best)),
    low: rows.reduce((least, row) => (row.value < least.value ? row : least)),
    change: changeOf(aggregate, before),
  };
}

/** Change in per cent: one decimal, with its sign; empty if there was nothing before. */
export function changeOf(now: number, before: number): string {
  if (before === 0) return '';
  const percent = (now / before - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)}`;
}

function aggregateOf(
  rows: readonly Figure[],
  { additive, decimals }: Topic,
  of: (row: Figure) => number,
): number {
  const sum = rows.reduce((total, row) => total + of(row), 0);
  return Number((additive ? sum : sum / rows.length).toFixed(decimals));
}

/** The topics of seeded sessions, with the range of their numbers. */

export interface Topic {
  readonly measure: Measure;
  readonly dimension: Dimension;
  /** Names of the rows. */
  readonly categories: readonly string[];
  readonly low: number;
  readonly high: number;
  /** The decimals of every value. */
  readonly decimals: 0 | 1;
  /** Whether a total makes sense; otherwise the average is shown. */
  readonly additive: boolean;
  /** A line over time, or bars. */
  readonly chart: 'bar' | 'line';
  /** File names of its data sources. */
  readonly sources: readonly string[];
}

const MONTHS = Array.from(
  { length: 12 },
  (_, month) => `2025-${String(month + 1).padStart(2, '0')}`,
);
const REGIONS = ['North', 'South', 'East', 'West', 'São Paulo', 'Zürich', '東京 (Tokyo)'];
const PRODUCTS = [
  'Sensors',
  'Pumps, used',
  'The "Classic"',
  'Valves',
  'Spare parts ⚙️',
  'Services',
];
const TEAMS = ['Platform', 'Field, EMEA', 'Onboarding', 'Billing', 'Café & Kitchen'];
const SITES = ['Lyon', 'Gdańsk', 'Hall 3, Bremen', 'Pune', 'Querétaro'];
const CHANNELS = ['Search', 'E-mail', 'Partners', 'Trade fairs', 'Social 📣'];
const PLANS = ['Free', 'Team', 'Business', 'Enterprise, annual'];
const CARRIERS = ['Nordfracht', 'Blue Line, Inc.', 'Rapide', 'Küstenkurier', 'Trans-Alp'];

const sums = { decimals: 0, additive: true } as const;
const means = { decimals: 1, additive: false } as const;

// prettier-ignore
export const TOPICS: readonly [Topic, ...Topic[]] = [
  { measure: 'revenue', dimension: 'region', categories: REGIONS, low: 42_000, high: 910_000, ...sums, chart: 'bar', sources: ['sales_2025.xlsx', 'regions.csv'] },
  { measure: 'revenue', dimension: 'month', categories: MONTHS, low: 310_000, high: 720_000, ...sums, chart: 'line', sources: ['sales_2025.xlsx'] },
  { measure: 'churn', dimension: 'plan', categories: PLANS, low: 1, high: 9, ...means, chart: 'bar', sources: ['subscriptions.csv', 'cancellations.csv'] },
  { measure: 'churn', dimension: 'month', categories: MONTHS, low: 2, high: 6, ...means, chart: 'line', sources: ['subscriptions.csv'] },
  { measure: 'tickets', dimension: 'team', categories: TEAMS, low: 120, high: 2400, ...sums, chart: 'bar', sources: ['helpdesk export.csv', 'Service handbook.pdf'] },
  { measure: 'tickets', dimension: 'month', categories: MONTHS, low: 640, high: 1500, ...sums, chart: 'line', sources: ['helpdesk export.csv'] },
  { measure: 'deliveryDays', dimension: 'carrier', categories: CARRIERS, low: 1, high: 8, ...means, chart: 'bar', sources: ['shipments.csv', 'Carrier contracts.docx'] },
  { measure: 'headcount', dimension: 'site', categories: SITES, low: 18, high: 460, ...sums, chart: 'bar', sources: ['people.xlsx'] },
  { measure: 'energy', dimension: 'site', categories: SITES, low: 900, high: 5200, ...sums, chart: 'bar', sources: ['meters.csv', 'https://intranet.example/energy'] },
  { measure: 'energy', dimension: 'month', categories: MONTHS, low: 1400, high: 2600, ...sums, chart: 'line', sources: ['meters.csv'] },
  { measure: 'returns', dimension: 'product', categories: PRODUCTS, low: 12, high: 340, ...sums, chart: 'bar', sources: ['orders.csv', 'returns.csv'] },
  { measure: 'leads', dimension: 'channel', categories: CHANNELS, low: 40, high: 900, ...sums, chart: 'bar', sources: ['crm.csv', 'campaigns.md'] },
  { measure: 'stock', dimension: 'product', categories: PRODUCTS, low: 200, high: 8000, ...sums, chart: 'bar', sources: ['warehouse.xlsx'] },
  { measure: 'downtime', dimension: 'site', categories: SITES, low: 3, high: 96, ...sums, chart: 'bar', sources: ['maintenance log.txt', 'machines.csv'] },
  { measure: 'satisfaction', dimension: 'team', categories: TEAMS, low: 6, high: 9, ...means, chart: 'bar', sources: ['survey.csv'] },
  { measure: 'sessions', dimension: 'month', categories: MONTHS, low: 18_000, high: 64_000, ...sums, chart: 'line', sources: ['web analytics.csv'] },
  { measure: 'spend', dimension: 'channel', categories: CHANNELS, low: 4000, high: 88_000, ...sums, chart: 'bar', sources: ['budget.xlsx', 'campaigns.md'] },
  { measure: 'emissions', dimension: 'site', categories: SITES, low: 80, high: 1900, ...sums, chart: 'bar', sources: ['meters.csv', 'Emission factors.pdf'] },
];
