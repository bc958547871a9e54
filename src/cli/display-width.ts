/** How many columns of a terminal a text takes: Chinese, Japanese, Korean and emoji take two, accents none. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a reader takes for single characters. */
export function graphemesOf(text: string): string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

export function displayWidth(text: string): number {
  // nearly every cell, and a segmenter is slow
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemesOf(text).reduce((width, grapheme) => width + widthOf(grapheme), 0);
}

/** As terminals count: by code point, except that an emoji made of several is one. */
function widthOf(grapheme: string): number {
  if (/\p{Emoji_Presentation}/u.test(grapheme)) return 2;
  return Array.from(grapheme).reduce((width, point) => {
    if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(point)) return width;
    return width + (WIDE.test(point) ? 2 : 1);
  }, 0);
}
