/** Formulas in Markdown: `\(…\)`, `\[…\]`, `$…$` and `$$…$$` are tokens of their own, whose content is the text as sent. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/** The token of a formula within a line of text; its content has the delimiters. */
export const INLINE_FORMULA = 'formula';
/** The token of a formula that has lines of its own. */
export const BLOCK_FORMULA = 'formula_block';

/** A sign that begins a formula and is never closed must not make reading slow. */
const MAX_INLINE_CHARACTERS = 1_000;
const MAX_BLOCK_LINES = 100;

const BLOCK_ENDS: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' };

/** `[opening, closing]`; the longer one of `$$` and `$` first. */
const INLINE_DELIMITERS = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$$', '$$'],
  ['$', '$'],
] as const;

export function readFormulas(markdown: MarkdownIt): void {
  markdown.block.ruler.before('fence', BLOCK_FORMULA, blockRule, {
    alt: ['paragraph', 'blockquote', 'list'],
  });
  markdown.inline.ruler.before('escape', INLINE_FORMULA, inlineRule);
}

/** Lines from one that begins with a delimiter to one that ends with the closing delimiter. */
function blockRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const first = lineText(state, start);
  const opening = first.slice(0, 2);
  const closing = BLOCK_ENDS[opening];
  if (closing === undefined || indentOf(state, start) >= 4) return false;
  const last = closingLine(state, { start, end, closing });
  if (last === undefined) return false;
  if (silent) return true;
  const token = state.push(BLOCK_FORMULA, '', 0);
  token.content = state.getLines(start, last + 1, state.blkIndent, false).trimEnd();
  token.map = [start, last + 1];
  state.line = last + 1;
  return true;
}

function closingLine(
  state: StateBlock,
  { start, end, closing }: { start: number; end: number; closing: string },
): number | undefined {
  const limit = Math.min(end, start + MAX_BLOCK_LINES);
  for (let line = start; line < limit; line++) {
    if (line > start && indentOf(state, line) < 0) return undefined;
    const text = lineText(state, line).slice(line === start ? closing.length : 0);
    const at = text.indexOf(closing);
    if (at >= 0) return text.slice(at + closing.length).trim() === '' ? line : undefined;
  }
  return undefined;
}

function indentOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}

/** Without what makes it part of a list or a quote. */
function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

function inlineRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const delimiters = INLINE_DELIMITERS.find(([opening]) => src.startsWith(opening, pos));
  if (!delimiters) return false;
  const [opening, closing] = delimiters;
  const limit = Math.min(state.posMax, pos + MAX_INLINE_CHARACTERS);
  const text = src.slice(pos, limit);
  const length =
    opening === '$'
      ? dollarsLength(text, src.charAt(pos - 1))
      : bracketsLength(text, opening, closing);
  if (length === undefined) return false;
  if (!silent) state.push(INLINE_FORMULA, '', 0).content = text.slice(0, length);
  state.pos += length;
  return true;
}

function bracketsLength(text: string, opening: string, closing: string): number | undefined {
  const at = text.indexOf(closing, opening.length);
  return at <= opening.length ? undefined : at + closing.length;
}

const DOLLARS = /^\$(?![\s$])(?:\\[^]|[^\\$])*[^\s$]\$(?![A-Za-z\d])/;
const DIGIT_FIRST = /^\$\d[^\\^_={}]*$/;

/**
 * No space follows the first dollar or precedes the second, and no letter or digit stands before or behind the two:
 * `$5 and $10` are prices, `US$` is a currency. What begins with a digit has a sign that only formulas have.
 */
function dollarsLength(text: string, before: string): number | undefined {
  const formula = DOLLARS.exec(text)?.[0];
  if (formula === undefined || /[A-Za-z\d]/.test(before)) return undefined;
  return DIGIT_FIRST.test(formula) ? undefined : formula.length;
}
