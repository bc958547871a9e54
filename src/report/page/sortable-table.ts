/** A table whose columns sort at a press of their heads: up, then down, then as it came. */
import { make } from './dom.js';

export interface SortableCell {
  readonly content: Node | string;
  /** What it is sorted by; default its text. */
  readonly key?: string | number | null;
}

export interface SortableTable {
  readonly label: string;
  readonly columns: readonly { readonly name: string; readonly isNumber?: boolean }[];
  readonly rows: readonly (readonly SortableCell[])[];
}

export function sortableTable({ label, columns, rows }: SortableTable): HTMLElement {
  const body = make('tbody');
  const heads = columns.map(({ isNumber }) =>
    make('th', { scope: 'col', class: isNumber === true ? 'number' : null }),
  );
  const rowElements = rows.map((cells) =>
    make(
      'tr',
      {},
      ...columns.map(({ isNumber }, index) =>
        make('td', { class: isNumber === true ? 'number' : null }, cells[index]?.content ?? ''),
      ),
    ),
  );
  let sorted: { column: number; isUp: boolean } | null = null;
  const draw = (): void => {
    const order = rowElements.map((_row, index) => index);
    const by = sorted;
    if (by) {
      const keys = rows.map((cells) => keyOf(cells[by.column]));
      const direction = by.isUp ? 1 : -1;
      order.sort((a, b) => compare(keys[a], keys[b], direction));
    }
    body.replaceChildren(...order.flatMap((index) => rowElements[index] ?? []));
    heads.forEach((head, index) => {
      const state = by?.column === index ? (by.isUp ? 'ascending' : 'descending') : 'none';
      head.setAttribute('aria-sort', state);
    });
  };
  columns.forEach(({ name }, column) => {
    const button = make('button', { type: 'button' }, name === '' ? '(no name)' : name);
    button.addEventListener('click', () => {
      if (sorted?.column !== column) sorted = { column, isUp: true };
      else sorted = sorted.isUp ? { column, isUp: false } : null;
      draw();
    });
    heads[column]?.append(button);
  });
  draw();
  const head = make('thead', {}, make('tr', {}, ...heads));
  const table = make('table', { class: 'sortable' }, head, body);
  return make('div', { class: 'wide', role: 'group', tabindex: 0, 'aria-label': label }, table);
}

function keyOf(cell: SortableCell | undefined): string | number | null {
  if (!cell) return null;
  if (cell.key !== undefined) return cell.key;
  const text = typeof cell.content === 'string' ? cell.content : (cell.content.textContent ?? '');
  const number = Number(text.replace(/[,\s%]/g, ''));
  return text.trim() !== '' && !Number.isNaN(number) ? number : text;
}

/** Empty ones last, whichever way; numbers before words. */
function compare(
  a: string | number | null | undefined,
  b: string | number | null | undefined,
  direction: number,
): number {
  const [isNoneA, isNoneB] = [a === '' || a == null, b === '' || b == null];
  if (isNoneA || isNoneB) return Number(isNoneA) - Number(isNoneB);
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return String(a).localeCompare(String(b)) * direction;
}
