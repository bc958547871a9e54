/** Counts in words. */

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
