/** Tables of files on paper: those with many columns are cut into bands, since paper cannot be scrolled. */
import { make } from './elements.js';

/** More than these cannot be read beside each other on a sheet. */
const MOST_COLUMNS = 7;

/** Below each wide table its bands, every one with the first column; only paper shows them. */
export function cutIntoBands(within: HTMLElement): void {
  removeBands();
  for (const figure of within.querySelectorAll<HTMLElement>('figure.table')) {
    const table = figure.querySelector('table');
    const columns = table?.tHead?.rows[0]?.cells.length ?? 0;
    if (!table || columns <= MOST_COLUMNS) continue;
    const bands = make('div', { class: 'bands on-paper' });
    for (let from = 1; from < columns; from += MOST_COLUMNS - 1) {
      bands.append(bandOf(table, from, Math.min(columns, from + MOST_COLUMNS - 1), columns));
    }
    figure.querySelector('.wide')?.parentElement?.after(bands);
  }
}

export function removeBands(): void {
  for (const bands of document.querySelectorAll('.bands')) bands.remove();
}

/** @param from the second column of the band, from 0 @param to the first column behind it */
function bandOf(table: HTMLTableElement, from: number, to: number, columns: number): HTMLElement {
  const rows = [...table.rows].map(({ cells }) => {
    const shown = [cells[0], ...[...cells].slice(from, to)];
    return make('tr', {}, ...shown.map((cell) => copyOf(cell)));
  });
  const first = from === 1 ? 1 : from + 1;
  return make(
    'table',
    {},
    make('caption', {}, `Columns ${first} to ${to} of ${columns}`),
    make('thead', {}, ...rows.slice(0, 1)),
    make('tbody', {}, ...rows.slice(1)),
  );
}

function copyOf(cell: HTMLTableCellElement | undefined): HTMLElement {
  const tag = cell?.tagName === 'TH' ? 'th' : 'td';
  const shown = cell?.querySelector('button') ?? cell;
  const copies = [...(shown?.childNodes ?? [])].map((node) => node.cloneNode(true));
  return make(tag, { class: cell?.className ?? '' }, ...copies);
}
