/** Sizes as people write them: `512`, `64KB`, `128MB`, `1GiB`. */

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Bytes, or `undefined` when the text is no size. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const factor = match && UNIT_BYTES[match[2] ?? ''];
  return factor ? Math.floor(Number(match[1]) * factor) : undefined;
}

/** Short and rounded, in decimal units, for people: `812 B`, `1.4 MB`. */
export function formatByteSize(bytes: number): string {
  for (const [unit, size] of [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
    ['KB', 1e3],
  ] as const) {
    if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`;
  }
  return `${bytes} B`;
}
