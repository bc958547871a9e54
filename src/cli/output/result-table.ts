/** Formats rows as a table for people. Says where rows are left out and texts cut. */
import type { ResultColumn } from '../../query/result-columns.js';
import type { ResultRow } from '../../query/query-result.js';
import { counted } from '../../base/text/counted.js';
import { visible } from '../../base/text/visible.js';
import { cutTo, padTo, widthOf } from './text-width.js';

export interface ResultTable {
  readonly columns: readonly ResultColumn[];
  /** The rows to show. */
  readonly rows: readonly ResultRow[];
  readonly rowCount: number;
  /** The columns of the terminal; undefined where lines may have any length. */
  readonly width?: number | undefined;
}

const WIDEST = 60;
/** The least width of a column; with too many columns, lines wrap. */
const NARROWEST = 8;
const GAP = '  ';

export function resultTable({ columns, rows, rowCount, width }: ResultTable): string {
  const names = columns.map(({ name }) => oneLine(name));
  const lines = rows.map((row) => row.map((cell) => (cell === null ? 'NULL' : oneLine(cell))));
  const wanted = names.map((name, index) =>
    Math.min(
      WIDEST,
      lines.reduce((most, line) => Math.max(most, widthOf(line[index] ?? '')), widthOf(name)),
    ),
  );
  const widths = fitted(wanted, width);
  let isCut = false;
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const most = widths[index] ?? 0;
        const shown = cutTo(cell, most);
        if (shown !== cell) isCut = true;
        return padTo(shown, most, columns[index]?.form === 'number' ? 'right' : 'left');
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((most) => '─'.repeat(most)).join(GAP);
  const text = [lineOf(names), rule, ...lines.map(lineOf)].map((line) => `${line}\n`).join('');
  return `${text}${closing(rows.length, rowCount, isCut)}\n`;
}

function closing(shown: number, all: number, isCut: boolean): string {
  const more = all - shown;
  const rows =
    more > 0
      ? `${counted(all, 'row')}; ${counted(more, 'more row')} not shown, --max-rows 0 shows all`
      : counted(all, 'row');
  return isCut ? `${rows}; long texts are cut, --output csv has the full texts` : rows;
}

function fitted(wanted: readonly number[], width: number | undefined): readonly number[] {
  const widths = [...wanted];
  const gaps = GAP.length * (widths.length - 1);
  let over = widths.reduce((sum, columnWidth) => sum + columnWidth, gaps) - (width ?? Infinity);
  while (over > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
    over--;
  }
  return widths;
}

function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}
