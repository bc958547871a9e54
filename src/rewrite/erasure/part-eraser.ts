/** Finds the part files that lose rows, each looked at once even if the plan is made again; and writes them without these rows. */
import { rowFormatsOf } from '../../archive/archive.js';
import type { FileEntry } from '../../archive/log/commit.js';
import { type WrittenPart } from '../../archive/parts/part-files.js';
import { columnsBut, readPart } from '../../archive/parts/read-part.js';
import { partitionOf } from '../../archive/paths.js';
import type { Row } from '../../model/table-schema.js';
import { tableNamed } from '../../model/tables.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import type { ErasureTarget } from '../../archive/erasing/erasure-target.js';

export interface ErasedPart {
  readonly file: FileEntry;
  /** Rows that are left out; 0: the file stays. */
  readonly dropped: number;
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

  /** Reads the ids of its rows. @throws {IntegrityError} the file is missing or damaged */
  async look(file: FileEntry): Promise<ErasedPart> {
    const done = this.#done.get(file.path) ?? (await this.#look(file));
    this.#done.set(file.path, done);
    return done;
  }

  /** Without publishing it; undefined where no row is left. @throws {IntegrityError} as `look` */
  async write({ file, dropped }: ErasedPart): Promise<WrittenPart | undefined> {
    if (dropped === file.rows) return undefined;
    const { archive } = this.#rewriting.options;
    const { day, reading } = await this.#readingOf(file);
    const isErased = this.#isErased;
    async function* kept(): AsyncGenerator<readonly Row[]> {
      for await (const batch of readPart(archive, file, reading)) {
        yield batch.filter((row) => !isErased(row));
      }
    }
    const { table, format } = reading;
    const part = { table, format, day, expectedBytes: file.bytes };
    return await this.#rewriting.writePart(part, kept());
  }

  async #look(file: FileEntry): Promise<ErasedPart> {
    const { archive } = this.#rewriting.options;
    const { reading } = await this.#readingOf(file);
    let dropped = 0;
    const omitted = columnsBut(reading.table, ['user_id', 'session_id']);
    for await (const batch of readPart(archive, file, { ...reading, omitted })) {
      dropped += batch.filter(this.#isErased).length;
    }
    return { file, dropped };
  }

  readonly #isErased = (row: Row): boolean =>
    this.#target.hasRow(row['user_id'], row['session_id']);

  async #readingOf(file: FileEntry) {
    const place = partitionOf(file.path);
    const table = tableNamed(file.table);
    const formats = await rowFormatsOf(this.#rewriting.options.archive);
    const format = formats.find(({ extension }) => extension === place?.extension);
    if (!place || !table || !format) {
      const detail = 'has a table or a format that this version cannot erase from';
      throw new IntegrityError(file.path, 'unreadable', detail);
    }
    return { day: place.day, reading: { table, format, signal: this.#signal } };
  }
}
