/** A block's row as the page shows it: every type has a way to be shown, the unknown ones as JSON. */
import { parseJson, skipString } from '../../base/text/parse-json.js';
import { withoutSecrets } from '../../model/signed-url.js';
import {
  isListShape,
  isTextShape,
  shapeOf,
  type ListShape,
  type TextShape,
} from '../../model/block-types.js';
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/mask-secrets.js';
import type { ArtifactFiles, LongTexts } from '../long-texts.js';
import { numberIn } from '../tallies.js';
import type { BlockView, SourceView } from '../page-data.js';
import type { PieceTables } from '../piece-tables.js';
import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../../base/text/short-texts.js';
import { highlightedCode } from '../highlighted-code.js';

export interface BlockContext {
  readonly files: ArtifactFiles;
  readonly tables: PieceTables;
  readonly longTexts: LongTexts;
  /** Names of datasets by id, where the archive has them. */
  readonly datasets: ReadonlyMap<string, string>;
}

const INLINE_IMAGES = new Set(['png', 'jpg', 'gif', 'webp']);

/** @param artifacts the rows of the files that the block points to, in order */
export async function blockViews(
  block: Row,
  artifacts: readonly Row[],
  context: BlockContext,
): Promise<BlockView[]> {
  const own = contentView(block, context);
  const files: BlockView[] = [];
  for (const row of artifacts) files.push(await fileView(row, context));
  // a block that has only files needs no JSON beside them
  if (own.kind === 'json' && files.length > 0) return files;
  const whole = context.longTexts.fileOf(block);
  return whole ? [whole, own, ...files] : [own, ...files];
}

function contentView(block: Row, context: BlockContext): BlockView {
  const type = textIn(block, 'type') ?? textIn(block, 'type_raw') ?? 'without a type';
  const text = textIn(block, 'content_text');
  const shape = shapeOf(type);
  if (text !== null) return TEXT_VIEWS[isTextShape(shape) ? shape : 'prose'](text, block);
  const json = textIn(block, 'content_json');
  const value = parsed(json);
  if (isListShape(shape) && Array.isArray(value)) return LIST_VIEWS[shape](value, context);
  return { kind: 'json', type, json: withoutSecrets(spaced(json, value)) };
}

const TEXT_VIEWS: Readonly<Record<TextShape, (text: string, block: Row) => BlockView>> = {
  // people type questions as they come: a star in them is a star
  prose: (text, block) =>
    textIn(block, 'role') === 'question'
      ? { kind: 'text', text }
      : { kind: 'markdown', html: markdownHtml(text) },
  code: (text, block) => {
    const language = textIn(block, 'code_language') ?? '';
    return { kind: 'code', html: codeBlockHtml(text, language), language };
  },
};

const LIST_VIEWS: Readonly<
  Record<ListShape, (list: readonly unknown[], context: BlockContext) => BlockView>
> = {
  sources: (list, { datasets }) => ({
    kind: 'sources',
    sources: list.map((one) => sourceView(one, datasets)),
  }),
  questions: (list) => ({
    kind: 'questions',
    questions: list.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
  }),
};

/** A file as the page shows it, or why it has none. */
export async function fileView(row: Row, context: BlockContext): Promise<BlockView> {
  const type = textIn(row, 'kind') ?? 'without a type';
  const path = textIn(row, 'path');
  const name = textIn(row, 'name') ?? type;
  const status = textIn(row, 'status') ?? 'no status';
  if (status !== 'stored' || path === null) {
    return { kind: 'lost', type, name, status, reason: textIn(row, 'reason') ?? '' };
  }
  const file = await context.files.addressOf(path);
  const extension = path.slice(path.lastIndexOf('.') + 1);
  if (file !== null && INLINE_IMAGES.has(extension)) {
    const size = { width: numberIn(row, 'width'), height: numberIn(row, 'height') };
    return { kind: 'image', name, file, ...size };
  }
  if (file !== null && shapeOf(type) === 'table') {
    const table = await context.tables.add(row, path);
    if (table !== null) return { kind: 'table', name, table, file };
  }
  const note = [textIn(row, 'media_type'), sizeText(numberIn(row, 'bytes'))];
  return { kind: 'file', name, file, note: note.filter((one) => one !== null).join(', ') };
}

