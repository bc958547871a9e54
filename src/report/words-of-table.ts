/** What a search looks through in a table that the page shows. The page uses it, too: nothing here needs Node. */
import { foldText } from '../base/text/fold-text.js';
import type { TableView } from './page-data.js';

type ShownCells = Pick<TableView, 'above' | 'header' | 'rows'>;

/** Folded. */
export function wordsOfTable(table: TableView): string {
  return table.words ?? foldText(textShown(table));
}

/** A line for each row, tabs between its cells: as `textOfTable` has it of the same rows. */
export function textShown({ above, header, rows }: ShownCells): string {
  return [...above, ...[header, ...rows].map((cells) => cells.join('\t'))].join('\n');
}
