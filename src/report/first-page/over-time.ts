/** Sums up days so that a picture has some forty columns at most, without leaving out the quiet ones. */
import { dayOf } from '../../model/times/timestamp.js';
import { type Counted } from './columns-picture.js';

const MOST_COLUMNS = 40;
const DAY_MS = 86_400_000;
const MAX_STEPS = 3000;

export interface OverTime {
  readonly unit: 'day' | 'week' | 'month' | 'year';
  readonly counted: Counted;
}

/**
 * @param days `2026-11-05` and how many, in any order; what lies between two days, such as `2026-11-05/2026-11-07`, counts
 * where both are in the same stretch
 */
export function overTime(days: Counted): OverTime {
  const spans = days.map(([name, count]) => {
    const [from = '', to = from] = name.split('/');
    return { from, to, count };
  });
  const dated = spans.filter(({ from, to }) => from === to).map(({ from }) => from);
  const sorted = dated.toSorted();
  const [first, last] = [sorted.at(0), sorted.at(-1)];
  if (first === undefined || last === undefined) return { unit: 'day', counted: [] };
  const span = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const unit =
    span <= MOST_COLUMNS
      ? 'day'
      : span <= MOST_COLUMNS * 7
        ? 'week'
        : span <= MOST_COLUMNS * 30
          ? 'month'
          : 'year';
  const sums = new Map<string, number>();
  const end = unitOf(last, unit);
  let at = unitOf(first, unit);
  for (let step = 0; step < MAX_STEPS && at <= end; step++) {
    sums.set(at, 0);
    at = next(at, unit);
  }
  for (const { from, to, count } of spans) {
    const name = unitOf(from, unit);
    const sum = sums.get(name);
    if (sum !== undefined && name === unitOf(to, unit)) sums.set(name, sum + count);
  }
  return { unit, counted: [...sums].map(([name, count]) => [shown(name, unit), count]) };
}

/** The day on which the stretch begins. */
function unitOf(day: string, unit: OverTime['unit']): string {
  if (unit === 'month') return `${day.slice(0, 7)}-01`;
  if (unit === 'year') return `${day.slice(0, 4)}-01-01`;
  if (unit === 'day') return day;
  const date = new Date(day);
  const monday = date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return dayOf(monday);
}

function next(day: string, unit: OverTime['unit']): string {
  const date = new Date(day);
  if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  else if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1);
  else date.setUTCDate(date.getUTCDate() + (unit === 'week' ? 7 : 1));
  return dayOf(date.getTime());
}

function shown(day: string, unit: OverTime['unit']): string {
  if (unit === 'month') return day.slice(0, 7);
  return unit === 'year' ? day.slice(0, 4) : day;
}
