/** A block of a conversation as elements. */
import { FILE_WITHOUT_NAME } from '../../model/blocks/block-types.js';
import { MOST_COLUMNS, type BlockView, type TableView } from '../page-data.js';
import { count, make, type Child } from './elements.js';
import { codeBlockHtml, markdownHtml } from './markdown.js';
import { safeHtml } from './safe-html.js';
import { markedText, withMarks } from './marks.js';
import { columnKeys } from './column-keys.js';
import { sortableTable } from './sortable-table.js';

/** What a block is shown with. */
export interface AroundBlock {
  readonly tables: readonly TableView[];
  /** Where found words are marked; null: nowhere. */
  readonly markedIn: 'question' | 'answer' | null;
  /** Whether its text is as it was sent. */
  readonly isSent: boolean;
  /** Files of a step that the answer shows, too. */
  readonly shownBelow?: ReadonlySet<string>;
}

export function blockElement(block: BlockView, shown: AroundBlock): HTMLElement {
  const element = elementOf(block, shown);
  const isShownBelow =
    (block.kind === 'table' || block.kind === 'image') &&
    shown.shownBelow?.has(block.file) === true;
  if (isShownBelow) {
    element.classList.add('again');
    element.append(
      make('p', { class: 'note on-paper' }, 'On paper it stands in the answer below.'),
    );
  }
  return element;
}

function elementOf(block: BlockView, { tables, markedIn }: AroundBlock): HTMLElement {
  const named = (name: string): readonly Child[] => [
    make('bdi', {}, ...(markedIn === null ? [name] : markedText(name, 'file'))),
  ];
  switch (block.kind) {
    case 'text':
      return make('p', { class: 'asked', dir: 'auto' }, block.text);
    case 'markdown':
      return make('div', { class: 'prose' }, safeHtml(markdownHtml(block.text)));
    case 'code':
      return make(
        'div',
        { class: 'code' },
        block.language === '' ? null : make('span', { class: 'language' }, block.language),
        safeHtml(codeBlockHtml(block.text, block.language)),
      );
    case 'table':
      return tableElement(block, tables[block.table], { named, isMarked: markedIn !== null });
    case 'image':
      return imageElement(block, named);
    case 'file': {
      const name = named(block.name);
      const shown = block.file === null ? name : [fileLink(block.file, ...name)];
      return make('p', { class: 'file' }, ...shown, ` ${block.note}`);
    }
    case 'lost': {
      const reason = block.reason === '' ? '' : `: ${block.reason}`;
      // the archive had it: its reason says so
      const isLost = block.status === 'lost';
      return make(
        'p',
        { class: 'lost', 'data-status': block.status },
        make('strong', {}, `${block.type} ${isLost ? 'lost' : 'not archived'}`),
        ' ',
        ...(block.name === null ? [FILE_WITHOUT_NAME] : ['“', ...named(block.name), '”']),
        isLost ? `${reason}.` : ` is ${block.status}${reason}.`,
      );
    }
    case 'sources':
      return sourcesElement(block.sources);
    case 'questions':
      return make(
        'div',
        { class: 'follow' },
        make('h3', {}, 'Suggested follow-up questions'),
        make('ul', {}, ...block.questions.map((question) => make('li', { dir: 'auto' }, question))),
      );
    case 'json':
      if (block.json === null) return make('p', { class: 'note' }, `${block.type}: ${LEFT_OUT}`);
      return make(
        'div',
        { class: 'code' },
        make('span', { class: 'language' }, block.type),
        make('pre', { tabindex: 0, dir: 'ltr' }, make('code', {}, block.json)),
      );
  }
}

const LEFT_OUT = 'its content is left out of this pseudonymised copy';
/** The rows of a table in the steps that paper shows: its stylesheet leaves out the others. */
const ROWS_OF_STEP = 20;
const ENCODING_UNKNOWN =
  'The encoding of this file is unknown: letters beyond A to Z are a guess or stand as �, and no search looks into it.';

type Named = (name: string) => readonly Child[];

function tableElement(
  { name, file }: Extract<BlockView, { readonly kind: 'table' }>,
  table: TableView | undefined,
  { named, isMarked }: { readonly named: Named; readonly isMarked: boolean },
): HTMLElement {
  if (!table) return make('p', {}, fileLink(file, ...named(name)));
  const { above, header, rows, rowCount, columnCount } = table;
  const width = Math.min(columnCount, MOST_COLUMNS);
  const columns = Array.from({ length: width }, (_one, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const { keys, isNumber } = columnKeys(cells, table.hasDecimalComma);
    return {
      name: header[index] ?? '',
      isNumber,
      key: (row: number) => keys[row] ?? null,
      content: (row: number) => cellOf(cells[row] ?? ''),
    };
  });
  const content =
    width === 0
      ? make('p', { class: 'note' }, 'The file is empty.')
      : sortableTable({ label: name, columns, items: [...rows.keys()] });
  if (isMarked) for (const head of content.querySelectorAll('th')) withMarks(head, 'table');
  return make(
    'figure',
    { class: 'table' },
    make('figcaption', {}, make('strong', {}, ...named(name)), ' ', make('span', {}, extent())),
    table.encoding === null ? make('p', { class: 'note' }, ENCODING_UNKNOWN) : null,
    ...above.map((line) => make('p', { class: 'above', dir: 'auto' }, cellOf(line))),
    content,
    make('p', { class: 'note' }, fileLink(file, 'Open the file')),
    rows.length <= ROWS_OF_STEP
      ? null
      : make(
          'p',
          { class: 'rest on-paper' },
          `On paper ${ROWS_OF_STEP} rows, and those with words of the search; all are in ${file}`,
        ),
  );

  function cellOf(text: string): Node | string {
    const parts = isMarked ? markedText(text, 'table') : [];
    return parts.some((part) => typeof part !== 'string') ? make('span', {}, ...parts) : text;
  }

  function extent(): string {
    const all = rowCount === null ? 'rows' : count(rowCount, 'row');
    const shown =
      rowCount !== null && rowCount <= rows.length ? all : `first ${rows.length} of ${all}`;
    const isCut = columnCount > MOST_COLUMNS;
    return isCut ? `${shown}, first ${MOST_COLUMNS} of ${columnCount} columns` : shown;
  }
}

function imageElement(
  { name, source, file, width, height }: Extract<BlockView, { readonly kind: 'image' }>,
  named: Named,
): HTMLElement {
  const image = make('img', { src: source, alt: name, loading: 'lazy', width, height });
  // opened on its own, the file could run what an image cannot
  const shown =
    source === file ? make('a', { href: file, target: '_blank', rel: 'noopener' }, image) : image;
  return make('figure', { class: 'image' }, shown, make('figcaption', {}, ...named(name)));
}

function sourcesElement(
  sources: Extract<BlockView, { readonly kind: 'sources' }>['sources'],
): HTMLElement {
  const items = sources.map(({ name, type, dataset, more, passage }) => {
    const details = [type, dataset === '' ? '' : `in ${dataset}`, more].filter(
      (detail) => detail !== '',
    );
    const cited = passage === '' ? [] : [make('blockquote', { dir: 'auto' }, passage)];
    return make(
      'li',
      {},
      make('b', { dir: 'auto' }, name),
      ' ',
      make('span', { dir: 'auto' }, details.join(' · ')),
      ...cited,
    );
  });
  return make('div', { class: 'sources' }, make('h3', {}, 'Sources'), make('ul', {}, ...items));
}

function fileLink(file: string, ...text: readonly Child[]): HTMLElement {
  return make('a', { href: file, target: '_blank', rel: 'noopener' }, ...text);
}
