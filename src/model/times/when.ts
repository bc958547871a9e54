/** When something was asked: a moment, or what its neighbours in the history say of it. The page uses it, too. */
import { classifyByPeriod } from './time-bounds.js';
import { dayOf } from './timestamp.js';

/** Milliseconds since 1970, or what bounds the moment; null, or both null, where nothing is known. */
export type When = number | null | readonly [after: number | null, before: number | null];

/** Days in UTC, such as `2026-03-05`, both included; null is no limit. */
export interface DayPeriod {
  readonly from: string | null;
  readonly to: string | null;
}

const DAY_MS = 86_400_000;

/** Whether a moment lies in a period, as far as that can be told. */
export function classifyWhen(
  when: When,
  { from, to }: DayPeriod,
): ReturnType<typeof classifyByPeriod> {
  const [after, before] = boundsOf(when);
  return classifyByPeriod(
    { after: microsOf(after), before: microsOf(before) },
    {
      from: from === null ? undefined : microsOf(Date.parse(from)),
      to: to === null ? undefined : microsOf(Date.parse(to) + DAY_MS),
    },
  );
}

/** The newest first; what is quite unknown comes last. */
export function newerFirst(a: When, b: When): number {
  const [first, second] = [placeOf(a), placeOf(b)];
  if (first !== second) return (second ?? -Infinity) - (first ?? -Infinity);
  return reachOf(a) - reachOf(b);
}

/** What it is sorted by: the moment, else its later bound, else the earlier one. */
export function placeOf(when: When): number | null {
  return typeof when === 'number' ? when : (when?.[1] ?? when?.[0] ?? null);
}

/** What came after a moment is newer than what came at it, and that newer than what came before. */
function reachOf(when: When): number {
  if (typeof when === 'number') return 1;
  return when?.[1] == null ? 0 : 2;
}

function boundsOf(when: When): readonly [after: number | null, before: number | null] {
  return typeof when === 'number' ? [when, when] : (when ?? [null, null]);
}

function microsOf(ms: number): bigint;
function microsOf(ms: number | null): bigint | null;
function microsOf(ms: number | null): bigint | null {
  return ms === null ? null : BigInt(ms) * 1000n;
}

/** `2026-03-05`, or the first and the last day on which it may have been, `2026-03-05/2026-03-07`; null where one is not known. */
export function daysOf(when: When): string | null {
  const [after, before] = boundsOf(when);
  if (after === null || before === null) return null;
  const [first, last] = [dayOf(after), dayOf(before)];
  return first === last ? first : `${first}/${last}`;
}

/** As a page or a sheet tells it below a heading. @param isOfDays whether the day alone is known of it */
export function knownText(when: When, isOfDays: boolean): string {
  return isOfDays ? dayTextOf(when) : whenText(when);
}

/** To the minute, in UTC: a page that was sent to another zone says the same. */
export function whenText(when: When): string {
  if (when === null) return '';
  if (typeof when === 'number') return minuteOf(when);
  const [after, before] = when;
  if (after === null) return before === null ? '' : `before ${minuteOf(before)}`;
  if (before === null) return `after ${minuteOf(after)}`;
  const [begin, end] = [minuteOf(after), minuteOf(before)];
  const day = begin.slice(0, 10);
  return `${begin} – ${end.startsWith(day) ? end.slice(day.length + 1) : end}`;
}

/** The day alone, for what knows no more; a bound may be any time of its day. */
export function dayTextOf(when: When): string {
  const [after, before] = boundsOf(when);
  const days = daysOf(when);
  if (days !== null) return days.replace('/', ' – ');
  if (after !== null) return `on or after ${dayOf(after)}`;
  return before === null ? '' : `on or before ${dayOf(before)}`;
}

export function minuteOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
