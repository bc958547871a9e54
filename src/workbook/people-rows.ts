/** The rows of a workbook's users, of every table, read from the archive once and set aside, so that they can be read again. */
import { visibleDirections, visibleId } from '../base/text/direction.js';
import type { Archive } from '../archive/archive.js';
import { artifactOf } from '../archive/objects/artifact-rows.js';
import { checkObjects, type NamedObject } from '../archive/objects/checked-objects.js';
import type { SelectedRows } from '../archive/reading/rows/selected-rows.js';
import { Spool } from '../archive/reading/rows/spool.js';
import { lineOf, rowOf } from '../archive/reading/rows/row-lines.js';
import type { SheetSource } from '../formats/format.js';
import { longTextRows } from '../formats/xlsx/long-texts.js';
import { sheetSource } from '../formats/xlsx/sheet-source.js';
import { beginningOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { artifactsTable, datasetsTable, TABLES } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';

interface GatherOptions {
  readonly archive: Archive;
  /** Where rows are set aside. */
  readonly target: Storage;
  readonly signal?: AbortSignal | undefined;
}

const BATCH_ROWS = 200;

/** Datasets are the project's, nobody's own. */
const PERSONAL = TABLES.filter((table) => table !== datasetsTable);

export class PeopleRows {
  /** The rows of the sheet `long_text`. */
  longTextRows = 0;
  /** By path; none of a pseudonymised copy, which has no files and rows without their paths. */
  readonly files = new Map<string, NamedObject>();
  readonly #counts = new Map<string, number>();
  readonly #spool: Spool;

  /** Use `gatherRows`. */
  constructor(spool: Spool) {
    this.#spool = spool;
  }

  static readonly tables = PERSONAL;

  async add(table: TableSchema, row: Row): Promise<void> {
    this.#counts.set(table.name, this.count(table) + 1);
    if (table === artifactsTable) this.#addFile(row);
    this.longTextRows += [...longTextRows(table, row, 1)].length;
    await this.#spool.add(PERSONAL.indexOf(table), lineOf(table, row));
  }

  #addFile(row: Row): void {
    const file = artifactOf(row);
    if (file) this.files.set(file.path, file);
  }

  count(table: TableSchema): number {
    return this.#counts.get(table.name) ?? 0;
  }

  /** In the order written. */
  async *rows(table: TableSchema): AsyncGenerator<Row> {
    for await (const line of this.#spool.lines(PERSONAL.indexOf(table))) {
      yield rowOf(PERSONAL, line).row;
    }
  }

  /** The rows of every table, for the sheets of a workbook. */
  get sources(): SheetSource[] {
    return PERSONAL.map((table) => sheetSource(table, () => this.#batches(table)));
  }

  async close(): Promise<void> {
    await this.#spool.close();
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }

  async *#batches(table: TableSchema): AsyncGenerator<readonly Row[]> {
    let batch: Row[] = [];
    for await (const row of this.rows(table)) {
      batch.push({ ...row, ...shownIds(table, row) });
      if (batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

/** Ids with what cannot be seen in them; until a sheet shows them they are compared as they are. */
function shownIds(table: TableSchema, row: Row): Row {
  return shownTexts(
    row,
    table.columns.filter(({ isKey }) => isKey),
    visibleId,
  );
}

/**
 * A row as it is shown: of texts longer than a sheet can show the beginning; what would turn the direction of one is
 * shown.
 */
function shownRow(table: TableSchema, row: Row): Row {
  const others = table.columns.filter(({ isKey }) => !isKey);
  const shown = shownTexts(row, others, (text) => {
    const more = text.length - SHOWN_CHARACTERS;
    if (more <= 0) return visibleDirections(text);
    const rest = `… (${more} more characters: jobvault show has them)`;
    return visibleDirections(beginningOf(text)) + rest;
  });
  return { ...row, ...shown };
}

/** The columns that are texts. */
function shownTexts(
  row: Row,
  columns: readonly { readonly name: string }[],
  shown: (text: string) => string,
): Row {
  const texts = columns.flatMap(({ name }) => {
    const text = row[name];
    return typeof text === 'string' ? [[name, shown(text)] as const] : [];
  });
  return Object.fromEntries(texts);
}

/**
 * Without live URL signatures: a workbook goes to people.
 *
 * @param selected what is in scope
 * @throws {IntegrityError | FormatError} the archive is damaged, also where one of its files is missing or altered
 */
export async function gatherRows(
  options: GatherOptions,
  selected: SelectedRows,
): Promise<PeopleRows> {
  const rows = new PeopleRows(await Spool.open(options.target, PERSONAL.length));
  try {
    for (const table of PERSONAL) {
      for await (const row of selected.rows(table)) {
        options.signal?.throwIfAborted();
        await rows.add(table, shownRow(table, row));
      }
    }
    await rows.close();
    // what counts a file says that nothing of it is missing
    await checkObjects(options.archive.storage, [...rows.files.values()], options.signal);
    return rows;
  } catch (error) {
    await rows.discard();
    throw error;
  }
}
