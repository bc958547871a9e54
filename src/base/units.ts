/** Durations as people write them: `200ms`, `30s`, `5m`, `2h`, `30d`, `7y`. */

const DAY_MS = 86_400_000;
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** As a parser and a JSON Schema read it. */
export const DURATION_PATTERN = String.raw`^(\d+(?:\.\d+)?)(ms|s|m|h|d|y)$`;

/** Whole milliseconds, or `undefined` when the text is not a duration, or one beyond exact integers. */
export function parseDuration(text: string): number | undefined {
  const match = new RegExp(DURATION_PATTERN).exec(text.trim());
  if (!match) return undefined;
  const [, digits, unit] = match;
  const count = Number(digits);
  const ms = Math.round(
    unit === 'y' ? yearsMs(count) : count * UNIT_MS[unit as keyof typeof UNIT_MS],
  );
  return ms <= Number.MAX_SAFE_INTEGER ? ms : undefined;
}

/** At least so many years of the calendar, whenever they begin, and at most a day more. */
function yearsMs(years: number): number {
  return (365 * years + Math.ceil(years / 4)) * DAY_MS;
}

/** Short and rounded, for people: `812 ms`, `4.2 s`, `3 m 20 s`, `2 h 5 m`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (Math.round(ms / 100) < 600) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48) return `${hours} h ${Math.floor((seconds % 3600) / 60)} m`;
  const rest = hours % 24 === 0 ? '' : ` ${hours % 24} h`;
  return `${Math.floor(hours / 24)} days${rest}`;
}
