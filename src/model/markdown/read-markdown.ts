/** Markdown as it is read: its text without marks, without the addresses of links, and with what its entities stand for. */
import type { MarkdownIt, Token } from 'markdown-it';
import { markdownParser } from './parse-markdown.js';

/** A longer text is shown as it is, and so it is read. */
const LONGEST = 200_000;

/**
 * Where marks change what is read beyond blanks and punctuation: within a word, in links, pictures, entities and escapes,
 * and before a line break of HTML. Of every other text the words are the same with its marks, which saves parsing it.
 */
const CHANGES_WORDS =
  /(?<=[\p{L}\p{N}])[*~`]+[\p{L}\p{N}]|\]\(|&(?:#|\p{L})|\\[!-/:-@[-`{-~]|<(?:br|sub|sup)\b/iu;
const MARK = /[*_~`\]&\\<]/;

let parser: MarkdownIt | undefined;

/** @returns the text, then a line for each address of a link or picture in it */
export function readMarkdown(source: string): string {
  if (source.length > LONGEST || !MARK.test(source)) return source;
  parser ??= markdownParser();
  const reader = new Reader();
  for (const token of parser.parse(source, {})) reader.take(token);
  return [...reader.texts, ...reader.addresses].join('');
}

/** A text with the words of the Markdown as it is read: marks may stay between them. */
export function wordsOfMarkdown(source: string): string {
  return MARK.test(source) && CHANGES_WORDS.test(source) ? readMarkdown(source) : source;
}

class Reader {
  readonly texts: string[] = [];
  readonly addresses: string[] = [];

  take(token: Token): void {
    switch (token.type) {
      case 'inline':
        for (const child of token.children ?? []) this.take(child);
        this.texts.push('\n');
        return;
      case 'softbreak':
      case 'hardbreak':
        this.texts.push('\n');
        return;
      case 'link_open':
        this.#address(token.attrGet('href'));
        return;
      case 'image':
        this.texts.push(token.content);
        this.#address(token.attrGet('src'));
        return;
      default:
        if (token.content === '') return;
        this.texts.push(token.content);
        if (token.block) this.texts.push('\n');
    }
  }

  /** A `data:` address is the picture itself. */
  #address(address: string | number | null): void {
    const text = String(address ?? '');
    if (text !== '' && !/^data:/i.test(text)) this.addresses.push('\n', text);
  }
}
