/** A block of a conversation as elements. */
import type { BlockView, TableView } from '../page-data.js';
import { count, make } from './dom.js';
import { safeHtml } from './safe-html.js';
import { keyOfText, sortableTable } from './sortable-table.js';

export function blockElement(block: BlockView, tables: readonly TableView[]): HTMLElement {
  switch (block.kind) {
    case 'text':
      return make('p', { class: 'asked' }, block.text);
    case 'markdown':
      return make('div', { class: 'prose', dir: 'auto' }, safeHtml(block.html));
    case 'code':
      return make(
        'div',
        { class: 'code' },
        block.language === '' ? null : make('span', { class: 'language' }, block.language),
        safeHtml(block.html),
      );
    case 'table':
      return tableElement(block.name, block.file, tables[block.table]);
    case 'image':
      return imageElement(block);
    case 'file': {
      const name = block.file === null ? block.name : fileLink(block.file, block.name);
      return make('p', { class: 'file' }, name, ` ${block.note}`);
    }
    case 'lost': {
      const reason = block.reason === '' ? '' : `: ${block.reason}`;
      return make(
        'p',
        { class: 'lost' },
        make('strong', {}, `${block.type} not archived`),
        ` “${block.name}” is ${block.status}${reason}.`,
      );
    }
    case 'sources':
      return sourcesElement(block.sources);
    case 'questions':
      return make(
        'div',
        { class: 'follow' },
        make('h3', {}, 'Follow-up questions'),
        make('ul', {}, ...block.questions.map((question) => make('li', {}, question))),
      );
    case 'json':
      return make(
        'div',
        { class: 'code' },
        make('span', { class: 'language' }, block.type),
        make('pre', { tabindex: 0 }, make('code', {}, block.json)),
      );
  }
}

function tableElement(name: string, file: string, table: TableView | undefined): HTMLElement {
  if (!table) return make('p', {}, fileLink(file, name));
  const { header, rows, rowCount, columnCount } = table;
  const names = Array.from({ length: Math.max(header.length, 1) }, (_one, index) => header[index]);
  const columns = names.map((column, index) => ({
    name: column ?? '',
    isNumber: rows.length > 0 && rows.every((row) => isNumber(row[index] ?? '')),
    key: (row: readonly string[]) => keyOfText(row[index] ?? ''),
    content: (row: readonly string[]) => row[index] ?? '',
  }));
  const content =
    header.length === 0
      ? make('p', { class: 'note' }, 'The file is empty.')
      : sortableTable({ label: name, columns, items: rows });
  return make(
    'figure',
    { class: 'table' },
    make('figcaption', {}, make('strong', {}, name), ' ', make('span', {}, extent())),
    content,
    make('p', { class: 'note' }, fileLink(file, 'Open the file')),
  );

  function extent(): string {
    const all = rowCount === null ? 'rows' : count(rowCount, 'row');
    const shown =
      rowCount !== null && rowCount <= rows.length ? all : `first ${rows.length} of ${all}`;
    const cut = columnCount > header.length && header.length === 50;
    return cut ? `${shown}, first 50 of ${columnCount} columns` : shown;
  }
}

function isNumber(text: string): boolean {
  return /^\s*[-+]?[\d.,\s]*\d[\d.,]*\s*%?\s*$/.test(text) || text.trim() === '';
}

function imageElement({
  name,
  file,
  width,
  height,
}: Extract<BlockView, { readonly kind: 'image' }>): HTMLElement {
  const image = make('img', { src: file, alt: name, loading: 'lazy', width, height });
  const link = make('a', { href: file, target: '_blank', rel: 'noopener' }, image);
  return make('figure', { class: 'image' }, link, make('figcaption', {}, name));
}

function sourcesElement(
  sources: Extract<BlockView, { readonly kind: 'sources' }>['sources'],
): HTMLElement {
  const items = sources.map(({ name, type, dataset, more, passage }) => {
    const details = [type, dataset === '' ? '' : `in ${dataset}`, more].filter((one) => one !== '');
    const cited = passage === '' ? [] : [make('blockquote', {}, passage)];
    return make(
      'li',
      {},
      make('b', {}, name),
      ' ',
      make('span', {}, details.join(' · ')),
      ...cited,
    );
  });
  return make('div', { class: 'sources' }, make('h3', {}, 'Sources'), make('ul', {}, ...items));
}

function fileLink(file: string, text: string): HTMLElement {
  return make('a', { href: file, target: '_blank', rel: 'noopener' }, text);
}
