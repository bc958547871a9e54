/** Measures, cuts and pads text by its width on a terminal. */
import stringWidth from 'string-width';

let segmenter: Intl.Segmenter | undefined;

/** Made when a text needs it: that takes a seventh of the time in which Node starts. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

export function widthOf(text: string): number {
  // most cells; string-width takes a hundred times as long
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}

/** Cuts a text that is too wide, and ends it with `…`. */
export function cutTo(text: string, width: number): string {
  // a grapheme takes at most two columns, and few have more than 16 units
  const begin = text.length > width * 16 ? text.slice(0, width * 16) : text;
  if (begin.length === text.length && widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segmentsOf(begin)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}

/** The characters as a reader sees them. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmentsOf(text), ({ segment }) => segment);
}
