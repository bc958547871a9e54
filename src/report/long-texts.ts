/** Texts that are too long for a page: it shows the beginning, and a file of the report has the whole text. */
import { formatByteSize } from '../base/byte-size.js';
import { beginningOf, beginningOfJson, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textIn } from '../model/mask-secrets.js';
import { blocksTable } from '../model/tables.js';
import { shapeOf } from '../model/blocks/block-types.js';
import { DATA_IN_TEXT } from '../model/urls/file-url.js';
import type { BlockView } from './page-data.js';
import type { Publisher } from './publisher.js';

/** Shown of each block, however much those before it have. */
const LEAST_CHARACTERS = 10_000;
/** Without it a browser would not know that a text from disk is UTF-8. */
const MARK = '\uFEFF';

/** Endings of what the page shows of them. */
const PICTURES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/apng', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/jpg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/bmp', 'bmp'],
  ['image/x-icon', 'ico'],
  ['image/vnd.microsoft.icon', 'ico'],
]);

export class LongTexts {
  /** By block. */
  readonly #files = new Map<string, BlockView[]>();
  /** The pictures in texts, by block. */
  readonly #pictures = new Map<string, readonly string[]>();
  /** A row of the version of a job whose rows pass by, and how many characters of it may still be shown. */
  #last: Row | undefined;
  #charactersLeft = 0;
  #newFiles: string[] = [];
  readonly #publisher: Publisher;
  readonly #numberOf: (user: string, session: string) => number;
  /** The count of each session. */
  readonly #counts = new Map<number, number>();

  /** @param numberOf the number of a session in the report */
  constructor(publisher: Publisher, numberOf: (user: string, session: string) => number) {
    this.#publisher = publisher;
    this.#numberOf = numberOf;
  }

  /** The row as pages show it: before it is set aside, so that memory holds one long text. */
  async shown(table: TableSchema, row: Row): Promise<Row> {
    if (table !== blocksTable) return row;
    return this.#cut(await this.#withoutDataUrls(row));
  }

  async #cut(row: Row): Promise<Row> {
    if (!isOfSameJob(this.#last, row)) this.#charactersLeft = SHOWN_CHARACTERS;
    this.#last = row;
    const text = textIn(row, 'content_text');
    const json = textIn(row, 'content_json');
    if (text === null && json === null) return row;
    return {
      ...row,
      content_text: text === null ? null : await this.#shortened(row, text, 'txt'),
      content_json: json === null ? null : await this.#shortened(row, json, 'json'),
    };
  }

  /** A picture in a text, of which the text has all bytes, becomes a file of the report. */
  async #withoutDataUrls(row: Row): Promise<Row> {
    const text = textIn(row, 'content_text');
    if (text?.includes('base64,') !== true || shapeOf(textIn(row, 'type')) !== 'prose') return row;
    const pieces: string[] = [];
    const files: string[] = [];
    let done = 0;
    for (const match of text.matchAll(DATA_IN_TEXT)) {
      const [url, type = '', data = ''] = match;
      const file = `${this.#newFile(row)}.${PICTURES.get(type.toLowerCase()) ?? 'bin'}`;
      await this.#publisher.file(file, Buffer.from(data, 'base64'));
      pieces.push(text.slice(done, match.index), file);
      files.push(file);
      done = match.index + url.length;
    }
    if (files.length === 0) return row;
    this.#pictures.set(keyOf(row), files);
    return { ...row, content_text: pieces.join('') + text.slice(done) };
  }

  #newFile(row: Row): string {
    const session = this.#numberOf(textIn(row, 'user_id') ?? '', textIn(row, 'session_id') ?? '');
    const count = (this.#counts.get(session) ?? 0) + 1;
    this.#counts.set(session, count);
    return `data/texts/${session}-${count}`;
  }

  async #shortened(row: Row, text: string, extension: 'txt' | 'json'): Promise<string> {
    const most = Math.max(this.#charactersLeft, LEAST_CHARACTERS);
    this.#charactersLeft -= Math.min(most, text.length);
    if (text.length <= most) return text;
    await this.#keep(row, text, extension);
    return extension === 'txt' ? beginningOf(text, most) : beginningOfJson(text, most);
  }

  /** The files that have the whole texts of a block; none where the page shows them. */
  filesOf(block: Row): readonly BlockView[] {
    if (this.#pictures.size > 0) this.#newFiles.push(...(this.#pictures.get(keyOf(block)) ?? []));
    const files = this.#files.size === 0 ? [] : (this.#files.get(keyOf(block)) ?? []);
    for (const file of files) {
      if (file.kind === 'file' && file.file !== null) this.#newFiles.push(file.file);
    }
    return files;
  }

  /** The files that were asked for since the last call. */
  takeNewFiles(): string[] {
    const files = this.#newFiles;
    this.#newFiles = [];
    return files;
  }

  async #keep(row: Row, text: string, extension: 'txt' | 'json'): Promise<void> {
    const file = `${this.#newFile(row)}.${extension}`;
    const bytes = await this.#publisher.text(file, extension === 'txt' ? MARK : '', text);
    const size = formatByteSize(bytes);
    const note = `${size}: only the beginning is shown here, and found by the search`;
    const key = keyOf(row);
    const name = extension === 'txt' ? 'The whole text' : 'The whole JSON';
    this.#files.set(key, [...(this.#files.get(key) ?? []), { kind: 'file', name, file, note }]);
  }
}

const JOB_COLUMNS = ['user_id', 'session_id', 'job_id', 'job_version'];

function isOfSameJob(a: Row | undefined, b: Row): boolean {
  return a !== undefined && JOB_COLUMNS.every((column) => a[column] === b[column]);
}

function keyOf(block: Row): string {
  return JSON.stringify([...JOB_COLUMNS, 'role', 'block_index'].map((column) => block[column]));
}