function sourceView(value: unknown, datasets: ReadonlyMap<string, string>): SourceView {
  if (typeof value !== 'object' || value === null) {
    return { name: JSON.stringify(value), type: '', dataset: '', more: '', passage: '' };
  }
  const { source, file_type, dataset_id, datasource_id, external_id, content, page_no, ...more } =
    value as Record<string, unknown>;
  const dataset = typeof dataset_id === 'string' ? dataset_id : '';
  return {
    name: typeof source === 'string' && source !== '' ? source : textOr(datasource_id, 'unnamed'),
    type: typeof file_type === 'string' ? file_type : '',
    dataset: datasets.get(dataset) ?? dataset,
    more: [
      ...(typeof external_id === 'string' && external_id !== '' ? [external_id] : []),
      ...(page_no === undefined ? [] : [`page ${JSON.stringify(page_no)}`]),
      ...Object.entries(more).map(([key, one]) => `${key}: ${JSON.stringify(one)}`),
    ].join(', '),
    passage: passageOf(content),
  };
}

function passageOf(content: unknown): string {
  if (content === undefined) return '';
  return typeof content === 'string' ? withoutSecrets(content) : JSON.stringify(content);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : parseJson(json);
  } catch {
    return undefined;
  }
}

/** Spread over lines, unless that would change a number in it. */
function spaced(json: string | null, value: unknown): string {
  if (json === null) return 'null';
  if (value === undefined || JSON.stringify(value) !== compact(json)) return json;
  return JSON.stringify(value, null, 2);
}

/** Without the white space between its parts. @param json valid */
function compact(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', done)) {
    pieces.push(withoutSpace(json.slice(done, quote)));
    done = skipString(json, quote);
    pieces.push(json.slice(quote, done));
  }
  return pieces.join('') + withoutSpace(json.slice(done));
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

function sizeText(bytes: number | null): string | null {
  if (bytes === null) return null;
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}

/** Markdown from the service as HTML that can do nothing: no tags of its own, no pictures from elsewhere, links to web and mail only. */

/** Longer text stays as it is: parsing must not hold everything up. */
const MAX_CHARACTERS = 200_000;
const LINK = /^(?:https?:\/\/|mailto:)/i;
/** Headings in an answer stand below those of the page. */
const HEADING_SHIFT = 2;

/** A cell that does not break at a hyphen, however narrow the screen: 2025-01. */
const NUMBER_OR_DATE = /^[\d.,:/%+-]{1,19}$/;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => LINK.test(url.trim());

markdown.core.ruler.push('adapt_to_page', ({ tokens }) => {
  for (const [at, token] of tokens.entries()) {
    const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
    if (alignment !== undefined) token.attrs = [['class', `to-${alignment}`]]; // style attributes are refused
    if (token.type === 'td_open' && NUMBER_OR_DATE.test(tokens[at + 1]?.content ?? '')) {
      token.attrJoin('class', 'short');
    }
    if (!token.type.startsWith('heading_')) continue;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + HEADING_SHIFT)}`;
  }
});

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
  if (!LINK.test(source)) return escapeHtml(text);
  return `<a href="${escapeHtml(source)}" rel="noopener noreferrer nofollow" target="_blank">${escapeHtml(text)}</a>`;
};
markdown.renderer.rules['table_open'] = () =>
  '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>';
const codeRule = (content: string, info: string): string => codeHtml(content, languageOf(info));
markdown.renderer.rules['fence'] = (tokens, index) =>
  codeRule(tokens[index]?.content ?? '', tokens[index]?.info ?? '');
markdown.renderer.rules['code_block'] = (tokens, index) =>
  codeRule(tokens[index]?.content ?? '', '');

export function markdownHtml(text: string): string {
  const shown = withoutSecrets(text);
  if (shown.length > MAX_CHARACTERS) return `<p class="long">${escapeHtml(shown)}</p>`;
  return markdown.render(shown);
}

/** A CODE block: Markdown with a fence, or bare code. */
export function codeBlockHtml(text: string, language: string): string {
  const hasFence = /^[ \t]*(?:```|~~~)/m.test(text);
  return hasFence ? markdownHtml(text) : codeHtml(withoutSecrets(text), language);
}

function codeHtml(code: string, language: string): string {
  const html = highlightedCode(code.replace(/\n$/, ''), language);
  return `<pre tabindex="0"><code class="hljs">${html}</code></pre>\n`;
}

function languageOf(info: string): string {
  return (info.trim().split(/\s+/, 1)[0] ?? '').toLowerCase();
}
