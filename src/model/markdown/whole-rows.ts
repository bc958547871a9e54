/** Rows of Markdown tables that have more cells than the table has columns: nothing of them is left out. */
import type { MarkdownIt, StateCore, Token } from 'markdown-it';

const SEPARATOR = /(?<!\\)\|/g;
/** A separator of cells, or a whole that has none: code and formulas, in which a pipe separates nothing. */
const SEPARATOR_OR_WHOLE =
  /(?<!`)(``{0,3})(?!`)[^]{0,500}?[^`]\1(?!`)|\$(?![\s$])(?:\\.|[^\\$]){0,500}?\$(?!\d)|\\\([^]{0,500}?\\\)|(?<!\\)\|/g;

export function readWholeRows(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'whole_rows', wholeRows);
}

function wholeRows({ src, tokens }: StateCore): void {
  if (!tokens.some(({ type }) => type === 'tbody_open')) return;
  const lines = src.split('\n');
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'tr_open') continue;
    const cells = cellsBehind(tokens, at);
    const line = (lines[token.map?.[0] ?? -1] ?? '').replace(/^[\s>]*/, '').trimEnd();
    const sent = textsOf(line, SEPARATOR);
    if (sent.length <= cells.length) continue;
    const whole = textsOf(line, SEPARATOR_OR_WHOLE);
    const texts = whole.length === cells.length ? whole : withRest(sent, cells.length);
    for (const [index, cell] of cells.entries()) {
      cell.content = (texts[index] ?? '').trim().replaceAll('\\|', '|');
    }
  }
}

/** The contents of the cells of a row. */
function cellsBehind(tokens: readonly Token[], row: number): Token[] {
  const cells: Token[] = [];
  for (let at = row; at < tokens.length && tokens[at]?.type !== 'tr_close'; at++) {
    const token = tokens[at];
    if (token?.type === 'inline') cells.push(token);
  }
  return cells;
}

/** The text of each cell, without the pipes at the ends of the line. */
function textsOf(line: string, separator: RegExp): string[] {
  const texts: string[] = [];
  let from = 0;
  for (const { 0: found, index } of line.matchAll(separator)) {
    if (found !== '|') continue;
    texts.push(line.slice(from, index));
    from = index + 1;
  }
  texts.push(line.slice(from));
  if (texts[0] === '') texts.shift();
  if (texts.at(-1) === '') texts.pop();
  return texts;
}

/** The last cell has what is left, with its pipes. */
function withRest(texts: readonly string[], count: number): string[] {
  return [...texts.slice(0, count - 1), texts.slice(count - 1).join('|')];
}
