/** The tables that a piece shows: the same file is shown twice as a rule, in the analysis and in the answer, and kept once. */
import type { Row } from '../model/table-schema.js';
import type { Storage } from '../storage/storage.js';
import { numberIn } from './cells.js';
import type { TableView } from './page-data.js';
import { previewTable } from './table-preview.js';

export class PieceTables {
  readonly views: TableView[] = [];
  /** Of the piece so far. */
  characters = 0;
  readonly #places = new Map<string, number | null>();
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Its place among `views`; null where the file does not read as a table. */
  async add(artifact: Row, path: string): Promise<number | null> {
    const before = this.#places.get(path);
    if (before !== undefined) return before;
    const view = await previewTable(this.#storage, {
      path,
      bytes: numberIn(artifact, 'bytes') ?? 0,
      rowCount: numberIn(artifact, 'row_count'),
    });
    if (view) this.characters += JSON.stringify(view).length;
    const place = view ? this.views.push(view) - 1 : null;
    this.#places.set(path, place);
    return place;
  }
}
