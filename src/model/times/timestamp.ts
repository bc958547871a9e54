/** Timestamps as microseconds since 1970 UTC, the unit of every `ts` column. */

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d\d*))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Parses an ISO 8601 time to microseconds, or `undefined`. Without a zone it is UTC; further digits are cut off. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = ISO.exec(text.trim());
  if (!match) return undefined;
  const [, date = '', time = '', fraction = '', zone = 'Z'] = match;
  const withColon = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${date}T${time}${withColon.toUpperCase()}`);
  if (Number.isNaN(ms) || !isInCalendar(date)) return undefined;
  return BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

/** Date.parse reads 30 February as 1 March. */
function isInCalendar(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/** The day of a moment in UTC, such as `2026-11-21`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Whether it is a day, of what knows no time of day, and no moment. @param at ISO 8601 in UTC */
export function isDay(at: string): boolean {
  return at.length === DAY_LENGTH;
}

const DAY_LENGTH = '2026-11-21'.length;

/** As `formatTimestamp`; of a time of which the day alone is known the day. */
export function knownTime(micros: bigint, isOfDays: boolean): string {
  const time = formatTimestamp(micros);
  return isOfDays ? time.slice(0, DAY_LENGTH) : time;
}

export const DAY_MICROS = 86_400_000_000n;

/** The first moment of the day (UTC). */
export function beginOfDay(micros: bigint): bigint {
  const rest = micros % DAY_MICROS;
  return micros - rest - (rest < 0n ? DAY_MICROS : 0n);
}

/**
 * `between 2026-05-17 00:24 UTC and …`, from ISO 8601; null without bounds. What is bounded by days was asked on one of
 * them, or between.
 */
export function boundsText(
  after: string | null,
  before: string | null,
  textOf = minuteText,
): string | null {
  if (after === null) return before && `${onOr(before)}before ${textOf(before)}`;
  const since = textOf(after);
  if (before === null) return `${onOr(after)}after ${since}`;
  return isDay(after) && after === before ? since : `between ${since} and ${textOf(before)}`;
}

function onOr(bound: string): string {
  return isDay(bound) ? 'on or ' : '';
}

/** `2026-05-17 00:24 UTC`, or the day. @param at ISO 8601 in UTC */
export function minuteText(at: string): string {
  return isDay(at) ? at : `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

let last: { readonly micros: bigint; readonly text: string } | undefined;

/** ISO 8601 in UTC with six decimals: `2024-11-21T09:56:34.290544Z`. */
export function formatTimestamp(micros: bigint): string {
  // most rows have the time of their run
  if (last?.micros === micros) return last.text;
  const ms = Number(micros / 1000n) - (micros % 1000n < 0n ? 1 : 0);
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const text = new Date(ms).toISOString().replace('Z', `${rest.toString().padStart(3, '0')}Z`);
  last = { micros, text };
  return text;
}
