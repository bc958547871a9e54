/** Writes part files without the rows of the erased, each once even if the plan is made again. */
import { rowFormatsOf } from '../../archive/archive.js';
import type { FileEntry } from '../../archive/log/commit.js';
import { type WrittenPart } from '../../archive/part-files.js';
import { columnsBut, readPart } from '../../archive/read-part.js';
import { partitionOf } from '../../archive/paths.js';
import type { Row } from '../../model/table-schema.js';
import { jobsTable, tableNamed } from '../../model/tables.js';
import { foldedUser } from '../../model/user-spelling.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import type { ErasureTarget } from '../../archive/erasing/erasure-target.js';

export interface ErasedPart {
  readonly file: FileEntry;
  /** Rows that are left out; 0: the file stays. */
  readonly dropped: number;
  /** The new file; undefined if no row is left. */
  readonly replacement: WrittenPart | undefined;
  /** Distinct jobs among these rows of the table `jobs`; what two spellings of a user list is one. */
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
    const isErased = (row: Row): boolean => target.hasRow(row['user_id'], row['session_id']);
    const jobs = new Set<string>();
    let dropped = 0;
    const omitted = columnsBut(table, ['user_id', 'session_id', 'job_id']);
    for await (const batch of readPart(archive, file, { ...reading, omitted })) {
      for (const row of batch.filter(isErased)) {
        dropped++;
        if (table !== jobsTable) continue;
        const person = foldedUser(String(row['user_id']));
        jobs.add(JSON.stringify([person, row['session_id'], row['job_id']]));
      }
    }
    const erased = { file, dropped, jobs };
    if (dropped === 0 || dropped === file.rows) return { ...erased, replacement: undefined };
    async function* kept(): AsyncGenerator<readonly Row[]> {
      for await (const batch of readPart(archive, file, reading)) {
        yield batch.filter((row) => !isErased(row));
      }
    }
    const part = { table, format, day: place.day, expectedBytes: file.bytes };
    return { ...erased, replacement: await this.#rewriting.writePart(part, kept()) };
  }
}
