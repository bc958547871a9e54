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
