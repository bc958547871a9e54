/** How many columns of a terminal a text takes, and texts cut to so many. */

/** Two columns wide: East Asian scripts, full-width forms and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** None: accents that sit on the letter before, joiners, marks of direction. */
const NARROW = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /\p{Emoji_Presentation}/u;

const graphemes = new Intl.Segmenter();

export function widthOf(text: string): number {
  // most cells; Segmenter takes a hundred times as long
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The text, or its beginning and `…`. */
export function cutTo(text: string, width: number): string {
  // a grapheme takes at most two columns, and few have more than 16 units
  const begin = text.length > width * 16 ? text.slice(0, width * 16) : text;
  if (begin.length === text.length && widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(begin)) {
    used += segmentWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}

/** What a reader takes for single characters. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function segmentWidth(segment: string): number {
  // of several code points, and one sign all the same
  if (EMOJI.test(segment)) return 2;
  let width = 0;
  for (const point of segment) width += NARROW.test(point) ? 0 : WIDE.test(point) ? 2 : 1;
  return width;
}
