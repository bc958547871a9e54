/** Folds text to the width of a terminal: at spaces, indented to where the text of the line starts. */
import { UNBROKEN_SPACE } from '../../base/next-step.js';
import { withColours } from './terminal.js';
import { widthOf } from './text-width.js';

/** Never breaks a word, nor the commands that are values in a text: paths, digests and commands can be copied. */
export function folded(text: string, width = Infinity): string {
  return text
    .split('\n')
    .map((line) => (visibleWidthOf(line) <= width ? line : foldedLine(line, width)))
    .join('\n')
    .replaceAll(UNBROKEN_SPACE, ' ');
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
    if (visibleWidthOf(head + longer) <= width) {
      words = longer;
      continue;
    }
    if ((head + words).trim() === '') {
      words = word;
      continue;
    }
    lines.push((head + words).trimEnd());
    // a word that is too long for the indent moves further left
    head = ' '.repeat(hang + visibleWidthOf(word) > width ? further : hang);
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
function visibleWidthOf(text: string): number {
  return widthOf(withColours(text).replaceAll(UNBROKEN_SPACE, ' '));
}
