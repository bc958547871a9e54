/** The tables that a piece shows: the same file is shown twice as a rule, in the analysis and in the answer, and kept once. */
import type { Row } from '../model/table-schema.js';
import type { Storage } from '../storage/storage.js';
import { numberIn } from './row-cells.js';
import { type TableView } from './page-data.js';
import { textIn } from '../model/mask-secrets.js';
import { previewTable } from './preview-table.js';

export class PieceTables {
  readonly views: TableView[] = [];
  /** The characters of the piece so far. */
  characters = 0;
  readonly #places = new Map<string, number | null>();
  readonly #previews: TablePreviews;

  constructor(previews: TablePreviews) {
    this.#previews = previews;
  }

  /** Its place among `views`; null where the file does not read as a table. */
  async add(artifact: Row, path: string): Promise<number | null> {
    const before = this.#places.get(path);
    if (before !== undefined) return before;
    const view = await this.#previews.take(artifact, path);
    if (view) this.characters += JSON.stringify(view).length;
    const place = view ? this.views.push(view) - 1 : null;
    this.#places.set(path, place);
    return place;
  }
}

/** Previews of a session's tables, which may be read before they are needed: opening many small files is mostly waiting. */
export class TablePreviews {
  readonly #begun = new Map<string, Promise<TableView | null>>();
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Begins to read it, unless that has begun. */
  begin(artifact: Row, path: string): void {
    if (this.#begun.has(path)) return;
    const view = this.#read(artifact, path);
    view.catch(() => undefined); // thrown where it is taken, if it is
    this.#begun.set(path, view);
  }

  /** @throws {IntegrityError | StorageError} */
  async take(artifact: Row, path: string): Promise<TableView | null> {
    const begun = this.#begun.get(path);
    this.#begun.delete(path);
    return begun ?? this.#read(artifact, path);
  }

  #read(artifact: Row, path: string): Promise<TableView | null> {
    return previewTable(this.#storage, {
      path,
      bytes: numberIn(artifact, 'bytes') ?? 0,
      rowCount: numberIn(artifact, 'row_count'),
      columnCount: numberIn(artifact, 'column_count'),
      encoding: textIn(artifact, 'encoding'),
      separator: textIn(artifact, 'separator'),
      headingLine: numberIn(artifact, 'heading_line'),
    });
  }
}
