/**
 * Marks the words of the search that chose the jobs of the page, where they stand in what is shown. Only texts are cut
 * into pieces: nothing of them is ever read as HTML.
 */
import { spansOfWords } from '../../search/find-words.js';
import { parseWords, type SearchWords } from '../../search/parse-words.js';
import type { SearchField } from '../../search/search-fields.js';
import { make } from './elements.js';

interface Sought {
  readonly words: SearchWords;
  /** Where they were looked for; undefined: everywhere. */
  readonly fields: readonly string[] | undefined;
}

/** A word that begins in one of these does not go on in the next. */
const BLOCKS = 'p, li, th, td, h1, h2, h3, h4, h5, h6, pre, blockquote, figcaption, div, b, dt, dd';

let known: Sought | null | undefined;

/** Null of a page of everything. */
function sought(): Sought | null {
  if (known !== undefined) return known;
  const { match, in: fields } = document.body.dataset;
  known = match === undefined ? null : { words: parseWords(match), fields: fields?.split(' ') };
  return known;
}

/** The words that were looked for in this field; null where there are none. */
function wordsIn(field: SearchField): SearchWords | null {
  const search = sought();
  return search && (search.fields?.includes(field) ?? true) ? search.words : null;
}

/** The field in which a text or a piece of code of a question was looked for. */
export function fieldOfQuestion(otherwise: SearchField): SearchField {
  return wordsIn('question') ? 'question' : otherwise;
}

/** A text, with what was found in it in elements of its own. */
export function markedText(text: string, field: SearchField): (Node | string)[] {
  const words = wordsIn(field);
  return words ? inPieces(text, words) : [text];
}

/** @returns the text as it is, where it has none of the words */
export function inPieces(text: string, words: SearchWords): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let from = 0;
  for (const { start, end } of spansOfWords(words, text)) {
    parts.push(text.slice(from, start), make('mark', {}, text.slice(start, end)));
    from = end;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** Marks in place, also where a word stands in several elements, as in code that is coloured. @returns the element */
export function withMarks<E extends HTMLElement>(element: E, field: SearchField): E {
  const words = wordsIn(field);
  if (!words) return element;
  const runs = new Map<Element, Text[]>();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    const block = text.parentElement?.closest(BLOCKS) ?? element;
    const run = runs.get(block);
    if (run) run.push(text);
    else runs.set(block, [text]);
  }
  for (const run of runs.values()) markRun(run, words);
  return element;
}

/** @param run texts that are read as one */
function markRun(run: readonly Text[], words: SearchWords): void {
  const spans = spansOfWords(words, run.map(({ data }) => data).join(''));
  let begin = 0;
  for (const text of run) {
    const [first, end] = [begin, begin + text.length];
    begin = end;
    // from the last: what is cut off does not move what stands before it
    for (const span of spans.toReversed()) {
      if (span.start >= end || span.end <= first) continue;
      if (span.end < end) text.splitText(span.end - first);
      const found = text.splitText(Math.max(0, span.start - first));
      found.replaceWith(make('mark', {}, found.data));
    }
  }
}
