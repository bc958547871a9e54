/** Estimates the number of lines of a row with wrapped texts; rather too many than too few. */
import { type Cell } from './exceljs.js';

/** Characters with the width of two letters. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/** @param limit the highest count that matters, from 1 */
export function linesOf(
  cells: readonly Cell[],
  columns: readonly { readonly width: number }[],
  limit: number,
): number {
  let lines = 1;
  for (const [index, cell] of cells.entries()) {
    const text = typeof cell === 'object' ? cell.text : cell;
    const width = columns[index]?.width;
    if (typeof text !== 'string' || width === undefined) continue;
    lines = Math.max(lines, wrappedLines(text, width, limit));
    if (lines >= limit) return limit;
  }
  return lines;
}

/** A word that does not fit the rest of a line begins a new one; one that fits none is cut. */
function linesOfWords(line: string, width: number): number {
  let lines = 1;
  let used = 0;
  for (const word of line.split(' ')) {
    const letters = word.length + (word.match(WIDE)?.length ?? 0);
    const gap = used === 0 ? 0 : 1;
    if (used + gap + letters <= width) used += gap + letters;
    else {
      const full = Math.max(1, Math.ceil(letters / width));
      lines += used === 0 ? full - 1 : full;
      used = letters - (full - 1) * width;
    }
  }
  return lines;
}

function wrappedLines(text: string, width: number, limit: number): number {
  if (text.length * 2 <= width && !text.includes('\n')) return 1;
  let lines = 0;
  for (let start = 0; start <= text.length && lines < limit;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, Math.min(end < 0 ? text.length : end, start + width * limit));
    lines += linesOfWords(line, width);
    if (end < 0) break;
    start = end + 1;
  }
  return Math.min(lines, limit);
}
