/** Markdown from the service as HTML that can do nothing: no tags of its own, no pictures from elsewhere, links to web and mail only. */
import hljs from 'highlight.js/lib/common';
import type { Token } from 'markdown-it';
import { escapeHtml } from '../../base/text/short-texts.js';
import { BLOCK_FORMULA, INLINE_FORMULA } from '../../model/markdown/formulas.js';
import { SCRIPT } from '../../model/markdown/marks.js';
import { markdownParser } from '../../model/markdown/parse-markdown.js';
import { fencedCode } from '../../model/markdown/fenced-code.js';
import { PICTURE } from './safe-html.js';
import { directionOf } from '../../base/text/direction.js';

/** Longer text stays as it is: parsing must not hold everything up. */
const MAX_MARKDOWN_CHARACTERS = 200_000;
const LINK = /^(?:https?:\/\/|mailto:)/i;
/** Headings in an answer stand below those of the page. */
const HEADING_SHIFT = 2;

/** A cell that does not break at a hyphen, however narrow the screen: 2025-01. */
const NUMBER_OR_DATE = /^[\d.,:/%+-]{1,19}$/;

const markdown = markdownParser().set({ linkify: true, breaks: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => LINK.test(url.trim()) || PICTURE.test(url);

markdown.core.ruler.push('adapt_to_page', ({ tokens }) => {
  for (const [at, token] of tokens.entries()) {
    const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
    if (alignment !== undefined) token.attrs = [['class', `to-${alignment}`]]; // style attributes are refused
    if (token.type === 'td_open' && NUMBER_OR_DATE.test(tokens[at + 1]?.content ?? '')) {
      token.attrJoin('class', 'short');
    }
    // the number that was sent, whatever stands before it
    if (token.type === 'list_item_open' && token.info !== '') token.attrSet('value', token.info);
    if (PARAGRAPHS.has(token.type)) token.attrSet('dir', 'auto');
    if (!token.type.startsWith('heading_')) continue;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + HEADING_SHIFT)}`;
  }
  giveDirections(tokens);
});

/** What has a direction of its own, by its first letter. */
const PARAGRAPHS: ReadonlySet<string> = new Set([
  'paragraph_open',
  'heading_open',
  'td_open',
  'th_open',
]);
/** What has paragraphs in it: the browser does not look into these for the first letter. */
const CONTAINER = /^(?:bullet_list|ordered_list|list_item|blockquote|table)_(open|close)$/;

function giveDirections(tokens: readonly Token[]): void {
  const open: Token[] = [];
  for (const token of tokens) {
    const [, end] = CONTAINER.exec(token.type) ?? [];
    if (end === 'open') open.push(token);
    if (end === 'close') open.pop();
    const direction = token.type === 'inline' ? directionOf(token.content) : undefined;
    if (direction === undefined) continue;
    for (const container of open) {
      if (container.attrGet('dir') === null) container.attrSet('dir', direction);
    }
  }
}

markdown.renderer.rules['link_open'] = (tokens, index, options, _environment, self) => {
  tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
  tokens[index]?.attrSet('target', '_blank');
  return self.renderToken(tokens, index, options);
};
// a picture would be fetched from wherever it says: its text stands for it
markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const text = token?.content === '' ? 'picture' : (token?.content ?? '');
  const source = String(token?.attrGet('src') ?? '');
  if (PICTURE.test(source)) return `<img src="${source}" alt="${escapeHtml(text)}">`;
  if (!LINK.test(source)) return escapeHtml(text);
  return `<a href="${escapeHtml(source)}" rel="noopener noreferrer nofollow" target="_blank">${escapeHtml(text)}</a>`;
};
markdown.renderer.rules['table_open'] = (tokens, index) => {
  const direction = String(tokens[index]?.attrGet('dir') ?? 'auto');
  return `<div class="wide" dir="${direction}" role="group" aria-label="Table" tabindex="0"><table>`;
};
markdown.renderer.rules['table_close'] = () => '</table></div>';
const codeRule = (content: string, info: string): string => codeHtml(content, languageOf(info));
markdown.renderer.rules['fence'] = (tokens, index) =>
  codeRule(tokens[index]?.content ?? '', tokens[index]?.info ?? '');
markdown.renderer.rules['code_block'] = (tokens, index) =>
  codeRule(tokens[index]?.content ?? '', '');
markdown.renderer.rules['code_inline'] = (tokens, index) =>
  `<code dir="ltr">${escapeHtml(tokens[index]?.content ?? '')}</code>`;
markdown.renderer.rules[INLINE_FORMULA] = (tokens, index) =>
  `<span class="formula" dir="ltr">${escapeHtml(tokens[index]?.content ?? '')}</span>`;
markdown.renderer.rules[BLOCK_FORMULA] = (tokens, index) =>
  `<p class="formula" dir="ltr">${escapeHtml(tokens[index]?.content ?? '')}</p>\n`;
markdown.renderer.rules[SCRIPT] = (tokens, index) => {
  const { tag = 'span', content = '' } = tokens[index] ?? {};
  return `<${tag}>${escapeHtml(content)}</${tag}>`;
};

export function markdownHtml(text: string): string {
  if (text.length > MAX_MARKDOWN_CHARACTERS) {
    return `<p class="long" dir="auto">${escapeHtml(text)}</p>`;
  }
  return markdown.render(text);
}

/** A CODE block: what stands in its fence, or all of it. @param language where no fence is around it */
export function codeBlockHtml(text: string, language: string): string {
  const fenced = fencedCode(text);
  return fenced ? codeHtml(fenced.code, fenced.language ?? '') : codeHtml(text, language);
}

function codeHtml(code: string, language: string): string {
  const html = highlightedCode(code.replace(/\n$/, ''), language);
  return `<pre tabindex="0" dir="ltr"><code class="hljs">${html}</code></pre>\n`;
}

function languageOf(info: string): string {
  return (info.trim().split(/\s+/, 1)[0] ?? '').toLowerCase();
}

/** Longer code stays plain, so that one block cannot hold everything up. */
const MAX_CODE_CHARACTERS = 50_000;
/** With the classes of highlight.js; a language that it does not know stays plain. @param language as a fence names it; never guessed */
function highlightedCode(code: string, language: string): string {
  if (code.length > MAX_CODE_CHARACTERS || !hljs.getLanguage(language)) return escapeHtml(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
