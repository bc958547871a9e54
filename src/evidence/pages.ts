/** The pack's CSV files: their columns, and what goes into them row by row. */
import type { Bag, BagText } from './bag.js';
import { csvLine, type CsvCell } from '../base/text/csv.js';

const COLUMNS = {
  summary: [
    'user_id',
    'sessions',
    'jobs',
    'records',
    'files',
    'files_stored',
    'bytes',
    'gaps',
    'complete',
    'sessions_listed',
    'last_listed_at',
    'erased_since',
    'first_exported_at',
    'last_exported_at',
  ],
  index: ['date', 'title', 'transcript', 'user_id', 'session_id', 'jobs', 'complete', 'on_hold'],
  items: [
    'item',
    'user_id',
    'session_id',
    'job_id',
    'version',
    'is_newest',
    'role',
    'block_index',
    'file_index',
    'name',
    'created_at',
    'exported_at',
    'status',
    'matched_in',
    'note',
    'media_type',
    'sha256',
    'bytes',
    'pack_path',
    'archive_path',
    'commit',
  ],
  locations: [
    'item',
    'user_id',
    'session_id',
    'job_id',
    'version',
    'role',
    'block_index',
    'file_index',
    'service',
    'project',
    'endpoint',
    'original_url',
  ],
  settings: ['of', 'commit', 'run', 'created_at', 'tool', 'setting', 'value'],
  gaps: [
    'user_id',
    'session_id',
    'job_id',
    'role',
    'block_index',
    'file_index',
    'kind',
    'status',
    'reason',
  ],
  holds: ['user_id', 'session_id', 'reason', 'by', 'since', 'released_at', 'commit'],
  'commits/chain': [
    'number',
    'created_at',
    'digest',
    'previous',
    'signed_by',
    'signature',
    'in_pack',
    'file',
  ],
} as const;

export type PageName = keyof typeof COLUMNS;
type RowOf<Page extends PageName> = Readonly<Record<(typeof COLUMNS)[Page][number], CsvCell>>;

export class CsvFiles {
  #gapCount = 0;
  readonly #texts: ReadonlyMap<PageName, BagText>;

  private constructor(texts: ReadonlyMap<PageName, BagText>) {
    this.#texts = texts;
  }

  static async open(bag: Bag): Promise<CsvFiles> {
    const texts = new Map<PageName, BagText>();
    for (const name of Object.keys(COLUMNS) as PageName[]) {
      const text = await bag.openText(`${name}.csv`);
      await text.write(csvLine(COLUMNS[name]));
      texts.set(name, text);
    }
    return new CsvFiles(texts);
  }

  /** Rows of `gaps.csv`. */
  get gaps(): number {
    return this.#gapCount;
  }

  async write<Page extends PageName>(page: Page, row: RowOf<Page>): Promise<void> {
    if (page === 'gaps') this.#gapCount++;
    const cells = row as Readonly<Record<string, CsvCell>>;
    await this.#texts.get(page)?.write(csvLine(COLUMNS[page].map((name) => cells[name] ?? null)));
  }

  async finish(): Promise<void> {
    for (const text of this.#texts.values()) await text.finish();
  }
}
