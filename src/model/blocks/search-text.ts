/**
 * What a search looks through in a block: what people read of it, folded. The column `search_text` has it; where a file
 * was written with another folding, or has none, a search folds while it reads.
 */
import { FOLDING, foldText } from '../../base/text/fold-text.js';
import { parseJson } from '../../base/text/parse-json.js';
import { isListShape, shapeOf, type ListShape } from './block-types.js';
import { entriesOf, questionText, sourceFields } from './list-entries.js';
import { wordsOfMarkdown } from '../markdown/read-markdown.js';
import { withoutSecrets } from '../urls/url-secrets.js';

/** As the table `blocks` has it. */
export interface SearchedBlock {
  readonly role: string | null;
  readonly type: string | null;
  readonly text: string | null;
  /** The parsed JSON of its content. */
  readonly content: unknown;
}

/**
 * One text as a rule, of a list each of its entries: a phrase is in one of them. Without the secrets of URLs.
 *
 * @param ofMarkdown default: only the words count, and marks may stay between them, which saves parsing most texts
 */
export function textsAsRead(
  { role, type, text, content }: SearchedBlock,
  ofMarkdown = wordsOfMarkdown,
): string[] {
  const shape = shapeOf(type);
  // people type questions as they come: a star in them is a star
  const isMarkdown = role !== 'question' && shape !== 'code';
  const texts = text === null ? [] : [isMarkdown ? ofMarkdown(text) : text];
  return isListShape(shape) ? [...texts, ...textsOfList(shape, content)] : texts;
}

function textsOfList(shape: ListShape, content: unknown): string[] {
  const said = entriesOf(content).flatMap((entry) => {
    const source = shape === 'sources' ? sourceFields(entry) : undefined;
    return source ? [source['source'], source['content']] : [questionText(entry)];
  });
  return said.flatMap((text) => (typeof text === 'string' ? [withoutSecrets(text)] : []));
}

/** Undefined of what is no JSON. */
export function contentOf(json: string | null): unknown {
  try {
    return json === null ? undefined : parseJson(json);
  } catch {
    return undefined;
  }
}

/** In all: a longer text is folded while it is read. */
const MOST_CHARACTERS = 8_000_000;

/** What the columns for searches have: the words of texts, folded, and the version of the folding. */
export function searchCells(texts: readonly string[]) {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return characters > MOST_CHARACTERS
    ? { search_text: null, search_version: null }
    : { search_text: searchText(texts), search_version: FOLDING };
}

/** The words of texts, folded, with a blank at both ends of each; null where there are none. */
export function searchText(texts: readonly string[]): string | null {
  const folded = texts.map(foldText).join('');
  return folded.trim() === '' ? null : folded;
}
