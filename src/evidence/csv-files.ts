/** The pack's CSV files, with their columns: rows go into them one by one. */
import { present } from '../base/error.js';
import type { Bag, BagText } from './bag.js';
import { csvLine, type CsvCell } from '../base/text/csv.js';

const COLUMNS = {
  summary: [
    'user_id',
    'sessions',
    'jobs',
    'records',
    'file_places',
    'file_places_stored',
    'bytes',
    'gaps',
    'doubts',
    'accepted_gaps',
    'accepted_doubts',
    'lost_files',
    'jobs_left_out',
    'jobs_withheld',
    'complete',
    'tables_not_searched',
    'tables_in_part',
    'sessions_listed',
    'last_listed_at',
    'erased_since',
    'erased',
    'first_exported_at',
    'last_exported_at',
  ],
  index: [
    'date',
    'title',
    'transcript',
    'user_id',
    'session_id',
    'jobs',
    'jobs_in_session',
    'jobs_withheld',
    'gaps',
    'doubts',
    'accepted_gaps',
    'accepted_doubts',
    'lost_files',
    'history_read_to_end',
    'at_the_service',
    'on_hold',
  ],
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
    'created_after',
    'created_before',
    'exported_at',
    'status',
    'matched_in',
    'note',
    'media_type',
    'sha256',
    'bytes',
    'pack_path',
    'pack_offset',
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
    'session_name',
    'job_id',
    'created_at',
    'created_after',
    'created_before',
    'role',
    'block_index',
    'file_index',
    'kind',
    'status',
    'reason',
    'accepted_by',
    'accepted_at',
    'accepted_reason',
  ],
  'tables-not-searched': [
    'user_id',
    'session_id',
    'session_name',
    'job_id',
    'file',
    'searched',
    'job_in_pack',
  ],
  withheld: [
    'user_id',
    'session_id',
    'job_id',
    'decision',
    'jobs',
    'reason',
    'decided_by',
    'decided_at',
  ],
  holds: [
    'user_id',
    'session_id',
    'reason',
    'by',
    'set_by',
    'since',
    'released_at',
    'released_by',
    'release_reason',
    'commit',
    'release_commit',
  ],
  'commits/chain': [
    'number',
    'created_at',
    'digest',
    'previous',
    'signed_by',
    'signature',
    'redacted_by',
    'in_pack',
    'file',
  ],
} as const;

/** Excel takes a CSV file without it for one of its own code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The file of a pack of a search for words. */
const UNREAD_CSV = 'tables-not-searched';

export type CsvName = keyof typeof COLUMNS;
type RowOf<Name extends CsvName> = Readonly<Record<(typeof COLUMNS)[Name][number], CsvCell>>;

export class CsvFiles {
  readonly #texts: ReadonlyMap<CsvName, BagText>;

  private constructor(texts: ReadonlyMap<CsvName, BagText>) {
    this.#texts = texts;
  }

  /**
   * @param has.words whether the pack is of a search for words: then a file names the tables that it did not read
   * @param has.decisions whether its request has decisions: then a file is the log of what is withheld
   */
  static async open(
    bag: Bag,
    has: { readonly words: boolean; readonly decisions: boolean },
  ): Promise<CsvFiles> {
    const texts = new Map<CsvName, BagText>();
    for (const name of Object.keys(COLUMNS) as CsvName[]) {
      if (name === UNREAD_CSV && !has.words) continue;
      if (name === 'withheld' && !has.decisions) continue;
      const text = await bag.openText(`${name}.csv`);
      await text.write(BYTE_ORDER_MARK + csvLine(COLUMNS[name]));
      texts.set(name, text);
    }
    return new CsvFiles(texts);
  }

  async write<Name extends CsvName>(name: Name, row: RowOf<Name>): Promise<void> {
    await this.writePart<Name>(name, row);
  }

  /** The other cells are empty. */
  async writePart<Name extends CsvName>(name: Name, row: Partial<RowOf<Name>>): Promise<void> {
    const cells = row as Readonly<Record<string, CsvCell>>;
    const text = present(this.#texts.get(name), `${name}.csv`);
    await text.write(csvLine(COLUMNS[name].map((column) => cells[column] ?? null)));
  }

  async finish(): Promise<void> {
    for (const text of this.#texts.values()) await text.finish();
  }
}
