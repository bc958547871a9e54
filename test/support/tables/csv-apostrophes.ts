/** Reads CSV back as the README of a pack says. */

/** An apostrophe at the start, and one behind each separator or line end. */
const ADDED = /(^|[;\t\r\n])'/g;

/** A text as it was before it became a field, once a CSV reader has taken the quotes away. */
export function withoutApostrophes(text: string): string {
  return text.replace(ADDED, '$1');
}
