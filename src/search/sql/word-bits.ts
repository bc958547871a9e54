/** A bit for each word that is sought: which of them a text has. */
import { sqlText } from '../../query/sql-text.js';

/** A whole number above 2 ** 53 is not exact as a number of JavaScript: bits are added as integers. */
export function bitOf(place: number): bigint {
  return 1n << BigInt(place);
}

/** Whether folded words have one of those that are sought. */
export function hasAny(column: string, sought: readonly string[]): string {
  return `(${sought.map((word) => `contains(${column}, ${sqlText(word)})`).join(' OR ')})`;
}

/** A bit for each word. */
export function maskOf(column: string, sought: readonly string[]): string {
  if (sought.length === 1) return '1::BIGINT';
  const bits = sought.map(
    (word, bit) => `CASE WHEN ${hasAny(column, [word])} THEN ${bitOf(bit)} ELSE 0 END`,
  );
  return `(${bits.join(' + ')})::BIGINT`;
}
