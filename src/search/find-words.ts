/**
 * Where the words of a search stand in a text. The report's page uses it, too: nothing here needs Node.
 * A word is found at the beginning of a word, a phrase as whole words; in scripts whose words are not set
 * apart by blanks, or begin with particles (Arabic, Hebrew), both are found anywhere.
 */
import { foldedWithPlaces } from './fold-text.js';
import type { SearchTerm, SearchWords } from './parse-words.js';

/** Letters and digits of the scripts whose words have a beginning and an end that can be seen. */
export const IN_WORD =
  /(?![ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Arab}\p{sc=Hebr}])[\p{L}\p{N}\p{M}]/u;

/** @param characters of a folded text: one, or none */
export function isInWord(characters: string): boolean {
  return IN_WORD.test(characters);
}

/** @param texts folded: those of one job; a term must stand in one of them as a whole */
export function matchesWords({ wanted, unwanted }: SearchWords, texts: readonly string[]): boolean {
  const isThere = (term: SearchTerm): boolean => texts.some((text) => placeOfTerm(term, text) >= 0);
  return wanted.every((some) => some.some(isThere)) && !unwanted.some(isThere);
}

/** The first place from `from` on; -1 where there is none. @param text folded */
export function placeOfTerm(term: SearchTerm, text: string, from = 0): number {
  const length = term.text.length;
  const mustBegin = isInWord(term.text.slice(0, characterLength(term.text, 0)));
  const mustEnd = term.isPhrase && isInWord(characterBefore(term.text, length));
  for (let at = text.indexOf(term.text, from); at >= 0; at = text.indexOf(term.text, at + 1)) {
    const end = at + length;
    if (mustBegin && isInWord(characterBefore(text, at))) continue;
    if (mustEnd && isInWord(text.slice(end, end + characterLength(text, end)))) continue;
    return at;
  }
  return -1;
}

export interface FoundSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where the wanted words stand in a text as it was written, in order, none over another. */
export function spansOfWords({ wanted }: SearchWords, original: string): FoundSpan[] {
  const { text, places } = foldedWithPlaces(original);
  const spans: FoundSpan[] = [];
  for (const term of wanted.flat()) {
    const { length } = term.text;
    for (let at = placeOfTerm(term, text); at >= 0; at = placeOfTerm(term, text, at + length)) {
      const last = places[at + length - 1] ?? 0;
      let after = at + length;
      // what folds to several characters, and accents that follow, are marked as a whole
      while ((places[after] ?? original.length) <= last) after++;
      spans.push({ start: places[at] ?? 0, end: places[after] ?? original.length });
    }
  }
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return spans.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

/** In UTF-16 units. */
function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function characterBefore(text: string, end: number): string {
  const isPair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
  return text.slice(Math.max(0, end - (isPair ? 2 : 1)), end);
}
