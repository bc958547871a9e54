/**
 * The words of a search: `budget "net revenue" -draft`, and `2024 OR 2025`, which joins its two neighbours; and text as a
 * search compares it: in small letters, without accents, compatibility forms as plain ones (NFKD), white space as one
 * blank. The report's page uses it, too: nothing here needs Node.
 */

/** A syllable in pieces is the same as the syllable. */
const JAMO = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/g;
const HANGUL = /^[\uac00-\ud7a3]$/;
/**
 * Invisible characters, the stretched Arabic line, and marks that are accents of a letter. Vowel signs of
 * Devanagari, Thai and others are letters of their own, and stay.
 */
const IGNORED =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]|(?=\p{M})[\p{sc=Zinh}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Cyrl}]/gu;

const composed = (syllable: string): string => syllable.normalize('NFC');

const known = new Map<string, string>();

/** @param character one code point @returns nothing, one or several characters */
function foldedCharacter(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  const folded = HANGUL.test(character)
    ? character
    : character
        .normalize('NFKD')
        .replace(IGNORED, '')
        // up and down: ß is ss, the dotless ı is i, ς is σ
        .replace(/./gsu, (one) => one.toUpperCase().toLowerCase())
        .replace(/\s/gu, ' ')
        .replace(JAMO, composed); // ㈎ holds one in pieces
  known.set(character, folded);
  return folded;
}

export function foldedText(text: string): string {
  const isAscii = !/[^\p{ASCII}]/u.test(text);
  const plain = isAscii
    ? text
    : text.replace(JAMO, composed).replace(/[^\p{ASCII}]/gu, foldedCharacter);
  return plain.toLowerCase().replace(/[\s\p{Cc}][\s\p{Cc}]*/gu, ' ');
}

/** Letters and digits of the scripts whose words have a beginning and an end that can be seen. */
export const IN_WORD =
  /(?![ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Arab}\p{sc=Hebr}])[\p{L}\p{N}\p{M}]/u;

/** @param characters of a folded text: one, or none */
export function isInWord(characters: string): boolean {
  return IN_WORD.test(characters);
}

export interface SearchTerm {
  /** Folded, as texts are before they are searched. */
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
/** Letters, digits and symbols such as an emoji: what can be looked for. */
const TELLING = /[\p{L}\p{N}\p{S}]/u;

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
    const text = foldedText(phrase ?? word ?? '').trim();
    if (!TELLING.test(text)) continue;
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
