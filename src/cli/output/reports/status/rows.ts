/** The rows of a status, from top to bottom. */
import type { Text } from '../../aligned.js';

/** A label, what stands behind it, and whether it is told. A row without a text is left out. */
export type StatusRow = readonly [label: string, text: Text | null, isTold?: boolean];

/** The rows that are told, without their third column. */
export function toldRows(
  rows: readonly StatusRow[],
): (readonly [label: string, text: Text | null])[] {
  return rows.flatMap(([label, text, isTold = true]) => (isTold ? [[label, text] as const] : []));
}

/** A row for each. */
export function rowsOf<T>(
  label: string,
  all: readonly T[],
  textOf: (element: T) => Text,
): StatusRow[] {
  return all.map((element) => [label, textOf(element)]);
}
