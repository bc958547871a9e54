/** The direction in which a text is written, and the characters that would turn it or stay unseen. */

/** Embeddings, overrides and isolates: what shows a text in another order than it has. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/** In an id, also what takes no place: two ids that look the same are told apart. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

/** `\u202e` for a character that would turn the text, as a terminal shows it. */
export function visibleDirections(text: string): string {
  return text.replace(TURNING, escapedCharacter);
}

/** An id with every character that cannot be seen as its escape. */
export function visibleId(id: string): string {
  return id.replace(UNSEEN, escapedCharacter);
}

/** `\u202e`, `\u{e0041}`. */
export function escapedCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

const LETTER = /\p{L}/u;
/** Hebrew, Arabic, Syriac, Thaana, N'Ko and the further scripts that run to the left, with their presentation forms. */
const TO_THE_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The direction of a text by its first letter; undefined of a text without letters. */
export function directionOf(text: string): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return hasLettersToTheLeft(letter) ? 'rtl' : 'ltr';
}

export function hasLettersToTheLeft(text: string): boolean {
  return TO_THE_LEFT.test(text);
}
