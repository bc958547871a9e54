/** Where the words of a search stand in a text. The report's page uses it, too: nothing here needs Node. */
import type { SearchTerm, SearchWords } from './parse-words.js';
import { termRegExp } from './term-pattern.js';

/** @param texts those of one job; a term must stand in one of them as a whole */
export function matchesWords({ wanted, unwanted }: SearchWords, texts: readonly string[]): boolean {
  const isThere = (term: SearchTerm): boolean => {
    const pattern = compiled(term);
    return texts.some((text) => text.search(pattern) >= 0);
  };
  return wanted.every((some) => some.some(isThere)) && !unwanted.some(isThere);
}

export interface FoundSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where the wanted words stand in a text as it was written, in order, none over another. */
export function spansOfWords({ wanted }: SearchWords, text: string): FoundSpan[] {
  const spans = wanted.flat().flatMap((term) =>
    Array.from(text.matchAll(compiled(term)), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
    })),
  );
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return spans.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

const known = new WeakMap<SearchTerm, RegExp>();

function compiled(term: SearchTerm): RegExp {
  let pattern = known.get(term);
  if (!pattern) known.set(term, (pattern = termRegExp(term)));
  return pattern;
}
