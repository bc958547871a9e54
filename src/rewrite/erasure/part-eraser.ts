/** Writes part files and workbooks without the rows of the erased, each once even if the plan is made again. */
import { rowFormatsOf, type Archive } from '../../archive/archive.js';
import type { FileEntry } from '../../archive/log/commit.js';
import { readPart, type WrittenPart } from '../../archive/part-files.js';
import { partitionOf, partNameOf, workbookPath } from '../../archive/paths.js';
import type { RowFormat, SheetSource } from '../../formats/format.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import {
  artifactsTable,
  jobsTable,
  tableNamed,
  datasetsTable,
  TABLES,
} from '../../model/tables.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import type { ErasureTarget } from '../../archive/erasing/erasure-target.js';
import { groupBy } from '../../base/group-by.js';
import { sheetSource, writeXlsx } from '../../formats/xlsx/workbook.js';

export interface ErasedPart {
  readonly file: FileEntry;
  /** Rows that are left out; 0: the file stays. */
  readonly dropped: number;
  /** The new file; undefined if no row is left. */
  readonly replacement: WrittenPart | undefined;
  /** Paths of artifacts that these rows name. */
  readonly artifacts: ReadonlySet<string>;
  /** Distinct jobs among these rows of the table `jobs`. */
  readonly jobs: ReadonlySet<string>;
}

export class PartEraser {
  readonly #done = new Map<string, ErasedPart>();
  readonly #rewriting: ArchiveRun;
  readonly #signal: AbortSignal;
  readonly #target: ErasureTarget;

  constructor(rewriting: ArchiveRun, target: ErasureTarget, signal: AbortSignal) {
    this.#rewriting = rewriting;
    this.#signal = signal;
    this.#target = target;
  }

  /** @throws {IntegrityError} the file is missing or damaged */
  async erase(file: FileEntry): Promise<ErasedPart> {
    const done = this.#done.get(file.path) ?? (await this.#erase(file));
    this.#done.set(file.path, done);
    return done;
  }

  /** Discards files that are not published. */
  async discard(): Promise<void> {
    for (const { replacement } of this.#done.values()) await replacement?.staged.discard();
  }

  async #erase(file: FileEntry): Promise<ErasedPart> {
    const { archive } = this.#rewriting.options;
    const signal = this.#signal;
    const place = partitionOf(file.path);
    const table = tableNamed(file.table);
    const formats = await rowFormatsOf(archive);
    const format = formats.find(({ extension }) => extension === place?.extension);
    if (!place || !table || !format) {
      const detail = 'has a table or a format that this version cannot erase from';
      throw new IntegrityError(file.path, 'unreadable', detail);
    }
    const target = this.#target;
    const reading = { table, format, signal };
    const artifacts = new Set<string>();
    const jobs = new Set<string>();
    let dropped = 0;
    const isKept = (row: Row): boolean => {
      if (!target.hasRow(row['user_id'], row['session_id'])) return true;
      dropped++;
      const path = table.name === artifactsTable.name ? row['path'] : null;
      if (typeof path === 'string') artifacts.add(path);
      if (table === jobsTable) jobs.add(JSON.stringify([row['session_id'], row['job_id']]));
      return false;
    };
    async function* kept(): AsyncGenerator<readonly Row[]> {
      for await (const batch of readPart(archive, file, reading)) {
        yield batch.filter(isKept);
      }
    }
    const part = { table, format, day: place.day, expectedBytes: file.bytes };
    const written = await this.#rewriting.writePart(part, kept());
    return { file, dropped, artifacts, jobs, replacement: await neededOf(written, dropped) };
  }
}

async function neededOf(written: WrittenPart, dropped: number): Promise<WrittenPart | undefined> {
  if (dropped > 0 && written.entry.rows > 0) return written;
  await written.staged.discard();
  return undefined;
}

/** The artifacts of these that remaining rows name. */
export async function stillNamed(
  archive: Archive,
  files: readonly FileEntry[],
  options: {
    readonly format: RowFormat;
    readonly target: ErasureTarget;
    readonly artifacts: ReadonlySet<string>;
    readonly signal: AbortSignal;
  },
): Promise<ReadonlySet<string>> {
  const { format, target, artifacts, signal } = options;
  const named = new Set<string>();
  if (artifacts.size === 0) return named;
  for (const file of files) {
    if (file.table !== artifactsTable.name || !file.path.endsWith(`.${format.extension}`)) continue;
    for await (const rows of readPart(archive, file, { table: artifactsTable, format, signal })) {
      for (const row of rows) {
        const path = row['path'];
        const isOthers = !target.hasRow(row['user_id'], row['session_id']);
        if (typeof path === 'string' && isOthers && artifacts.has(path)) named.add(path);
      }
    }
  }
  return named;
}

/**
 * Makes workbooks without the rows of the erased from the tables. A workbook has the run and number of the part files
 * with the same rows. If an earlier rewrite has replaced some of these part files, it is unknown which rows the workbook
 * has. All such workbooks together have the rows of all other part files, so they are made together, one for each day.
 */
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
