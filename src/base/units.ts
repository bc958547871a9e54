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
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}

/** Sizes as people write them: `512`, `64KB`, `128MB`, `1GiB`. */

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);

/** Bytes, or `undefined` when the text is not a size, or one beyond exact integers. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const factor = match ? UNIT_BYTES.get(match[2] ?? '') : undefined;
  if (!match || factor === undefined) return undefined;
  const bytes = Math.floor(Number(match[1]) * factor);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Short and rounded, in decimal units, for people: `812 B`, `1.4 MB`. */
export function formatByteSize(bytes: number): string {
  for (const [unit, size] of [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
  ] as const) {
    // what would be rounded to 1000.0 of the smaller unit is 1.0 of this one
    if (bytes >= size * 0.999_95) return `${(bytes / size).toFixed(1)} ${unit}`;
  }
  return bytes >= 1e3 ? `${(bytes / 1e3).toFixed(1)} KB` : `${bytes} B`;
}
