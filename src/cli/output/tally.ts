/** Formats a summary as a table: label, count, details. */

/** A line without details is left out. */
export type TallyLine = readonly [what: string, count: number | string, rest: string | null];

export function tallied(lines: readonly TallyLine[]): string {
  const cells = lines
    .filter(([, , rest]) => rest !== null)
    .map(([what, count, rest]) => ({ what, count: numberText(count), rest }));
  const words = Math.max(...cells.map(({ what }) => what.length));
  const digits = Math.max(...cells.map(({ count }) => count.length));
  return cells
    .map(({ what, count, rest }) => `  ${what.padEnd(words)}  ${count.padStart(digits)}  ${rest}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** `3 new, 2 failed`; zero counts are left out. */
export function parts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${numberText(count)} ${what}`)
    .join(', ');
}

function numberText(count: number | string): string {
  return count.toLocaleString('en-US');
}

/** `1 table or image`, `2 tables and images` */
export function tablesAndImages(count: number): string {
  return count === 1 ? '1 table or image' : `${count} tables and images`;
}
