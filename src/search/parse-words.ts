/**
 * The words of a search: `budget "net revenue" -draft`, and `2024 OR 2025`, which joins its two neighbours. The report's
 * page uses it, too: nothing here needs Node.
 */
import { beginsAnywhere, endsAnywhere, foldText } from '../base/text/fold-text.js';

export interface SearchTerm {
  /** Folded words, one blank between two. */
  readonly text: string;
  /** It stood in quotes: found as whole words. Any other is found at the beginning of a word. */
  readonly isPhrase: boolean;
}

export interface SearchWords {
  /** Every list must be found: one of its terms, each anywhere in a job. Empty: every job is. */
  readonly wanted: readonly (readonly SearchTerm[])[];
  /** None of these may be found. */
  readonly unwanted: readonly SearchTerm[];
}

const QUOTES = '"“”„«»＂';
const TOKEN = new RegExp(`(-?)[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]?|(-?)([^\\s${QUOTES}]+)`, 'gu');
/** Takes every text: a quote that is not closed ends at the end, and an `OR` without a neighbour says nothing. */
export function parseWords(source: string): SearchWords {
  const wanted: SearchTerm[][] = [];
  const unwanted: SearchTerm[] = [];
  let isAlternative = false;
  for (const [token, minusOfPhrase, phrase, minus, word] of source.matchAll(TOKEN)) {
    if (token === 'OR') {
      isAlternative = true;
      continue;
    }
    const text = foldText(phrase ?? word ?? '').trim();
    if (text === '') continue;
    const term: SearchTerm = { text, isPhrase: phrase !== undefined };
    const before = wanted.at(-1);
    if ((minusOfPhrase ?? minus) === '-') unwanted.push(term);
    else if (isAlternative && before) before.push(term);
    else wanted.push([term]);
    isAlternative = false;
  }
  return { wanted, unwanted };
}

/** Whether the last quote has no end: while somebody types it may, in a command it is a mistake. */
export function hasOpenQuote(source: string): boolean {
  return Array.from(source).filter((character) => QUOTES.includes(character)).length % 2 === 1;
}

/** Whether there is nothing to look for. */
export function hasNoWords({ wanted, unwanted }: SearchWords): boolean {
  return wanted.length === 0 && unwanted.length === 0;
}

/**
 * What a folded text has where it has the word. A word is found at the beginning of a word, a phrase as whole words; in
 * scripts whose words are not set apart by blanks, or begin with particles (Arabic, Hebrew), both are found anywhere.
 */
export function soughtIn({ text, isPhrase }: SearchTerm): string {
  const begin = beginsAnywhere(text) ? '' : ' ';
  const end = isPhrase && !endsAnywhere(text) ? ' ' : '';
  return `${begin}${text}${end}`;
}
