/** A table whose columns sort at a press of their heads: up, then down, then as it came. */
import { make } from './elements.js';

export type SortKey = string | number | null;

export interface SortableColumn<Item> {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Whether the column names somebody or something: a long name is broken anywhere. */
  readonly isName?: boolean;
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
  /** What it is sorted by, and shown where there is no `content`. */
  readonly key: (item: Item) => SortKey;
  readonly content?: (item: Item) => Node | string;
}

export interface SortableTable<Item> {
  readonly label: string;
  readonly columns: readonly SortableColumn<Item>[];
  readonly items: readonly Item[];
  /** Rows that are drawn before somebody asks for more. Default: all. */
  readonly shown?: number;
  /** Where there is little room, the cells of a row stand below each other, each with its column's name. */
  readonly isStacked?: boolean;
}

export function sortableTable<Item>(table: SortableTable<Item>): HTMLElement {
  const { label, columns, items, shown = Infinity, isStacked = false } = table;
  const body = make('tbody');
  const more = make('button', { type: 'button', class: 'more' });
  const heads = columns.map((column) => make('th', { scope: 'col', class: classOf(column) }));
  let limit = shown;
  let sorted: { column: number; isUp: boolean } | null = null;
  const draw = (): void => {
    const rows = inOrder(table, sorted).slice(0, limit);
    body.replaceChildren(...rows.map((item) => rowElement(columns, item)));
    more.hidden = items.length <= limit;
    more.textContent = `Show all ${items.length.toLocaleString('en-US')}`;
    heads.forEach((head, index) => {
      const state = sorted?.column === index ? (sorted.isUp ? 'ascending' : 'descending') : 'none';
      head.setAttribute('aria-sort', state);
    });
  };
  columns.forEach(({ name }, column) => {
    const button = make(
      'button',
      { type: 'button', dir: 'auto' },
      name === '' ? '(no name)' : name,
    );
    button.addEventListener('click', () => {
      if (sorted?.column !== column) sorted = { column, isUp: true };
      else sorted = sorted.isUp ? { column, isUp: false } : null;
      draw();
    });
    heads[column]?.append(button);
  });
  more.addEventListener('click', () => {
    limit = Infinity;
    draw();
  });
  draw();
  const head = make('thead', {}, make('tr', {}, ...heads));
  const drawn = make('table', { class: isStacked ? 'sortable stacked' : 'sortable' }, head, body);
  const wide = make(
    'div',
    { class: 'wide', role: 'group', tabindex: 0, 'aria-label': label },
    drawn,
  );
  return make('div', {}, wide, more);
}

/** A cell that does not break at a hyphen, however narrow the screen: 2025-01. */
const NUMBER_OR_DATE = /^[\d.,:/%+-]{1,19}$/;

function rowElement<Item>(columns: readonly SortableColumn<Item>[], item: Item): HTMLElement {
  const cells = columns.map((column) => {
    const { key, content } = column;
    const shown = content ? content(item) : textOf(key(item));
    const isShort = typeof shown === 'string' && NUMBER_OR_DATE.test(shown);
    return make(
      'td',
      { class: classOf(column, isShort), 'data-column': column.name, dir: 'auto' },
      shown,
    );
  });
  return make('tr', {}, ...cells);
}

function classOf(
  { isNumber, isName, isMinor }: SortableColumn<never>,
  isShort = false,
): string | null {
  const names = [
    ...(isShort ? ['short'] : []),
    ...(isNumber === true ? ['number'] : []),
    ...(isName === true ? ['name'] : []),
    ...(isMinor === true ? ['roomy'] : []),
  ];
  return names.length === 0 ? null : names.join(' ');
}

function textOf(key: SortKey): string {
  return typeof key === 'number' ? key.toLocaleString('en-US') : (key ?? '');
}

function inOrder<Item>(
  { items, columns }: SortableTable<Item>,
  sorted: { readonly column: number; readonly isUp: boolean } | null,
): readonly Item[] {
  const column = columns[sorted?.column ?? -1];
  if (!column) return items;
  const direction = sorted?.isUp === true ? 1 : -1;
  return items
    .map((item) => ({ item, key: column.key(item) }))
    .sort((a, b) => compare(a.key, b.key, direction))
    .map(({ item }) => item);
}

/** Empty ones last, whichever way; numbers before words. */
function compare(a: SortKey, b: SortKey, direction: number): number {
  const [isNoneA, isNoneB] = [a === '' || a === null, b === '' || b === null];
  if (isNoneA || isNoneB) return Number(isNoneA) - Number(isNoneB);
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return String(a).localeCompare(String(b)) * direction;
}
