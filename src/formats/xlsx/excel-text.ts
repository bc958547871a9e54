/** Text as Excel keeps it in XML: any character, though XML 1.0 holds few controls and rewrites CR. */

/**
 * Controls but TAB and LF, and the two code points that XML forbids. Halves of surrogate pairs are gone by then.
 * exceljs would leave out DEL.
 */
const FORBIDDEN = '\\x00-\\x08\\x0B-\\x1F\\x7F\\uFFFE\\uFFFF';

/**
 * A forbidden character, or an underscore that would read as the beginning of an escape: of `_x0041_`,
 * and of `_x0041` before a forbidden character, whose own escape would close it.
 */
const ESCAPED = new RegExp(`[${FORBIDDEN}]|_(?=x[0-9A-Fa-f]{4}[_${FORBIDDEN}])`, 'g');
const ESCAPED_HERE = new RegExp(ESCAPED.source, 'y');

/** The length of `_xHHHH_`. */
const ESCAPE_LENGTH = 7;

/**
 * `_xHHHH_` for what XML cannot hold, `_x005F_` for an underscore that only looks like one.
 * Source: ECMA-376 part 1, 22.9.2.19 (ST_Xstring)
 */
export function escapeForExcel(text: string): string {
  return text.replace(
    ESCAPED,
    (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

/** How long the character at `index` becomes when it is escaped. */
export function escapedLengthAt(text: string, index: number): number {
  ESCAPED_HERE.lastIndex = index;
  return ESCAPED_HERE.test(text) ? ESCAPE_LENGTH : 1;
}
