/**
 * Text as a search compares it: in small letters, without accents, compatibility forms as plain ones (NFKD),
 * white space as one blank. The report's page uses it, too: nothing here needs Node.
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
        .replace(IGNORED, '')
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

export interface FoldedPlaces {
  /** As `foldedText` gives it. */
  readonly text: string;
  /** For each UTF-16 unit of `text`, and one more for its end: where that stands in the original. */
  readonly places: readonly number[];
}

/** The folded text with the way back: for what is shown of the original. */
export function foldedWithPlaces(original: string): FoldedPlaces {
  const places: number[] = [];
  let text = '';
  for (const { 0: piece, index } of original.matchAll(PIECE)) {
    const folded = foldedText(piece);
    if (folded === ' ' && text.endsWith(' ')) continue;
    text += folded;
    for (let unit = 0; unit < folded.length; unit++) places.push(index);
  }
  places.push(original.length);
  return { text, places };
}

const PIECE = new RegExp(`${JAMO.source}|.`, 'gsu');
