/** Lays texts out for a terminal: measures their width, folds them, and sets tables, of which it never cuts a cell. */
import { NO_PLACE } from '../../base/next-step.js';
import { aligned } from './aligned.js';
import { visibleLine } from '../../base/text/visible.js';
import { folded } from './folded-text.js';
import { widthOf, padTo, graphemesOf } from './text-width.js';

const GAP = '  ';
/** The least width of a column that is wrapped. */
const LEAST_WIDTH = 12;
/** Longer words (a URL, Chinese without spaces) may be broken; ids are shorter. */
const MAX_WORD = 40;
/** The preferred places to break a word. */
const BREAKS = /(?<=[/_])/;

/**
 * Never breaks the first column, which people copy. Where the others do not fit, leaves out spare columns, then
 * breaks paths and names of variables, then prints each row as a list of cells.
 *
 * @param width the columns of the terminal; undefined without a terminal: every row is one line
 * @param spare headings of columns that can be left out, the last one first
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  spare: readonly string[] = [],
): string {
  for (let droppedCount = 0; droppedCount <= spare.length; droppedCount++) {
    const gone = new Set(spare.slice(spare.length - droppedCount));
    const kept = (_: string, column: number): boolean => !gone.has(headings[column] ?? '');
    const headingsLeft = headings.filter(kept);
    const rowsLeft = rows.map((row) => row.filter(kept));
    const isLast = droppedCount === spare.length;
    const table =
      alignedTable(headingsLeft, rowsLeft, width, longestWord) ??
      (isLast ? alignedTable(headingsLeft, rowsLeft, width, longestPiece) : undefined);
    if (table === undefined) continue;
    const note = `left out to fit ${width ?? 0} columns: ${[...gone].join(', ')}; --json has everything\n`;
    return gone.size === 0 ? table : table + note;
  }
  return rows.map((row) => folded(listed(headings, row.map(visibleLine)), width)).join('\n');
}

/** Undefined where it does not fit. */
function alignedTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  unbroken: (cell: string) => number,
): string | undefined {
  const cells = rows.map((row) => row.map(visibleLine));
  const table = [headings, ...cells];
  const widest = (column: number, measure: (cell: string) => number) =>
    largest(table.map((row) => measure(row[column] ?? '')));
  const natural = headings.map((_, column) => widest(column, widthOf));
  const least = headings.map((_, column) => widest(column, column === 0 ? longestWord : unbroken));
  const widths = width === undefined ? natural : fitted(natural, least, width);
  return widths && table.map((row) => lines(row, widths)).join('');
}

/** Narrows the widest columns first, without breaking words. Undefined where the table does not fit. */
function fitted(
  natural: readonly number[],
  least: readonly number[],
  width: number,
): number[] | undefined {
  const room = width - GAP.length * (natural.length - 1);
  for (let limit = Math.max(LEAST_WIDTH, ...natural); limit >= LEAST_WIDTH; limit--) {
    const widths = natural.map((columnWidth, column) =>
      Math.min(columnWidth, Math.max(limit, least[column] ?? 0)),
    );
    if (widths.reduce((sum, columnWidth) => sum + columnWidth, 0) <= room) return widths;
  }
  return undefined;
}

function lines(row: readonly string[], widths: readonly number[]): string {
  const wrapped = widths.map((width, column) => wrap(row[column] ?? '', width));
  const height = largest(wrapped.map((cell) => cell.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = wrapped.map((cell, column) =>
      padTo(cell[line] ?? '', widths[column] ?? 0, 'left'),
    );
    return `${parts.join(GAP).trimEnd()}\n`;
  }).join('');
}

function listed(headings: readonly string[], row: readonly string[]): string {
  const cells = headings.map((heading, column) => [heading, row[column] || null] as const);
  return aligned(cells, NO_PLACE);
}

function longestWord(text: string): number {
  return Math.min(MAX_WORD, largest(text.split(' ').map(widthOf)));
}

/** The longest piece of words that may be broken after `/` and `_`. */
function longestPiece(text: string): number {
  return largest(text.split(BREAKS).map(longestWord));
}

/** Like `Math.max`, for any number of values. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), 0);
}

/** Wraps at spaces; breaks a word that is too long for the column. */
function wrap(text: string, width: number): string[] {
  const done: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    const begin = line === '' ? '' : `${line} `;
    const needed = (line === '' ? 0 : used + 1) + widthOf(word);
    if (needed <= width) {
      line = begin + word;
      used = needed;
      continue;
    }
    if (line !== '') done.push(line);
    const pieces = broken(word, width);
    line = pieces.pop() ?? '';
    used = widthOf(line);
    for (const piece of pieces) done.push(piece);
  }
  return [...done, line];
}

/** Breaks a word into pieces that fit. */
function broken(word: string, width: number): string[] {
  const pieces = [''];
  const parts = word.split(BREAKS);
  for (const part of parts.flatMap((text) => (widthOf(text) > width ? graphemesOf(text) : text))) {
    const piece = pieces.at(-1) ?? '';
    if (piece !== '' && widthOf(piece + part) > width) pieces.push(part);
    else pieces[pieces.length - 1] = piece + part;
  }
  return pieces;
}
