/** Markdown as it is read on paper: plain text without its marks, except where one carries a meaning, and its tables as rows of cells. */
import type { Token } from 'markdown-it';
import { BLOCK_FORMULA } from '../model/markdown/formulas.js';
import { SCRIPT } from '../model/markdown/marks.js';
import { markdownParser } from '../model/markdown/parse-markdown.js';

export interface PlainAnswer {
  readonly text: string;
  readonly tables: readonly AnswerTable[];
}

/** The heading first; of each row its cells. */
export type AnswerTable = readonly (readonly string[])[];

/** A longer text does not fit a cell by far, and stays as it is. */
const LONGEST = 100_000;
const BETWEEN_CELLS = ' | ';

const markdown = markdownParser();

export function plainAnswer(source: string): PlainAnswer {
  if (source.length > LONGEST) return { text: source, tables: [] };
  const reader = new PlainReader();
  for (const token of markdown.parse(source, {})) reader.take(token);
  return { text: reader.lines.join('\n'), tables: reader.tables };
}

class PlainReader {
  readonly lines: string[] = [];
  readonly tables: string[][][] = [];
  /** Lists that are open, one in the other. */
  #depth = 0;
  /** The mark of an item whose text has not come yet. */
  #bullet = '';
  #quotes = 0;
  /** Before the first text of a list that is in no other. */
  #isApart = false;
  /** The table that is open. */
  #table: string[][] | undefined;

  take(token: Token): void {
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.#depth++;
        this.#isApart ||= this.#depth === 1;
        return;
      case 'bullet_list_close':
      case 'ordered_list_close':
        this.#depth--;
        return;
      case 'list_item_open':
        // a number as it was sent, such as 7.
        this.#bullet = token.info === '' ? '• ' : `${token.info}${token.markup} `;
        return;
      case 'blockquote_open':
        this.#quotes++;
        return;
      case 'blockquote_close':
        this.#quotes--;
        return;
      case 'table_open':
        this.#table = [];
        return;
      case 'tr_open':
        this.#table?.push([]);
        return;
      case 'table_close':
        this.#endTable();
        return;
      case 'fence':
      case 'code_block':
      case BLOCK_FORMULA:
        this.#add(token.content.trimEnd());
        return;
      case 'hr':
        this.#add('———');
        return;
      case 'inline':
        this.#takeInline(token);
    }
  }

  #takeInline({ children, content }: Token): void {
    const text = children ? inlineText(children) : content;
    if (this.#table) this.#table.at(-1)?.push(text);
    else this.#add(text);
  }

  #endTable(): void {
    const rows = this.#table ?? [];
    this.#table = undefined;
    this.tables.push(rows);
    this.#add(rows.map((cells) => cells.join(BETWEEN_CELLS)).join('\n'));
  }

  /** A block is set apart by an empty line, but not within a list. */
  #add(text: string): void {
    const depth = this.#depth;
    if (this.lines.length > 0 && (depth === 0 || this.#isApart)) this.lines.push('');
    this.#isApart = false;
    const indent = '  '.repeat(this.#quotes + Math.max(0, depth - 1));
    const rest = depth > 0 ? `${indent}  ` : indent;
    const [first = '', ...more] = text.split('\n');
    this.lines.push(`${depth > 0 && this.#bullet === '' ? rest : indent}${this.#bullet}${first}`);
    for (const line of more) this.lines.push(`${rest}${line}`);
    this.#bullet = '';
  }
}

function inlineText(tokens: readonly Token[]): string {
  const texts: string[] = [];
  const links: { readonly href: string; readonly from: number }[] = [];
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') texts.push('\n');
    else if (token.type === 'image') texts.push(token.content || '(image)');
    else if (token.type === 'link_open') {
      links.push({ href: String(token.attrGet('href') ?? ''), from: texts.length });
    } else if (token.type === 'link_close') {
      const link = links.pop();
      const shown = texts.slice(link?.from).join('');
      if (link && link.href !== '' && link.href !== shown) texts.push(` (${link.href})`);
    } else if (token.type === 's_open' || token.type === 's_close') texts.push(token.markup);
    else texts.push(token.type === SCRIPT ? token.info : token.content);
  }
  return texts.join('');
}
