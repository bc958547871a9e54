/** What a search looks through in a table that the page shows. The page uses it, too: nothing here needs Node. */
import { foldText } from '../base/text/fold-text.js';
import type { TableView } from './page-data.js';

/** Folded. */
export function wordsOfTable(table: TableView): string {
  return table.words ?? wordsShown(table);
}

export function wordsShown({
  above,
  header,
  rows,
}: Pick<TableView, 'above' | 'header' | 'rows'>): string {
  return foldText([...above, ...[header, ...rows].map((cells) => cells.join('\t'))].join('\n'));
}
