/** A block's row as the page shows it: every type has a way to be shown, the unknown ones as JSON. */
import { parseJson, skipString } from '../../base/text/parse-json.js';
import { textIn } from '../../model/mask-secrets.js';
import { questionText, sourceFields } from '../../model/blocks/list-entries.js';
import { shownContent } from '../../model/blocks/shown-content.js';
import {
  isFileShape,
  isListShape,
  isTextShape,
  shapeOf,
  type ListShape,
  type TextShape,
} from '../../model/blocks/block-types.js';
import type { Row } from '../../model/table-schema.js';
import type { LongTexts } from '../long-texts.js';
import { FILE_NOT_IN_COPY } from '../../archive/reading/caveats/what-copy-lacks.js';
import { artifactOf } from '../../archive/objects/artifact-rows.js';
import type { ArtifactFiles } from '../artifact-files.js';
import { numberIn } from '../row-cells.js';
import type { BlockView, SourceView } from '../page-data.js';
import type { PieceTables } from '../piece-tables.js';

export interface BlockContext {
  readonly files: ArtifactFiles;
  readonly tables: PieceTables;
  readonly longTexts: LongTexts;
  /** Names of datasets by id, where the archive has them. */
  readonly datasets: ReadonlyMap<string, string>;
  /** Whether it is of a pseudonymised copy. */
  readonly isCopy: boolean;
}

/** What browsers show. */
const INLINE_IMAGES = new Set(['png', 'jpg', 'gif', 'webp', 'avif', 'bmp', 'ico', 'svg']);

/** @param artifacts the rows of the files that the block points to, in order */
export async function blockViews(
  block: Row,
  artifacts: readonly Row[],
  context: BlockContext,
): Promise<BlockView[]> {
  const files: BlockView[] = [];
  for (const row of artifacts) files.push(await fileView(row, context));
  const content = contentViews(block, files.length > 0, context);
  // a caption stands below its table or image, a file below the text that it belongs to
  const isFile = isFileShape(shapeOf(textIn(block, 'type')));
  return [
    ...context.longTexts.filesOf(block),
    ...(isFile ? [...files, ...content] : [...content, ...files]),
  ];
}

function contentViews(block: Row, hasFiles: boolean, context: BlockContext): BlockView[] {
  const type = textIn(block, 'type') ?? textIn(block, 'type_raw') ?? 'without a type';
  const shape = shapeOf(type);
  const { text, entries, json } = shownContent(block, hasFiles);
  const isEmpty = text === null && entries === null && !hasFiles;
  return [
    ...(text === null ? [] : [TEXT_VIEWS[isTextShape(shape) ? shape : 'prose'](text, block)]),
    ...(entries !== null && isListShape(shape) ? [LIST_VIEWS[shape](entries, context)] : []),
    ...(json !== null || isEmpty ? [jsonView(type, json, context)] : []),
  ];
}

function jsonView(type: string, json: string | null, { isCopy }: BlockContext): BlockView {
  // a copy has no JSON: the service may have sent anything
  if (json === null) return { kind: 'json', type, json: isCopy ? null : 'null' };
  return { kind: 'json', type, json: spaced(json) };
}

const TEXT_VIEWS: Readonly<Record<TextShape, (text: string, block: Row) => BlockView>> = {
  // people type questions as they come: a star in them is a star
  prose: (text, block) =>
    textIn(block, 'role') === 'question' ? { kind: 'text', text } : { kind: 'markdown', text },
  code: (text, block) => ({
    kind: 'code',
    text,
    language: textIn(block, 'code_language') ?? '',
  }),
};

const LIST_VIEWS: Readonly<
  Record<ListShape, (list: readonly unknown[], context: BlockContext) => BlockView>
> = {
  sources: (list, { datasets }) => ({
    kind: 'sources',
    sources: list.map((source) => sourceView(source, datasets)),
  }),
  questions: (list) => ({
    kind: 'questions',
    questions: list.map((question) => questionText(question) ?? JSON.stringify(question)),
  }),
};

/** The path of a stored table whose first rows the page may show. */
export function previewedPath(row: Row): string | undefined {
  const path = textIn(row, 'path');
  const isTable = shapeOf(textIn(row, 'kind')) === 'table';
  return isTable && path !== null && textIn(row, 'status') === 'stored' ? path : undefined;
}

/** A file as the page shows it, or why it has none. */
export async function fileView(row: Row, context: BlockContext): Promise<BlockView> {
  const type = textIn(row, 'kind') ?? 'without a type';
  const stored = artifactOf(row);
  const given = textIn(row, 'name');
  const name = given ?? type;
  const status = textIn(row, 'status') ?? 'no status';
  if (status === 'stored' && context.isCopy) {
    const what = given === null ? type : `${type} “${given}”`;
    return { kind: 'file', name: what, file: null, note: `(${FILE_NOT_IN_COPY})` };
  }
  if (status !== 'stored' || !stored) {
    return { kind: 'lost', type, name: given, status, reason: textIn(row, 'reason') ?? '' };
  }
  const { path } = stored;
  const file = await context.files.addressOf(stored);
  const extension = path.slice(path.lastIndexOf('.') + 1);
  const source = INLINE_IMAGES.has(extension) ? await context.files.pictureOf(stored) : null;
  if (source !== null) {
    const size = { width: numberIn(row, 'width'), height: numberIn(row, 'height') };
    return { kind: 'image', name, source, file: file ?? path, ...size };
  }
  if (file !== null && shapeOf(type) === 'table') {
    const table = await context.tables.add(row, path);
    if (table !== null) return { kind: 'table', name, table, file };
  }
  const note = [textIn(row, 'media_type'), sizeText(numberIn(row, 'bytes'))];
  return { kind: 'file', name, file, note: note.filter((text) => text !== null).join(', ') };
}

function sourceView(value: unknown, datasets: ReadonlyMap<string, string>): SourceView {
  const fields = sourceFields(value);
  if (!fields) return { name: JSON.stringify(value), type: '', dataset: '', more: '', passage: '' };
  const { source, file_type, dataset_id, datasource_id, external_id, content, page_no, ...more } =
    fields;
  const dataset = typeof dataset_id === 'string' ? dataset_id : '';
  return {
    name: typeof source === 'string' && source !== '' ? source : textOr(datasource_id, 'unnamed'),
    type: typeof file_type === 'string' ? file_type : '',
    dataset: datasets.get(dataset) ?? dataset,
    more: [
      ...(typeof external_id === 'string' && external_id !== '' ? [external_id] : []),
      ...(page_no === undefined ? [] : [`page ${JSON.stringify(page_no)}`]),
      ...Object.entries(more).map(([key, member]) => `${key}: ${JSON.stringify(member)}`),
    ].join(', '),
    passage: passageOf(content),
  };
}

function passageOf(content: unknown): string {
  if (content === undefined) return '';
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** Spread over lines, unless that would change a number in it, or it was cut. */
function spaced(json: string): string {
  try {
    const value: unknown = parseJson(json);
    return JSON.stringify(value) === compact(json) ? JSON.stringify(value, null, 2) : json;
  } catch {
    return json;
  }
}

/** Without the white space between its parts. @param json valid */
function compact(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', done)) {
    pieces.push(withoutSpace(json.slice(done, quote)));
    done = skipString(json, quote);
    pieces.push(json.slice(quote, done));
  }
  return pieces.join('') + withoutSpace(json.slice(done));
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

function sizeText(bytes: number | null): string | null {
  if (bytes === null) return null;
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}
