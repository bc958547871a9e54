/** The numbers of one job: its text, tables and chart all show these. */
import type { RandomStream } from './seed-plan.js';
import type { Topic } from './topics.js';

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
