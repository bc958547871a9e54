/** Rows on their way into the log: one part file for each table and format, which a commit names. */
import { rowFormatsOf, type Archive } from '../archive.js';
import type { CommitDraft } from '../log/commit-draft.js';
import type { Commit, FileEntry } from '../log/commit.js';
import { partPath } from '../paths.js';
import { commitOrWithdraw } from './commit-or-withdraw.js';
import { type WrittenPart } from '../parts/part-files.js';
import { BoundsSoFar, hasBounds } from '../parts/part-bounds.js';
import { PublishedParts } from './published-parts.js';
import type { RowFormat, RowWriter } from '../../formats/format.js';
import type { RunId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { ContentDigest, StagedObject } from '../../storage/storage.js';

interface RowsToCommitOptions {
  readonly archive: Archive;
  readonly run: RunId;
  /** UTC day of the run: `2026-11-21`. */
  readonly day: string;
  /** From 1; the number of the commit within the run, and of its files. */
  readonly checkpoint: number;
}

interface OpenPart {
  /** Where it will be published. */
  readonly path: string;
  readonly table: TableSchema;
  readonly format: RowFormat;
  readonly staged: StagedObject;
  readonly writer: RowWriter;
}

/** What a commit says beside the files of its rows. */
type DraftBeside = Omit<CommitDraft, 'files' | 'run' | 'checkpoint' | 'tool' | 'onPut'>;

export class RowsToCommit {
  readonly #parts = new Map<string, OpenPart[]>();
  /** By table. */
  readonly #bounds = new Map<string, BoundsSoFar>();
  readonly #closed: WrittenPart[] = [];
  readonly #published: PublishedParts;

  constructor(readonly options: RowsToCommitOptions) {
    this.#published = new PublishedParts(options.archive);
  }

  /** Writes rows of a table to its files; they are read once for each. Resolves when more may be written. */
  async write(table: TableSchema, rows: Iterable<Row>): Promise<void> {
    const [first, ...others] = await this.#open(table);
    await first?.writer.write(hasBounds(table) ? this.#boundsOf(table).over(rows) : rows);
    for (const { writer } of others) await writer.write(rows);
  }

  /** Bytes written or still buffered, over all files. */
  get pendingBytes(): number {
    return [...this.#parts.values()]
      .flat()
      .reduce((sum, part) => sum + part.writer.pendingBytes, 0);
  }

  /** Publishes the files, durably. @returns what the commit says of them, and of the run */
  async publish(): Promise<Pick<CommitDraft, 'files' | 'run' | 'checkpoint' | 'tool'>> {
    await this.#close();
    await this.#published.publish(this.#closed);
    const { archive, run, checkpoint } = this.options;
    return { run, checkpoint, tool: archive.tool, files: this.#closed.map(({ entry }) => entry) };
  }

  /** Removes the files, whose commit is surely not in the log: `tables/` must not have rows that no commit names. */
  async withdraw(): Promise<void> {
    await this.discard();
    await this.#published.withdraw();
  }

  /**
   * Publishes and commits the rows, where the commit names no other objects. If it is surely not in the log, nothing stays.
   *
   * @throws as `commitOrWithdraw`
   */
  async commit(draft: DraftBeside): Promise<Commit> {
    return commitOrWithdraw({
      archive: this.options.archive,
      publish: async () => ({ ...draft, ...(await this.publish()) }),
      withdraw: () => this.withdraw(),
    });
  }

  /** Harmless after a commit. */
  async discard(): Promise<void> {
    const open = [...this.#parts.values()].flat();
    for (const { staged } of [...open, ...this.#closed]) await staged.discard();
  }

  /** Finishes every file. */
  async #close(): Promise<void> {
    for (const parts of this.#parts.values()) {
      for (const part of parts) {
        const { rows } = await part.writer.finish();
        const digest = await part.staged.close();
        this.#closed.push({ staged: part.staged, entry: this.#fileOf(part, rows, digest) });
      }
    }
  }

  async #open(table: TableSchema): Promise<readonly OpenPart[]> {
    const open = this.#parts.get(table.name);
    if (open) return open;
    const parts: OpenPart[] = [];
    this.#parts.set(table.name, parts);
    const { archive, day, run, checkpoint } = this.options;
    for (const format of await rowFormatsOf(archive)) {
      const path = partPath(table.name, day, run, checkpoint, format.extension);
      const staged = await archive.storage.stage();
      parts.push({ path, table, format, staged, writer: format.openWriter(table, staged) });
    }
    return parts;
  }

  #boundsOf({ name }: TableSchema): BoundsSoFar {
    const bounds = this.#bounds.get(name) ?? new BoundsSoFar();
    this.#bounds.set(name, bounds);
    return bounds;
  }

  #fileOf({ path, table }: OpenPart, rows: number, digest: ContentDigest): FileEntry {
    return {
      path,
      table: table.name,
      rows,
      bytes: digest.bytes,
      sha256: digest.sha256,
      schema: table.fingerprint,
      ...this.#boundsOf(table).for(table, path),
    };
  }
}
