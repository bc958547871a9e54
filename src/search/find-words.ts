/** Where the words of a search stand in a text. The report's page uses it, too: nothing here needs Node. */
import { foldWithPlaces } from '../base/text/fold-text.js';
import { soughtIn, type SearchTerm, type SearchWords } from './parse-words.js';

/** @param folded the texts of one job; a term must stand in one of them as a whole */
export function matchesWords(
  { wanted, unwanted }: SearchWords,
  folded: readonly string[],
): boolean {
  const isThere = (term: SearchTerm): boolean => {
    const sought = soughtIn(term);
    return folded.some((text) => text.includes(sought));
  };
  return wanted.every((some) => some.some(isThere)) && !unwanted.some(isThere);
}

interface FoundSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where the wanted words stand in a text as it was written, in order, none over another. */
export function spansOfWords({ wanted }: SearchWords, text: string): FoundSpan[] {
  const { folded, starts, ends } = foldWithPlaces(text);
  const spans = wanted.flat().flatMap((term) => {
    const sought = soughtIn(term);
    const first = sought.startsWith(' ') ? 1 : 0;
    const last = first + term.text.length - 1;
    return placesIn(folded, sought).map((at) => ({
      start: starts[at + first] ?? 0,
      end: ends[at + last] ?? text.length,
    }));
  });
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return spans.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

/** A blank may end one place and begin the next. */
function placesIn(folded: string, sought: string): number[] {
  const places: number[] = [];
  for (let at = folded.indexOf(sought); at >= 0; at = folded.indexOf(sought, at + 1)) {
    places.push(at);
  }
  return places;
}
