/**
 * Makes workbooks without the rows of the erased from the tables. A workbook has the run and number of the part files
 * with the same rows. If an earlier rewrite has replaced some of these part files, it is unknown which rows the workbook
 * has. All such workbooks together have the rows of all other part files, so they are made together, one for each day.
 */
import { rowFormatsOf } from '../../archive/archive.js';
import type { FileEntry } from '../../archive/log/commit.js';
import { partitionOf, partNameOf, workbookPath } from '../../archive/paths.js';
import { readPart } from '../../archive/checked-objects.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import { groupBy } from '../../base/group-by.js';
import type { RowFormat, SheetSource } from '../../formats/format.js';
import { sheetSource, writeXlsx } from '../../formats/xlsx/workbook.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { datasetsTable, TABLES } from '../../model/tables.js';
import type { WrittenPart } from '../compaction/plan-compaction.js';
import type { ErasureTarget } from './erasure-target.js';

export interface ErasedWorkbooks {
  /** Workbooks with rows of the erased, and those replaced together with them. */
  readonly removed: readonly FileEntry[];
  /** The new workbooks. */
  readonly written: readonly WrittenPart[];
}

/** Workbooks, and the part files with the same rows. */
interface Copy {
  readonly workbooks: readonly FileEntry[];
  readonly parts: readonly FileEntry[];
}

export class WorkbookEraser {
  /** By the part files that they were made from: undefined if no rows are left. */
  readonly #done = new Map<string, WrittenPart | undefined>();
  readonly #rewriting: ArchiveRun;
  readonly #signal: AbortSignal;
  readonly #target: ErasureTarget;

  constructor(rewriting: ArchiveRun, target: ErasureTarget, signal: AbortSignal) {
    this.#rewriting = rewriting;
    this.#signal = signal;
    this.#target = target;
  }

  /**
   * @param files of the newest contents
   * @param losing paths of the part files that lose rows
   * @throws {IntegrityError} a part file is missing or damaged
   */
  async erase(files: readonly FileEntry[], losing: ReadonlySet<string>): Promise<ErasedWorkbooks> {
    const [format] = await rowFormatsOf(this.#rewriting.options.archive);
    const removed: FileEntry[] = [];
    const written: WrittenPart[] = [];
    if (!format) return { removed, written };
    const parts = files.filter(({ path }) => partitionOf(path)?.extension === format.extension);
    const workbooks = files.filter(({ schema }) => schema === null);
    for (const copy of copiesOf(workbooks, parts)) {
      if (!copy.parts.some(({ path }) => losing.has(path))) continue;
      removed.push(...copy.workbooks);
      const days = groupBy(copy.parts, ({ path }) => partitionOf(path)?.day);
      for (const sources of days.values()) {
        const key = sources.map(({ path }) => path).join();
        if (!this.#done.has(key)) this.#done.set(key, await this.#write(format, sources));
        const workbook = this.#done.get(key);
        if (workbook) written.push(workbook);
      }
    }
    return { removed, written };
  }

  /** Discards files that are not published. */
  async discard(): Promise<void> {
    for (const written of this.#done.values()) await written?.staged.discard();
  }

  async #write(format: RowFormat, parts: readonly FileEntry[]): Promise<WrittenPart | undefined> {
    const { storage } = this.#rewriting.options.archive;
    const staged = await storage.stage();
    try {
      const { rows } = await writeXlsx(this.#sheets(format, parts), staged);
      const { bytes, sha256 } = await staged.close();
      const path = workbookPath(this.#rewriting.run, this.#rewriting.nextPart());
      if (rows > 0) {
        return { entry: { path, table: 'workbook', rows, bytes, sha256, schema: null }, staged };
      }
    } catch (error) {
      await staged.discard();
      throw error;
    }
    await staged.discard();
    return undefined;
  }

  #sheets(format: RowFormat, parts: readonly FileEntry[]): SheetSource[] {
    const { archive } = this.#rewriting.options;
    const signal = this.#signal;
    const isKept = (table: TableSchema, row: Row): boolean =>
      table === datasetsTable || !this.#target.hasRow(row['user_id'], row['session_id']);
    return TABLES.map((table) =>
      sheetSource(table, async function* () {
        for (const file of parts.filter((part) => part.table === table.name)) {
          for await (const rows of readPart(archive, file, { table, format, signal })) {
            yield rows.filter((row) => isKept(table, row));
          }
        }
      }),
    );
  }
}

/** Each workbook with its part files, if they are still there; then all other workbooks together. */
function copiesOf(workbooks: readonly FileEntry[], parts: readonly FileEntry[]): readonly Copy[] {
  const partsByName = groupBy(parts, ({ path }) => partNameOf(path));
  const copies: Copy[] = [];
  const others = { workbooks: [] as FileEntry[], parts: new Set(parts) };
  for (const workbook of workbooks) {
    const own = partsByName.get(partNameOf(workbook.path)) ?? [];
    const isWhole = own.reduce((sum, { rows }) => sum + rows, 0) === workbook.rows;
    if (isWhole) {
      copies.push({ workbooks: [workbook], parts: own });
      for (const part of own) others.parts.delete(part);
    } else others.workbooks.push(workbook);
  }
  if (others.workbooks.length > 0) {
    copies.push({ workbooks: others.workbooks, parts: [...others.parts] });
  }
  return copies;
}
