/** Escapes text as Excel does: XML 1.0 allows few control characters and rewrites CR. */

/**
 * Control characters except TAB and LF, and two code points that XML forbids. Lone surrogates are replaced before.
 * DEL is included because exceljs would omit it.
 */
const FORBIDDEN = '\\x00-\\x08\\x0B-\\x1F\\x7F\\uFFFE\\uFFFF';

/**
 * A forbidden character, or an underscore that would be read as the beginning of an escape: that of `_x0041_`,
 * and that of `_x0041` before a forbidden character, whose escape begins with the closing underscore.
 */
const ESCAPED = new RegExp(`[${FORBIDDEN}]|_(?=x[0-9A-Fa-f]{4}[_${FORBIDDEN}])`, 'g');
const ESCAPED_HERE = new RegExp(ESCAPED.source, 'y');

/** The length of `_xHHHH_`. */
const ESCAPE_LENGTH = 7;

/**
 * Writes `_xHHHH_` for a forbidden character, and `_x005F_` for an underscore that would begin an escape.
 * Source: ECMA-376 part 1, 22.9.2.19 (ST_Xstring)
 */
export function escapeForExcel(text: string): string {
  return text.replace(
    ESCAPED,
    (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

/** The length of the escaped character at `index`. */
export function escapedLengthAt(text: string, index: number): number {
  ESCAPED_HERE.lastIndex = index;
  return ESCAPED_HERE.test(text) ? ESCAPE_LENGTH : 1;
}

/** The letters of a spreadsheet's column: A, B, …, Z, AA, … @param number from 1 */
export function columnLetters(number: number): string {
  const letter = String.fromCharCode(65 + ((number - 1) % 26));
  return number <= 26 ? letter : columnLetters(Math.floor((number - 1) / 26)) + letter;
}
