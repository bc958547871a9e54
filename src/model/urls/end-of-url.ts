/** Finds where a URL ends in a text. */
import { nextMatch } from '../../base/text/next-match.js';

const PLAIN_END = /[\s"'<>()[\]{}\\^`|]/g;
/** What ends the inside of each bracket, its closing one included. */
const INSIDE: Readonly<Record<string, { readonly end: RegExp; readonly closing: string }>> = {
  '(': { end: /[\s"'<>()]/g, closing: ')' },
  '[': { end: /[\s"'<>[\]]/g, closing: ']' },
  '{': { end: /[\s"'<>{}]/g, closing: '}' },
};

/**
 * The offset behind the query that begins at a `?`: it ends where Markdown, HTML or JSON would end it, but may
 * contain brackets in pairs.
 */
export function endOfUrl(text: string, mark: number): number {
  let end = mark + 1;
  for (;;) {
    end = nextMatch(PLAIN_END, text, end);
    const closing = closingOf(text, end);
    if (closing === undefined) return end;
    end = closing + 1;
  }
}

/** Where the bracket that opens at `at` is closed, with no other in between; undefined where none opens or it stays open. */
export function closingOf(text: string, at: number): number | undefined {
  const inside = INSIDE[text.charAt(at)];
  if (!inside) return undefined;
  const close = nextMatch(inside.end, text, at + 1);
  return text[close] === inside.closing ? close : undefined;
}
