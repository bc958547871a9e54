/** Characters as a class of a regular expression (RE2). */

/** @param negation `^` for every other character */
export function classOf(points: readonly number[], negation: '' | '^' = ''): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const point of Uint32Array.from(points).sort()) {
    const range = ranges.at(-1);
    if (range && point <= range.last + 1) range.last = point;
    else ranges.push({ first: point, last: point });
  }
  const inside = ranges.map(({ first, last }) =>
    first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`,
  );
  return `[${negation}${inside.join('')}]`;
}

export function escaped(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
