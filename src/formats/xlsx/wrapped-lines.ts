/** Estimates how many lines a row takes when its texts are wrapped; rather too many than too few. */
import type { Cell } from './exceljs.js';

/** Takes the place of two letters. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/** @param most what is counted at most, from 1 */
export function linesOf(
  cells: readonly Cell[],
  columns: readonly { readonly width: number }[],
  most: number,
): number {
  let lines = 1;
  for (const [index, cell] of cells.entries()) {
    const text = typeof cell === 'object' ? cell.text : cell;
    const width = columns[index]?.width;
    if (typeof text !== 'string' || width === undefined) continue;
    lines = Math.max(lines, wrappedLines(text, width, most));
    if (lines >= most) return most;
  }
  return lines;
}

function wrappedLines(text: string, width: number, most: number): number {
  if (text.length * 2 <= width && !text.includes('\n')) return 1;
  let lines = 0;
  for (let start = 0; start <= text.length && lines < most;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, Math.min(end < 0 ? text.length : end, start + width * most));
    const letters = line.length + (line.match(WIDE)?.length ?? 0);
    lines += Math.max(1, Math.ceil(letters / width));
    if (end < 0) break;
    start = end + 1;
  }
  return Math.min(lines, most);
}
