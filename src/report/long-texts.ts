/** Texts that are too long for a page: it shows the beginning, and a file of the report has the whole text. */
import { formatByteSize } from '../base/byte-size.js';
import { beginningOf, beginningOfJson, SHOWN_CHARACTERS } from '../base/text/beginning.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import { blocksTable, jobsTable } from '../model/tables.js';
import type { BlockView } from './page-data.js';
import type { Publisher } from './publisher.js';

/** Shown of each block, however much those before it have. */
const LEAST_CHARACTERS = 10_000;
/** Without it a browser would not know that a text from disk is UTF-8. */
const MARK = '\uFEFF';

export class LongTexts {
  /** By block. */
  readonly #files = new Map<string, BlockView>();
  /** The version of a job whose rows pass by, and how many characters of it may still be shown. */
  #job = '';
  #left = 0;
  readonly #publisher: Publisher;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  /** The row as pages show it: before it is set aside, so that memory holds one long text. */
  async shown(table: TableSchema, row: Row): Promise<Row> {
    // pages show the blocks
    if (table === jobsTable) return { ...row, question_text: null, answer_text: null };
    if (table !== blocksTable) return row;
    const job = JSON.stringify([
      row['user_id'],
      row['session_id'],
      row['job_id'],
      row['job_version'],
    ]);
    if (job !== this.#job) this.#left = SHOWN_CHARACTERS;
    this.#job = job;
    const most = Math.max(this.#left, LEAST_CHARACTERS);
    const text = textIn(row, 'content_text');
    const json = textIn(row, 'content_json');
    this.#left -= Math.min(most, text?.length ?? json?.length ?? 0);
    if (text !== null && text.length > most) {
      await this.#keep(row, text, 'txt');
      return { ...row, content_text: beginningOf(text, most) };
    }
    if (json !== null && json.length > most) {
      await this.#keep(row, json, 'json');
      return { ...row, content_json: beginningOfJson(json, most) };
    }
    return row;
  }

  /** The file that has the whole text of a block; undefined where the page shows it. */
  fileOf(block: Row): BlockView | undefined {
    return this.#files.get(keyOf(block));
  }

  async #keep(row: Row, text: string, extension: 'txt' | 'json'): Promise<void> {
    const file = `data/texts/${this.#files.size + 1}.${extension}`;
    const bytes = await this.#publisher.text(file, extension === 'txt' ? MARK : '', text);
    const size = formatByteSize(bytes);
    const note = `${size}: only the beginning is shown here, and found by the search`;
    this.#files.set(keyOf(row), { kind: 'file', name: 'The whole text', file, note });
  }
}

function keyOf(block: Row): string {
  const columns = ['user_id', 'session_id', 'job_id', 'job_version', 'role', 'block_index'];
  return JSON.stringify(columns.map((column) => block[column]));
}
