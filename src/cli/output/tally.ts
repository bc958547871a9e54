/** Formats a summary as a table: label, count, details. */

export type TallyLine = readonly [what: string, count: number | '', rest: string];

export function tallied(lines: readonly TallyLine[]): string {
  const cells = lines.map(([what, count, rest]) => ({ what, count: numberText(count), rest }));
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

function numberText(count: number | ''): string {
  return count.toLocaleString('en-US');
}
