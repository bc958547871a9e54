/** Folds text to the width of a terminal: at spaces, indented to where the text of the line starts. */
import { withColours } from './terminal.js';
import { widthOf as plainWidthOf } from './text-width.js';

/** Never breaks a word: paths, digests and URLs can be copied. */
export function folded(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= width ? line : foldedLine(line, width)))
    .join('\n');
}

function foldedLine(line: string, width: number): string {
  const margin = line.search(/\S/);
  const further = margin === 0 ? 0 : margin + 2;
  const gap = gapEnd(line, width);
  const hang = gap ?? further;
  const begin = gap ?? margin;
  const lines: string[] = [];
  let head = line.slice(0, begin);
  let words = '';
  for (const word of line.slice(begin).split(' ')) {
    const longer = words === '' ? word : `${words} ${word}`;
    if (widthOf(head + longer) <= width) {
      words = longer;
      continue;
    }
    if ((head + words).trim() !== '') lines.push((head + words).trimEnd());
    // a word that is too long for the indent moves further left
    head = ' '.repeat(hang + widthOf(word) > width ? further : hang);
    words = word;
  }
  return [...lines, head + words].join('\n');
}

/** The column after the last gap in the left half of a line; undefined without a gap. */
function gapEnd(line: string, width: number): number | undefined {
  const last = [...line.slice(0, width >> 1).matchAll(/\S {2,}(?=\S)/g)].at(-1);
  return last && last.index + last[0].length;
}

/** Colour codes have no width. */
function widthOf(text: string): number {
  return plainWidthOf(withColours(text));
}
