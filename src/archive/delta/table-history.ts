/**
 * The versions of each table as a Delta table: one for each commit that adds or removes Parquet files of it, and one for the
 * first commit with Parquet files of any. A pure function of the log, so whoever writes a version writes the same bytes
 * (I-59 in FORMAT.md).
 */
import { groupBy } from '../../base/group-by.js';
import type { Column, TableSchema } from '../../model/table-schema.js';
import { TABLE_NAMES, tableNamed } from '../../model/tables.js';
import type { FileEntry } from '../log/commit.js';
import type { FileChanges } from '../log/contents.js';
import { partitionOf } from '../paths.js';

export interface DeltaVersion {
  /** From 0. */
  readonly version: number;
  readonly commit: Pick<FileChanges, 'number' | 'atMs' | 'kind'>;
  readonly added: readonly FileEntry[];
  readonly removed: readonly FileEntry[];
  /** The columns from this version on; undefined where they are those of the version before. */
  readonly columns: readonly Column[] | undefined;
}

/** A file that a version leaves in the table, or has removed. */
export interface DeltaFile<File = FileEntry> {
  readonly file: File;
  /** When it came, or went, by the log; in milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/** What is remembered of a removed file. */
export type RemovedFile = Pick<FileEntry, 'path' | 'table' | 'bytes'>;

/** All that a version says together with those before it. */
export interface DeltaState {
  readonly columns: readonly Column[];
  /** Ordered by path. */
  readonly files: readonly DeltaFile[];
  /** Files that the newest versions have removed, ordered by path. */
  readonly tombstones: readonly DeltaFile<RemovedFile>[];
}

/** What a snapshot keeps of the versions of a table up to its commit, beside the files that are there. */
export interface TableHead {
  readonly table: string;
  /** How many there are. */
  readonly versions: number;
  /** As `TableHistory.oldest`. */
  readonly oldest: number;
  /** The time of version 0, in milliseconds since 1970 UTC. */
  readonly createdMs: number;
  /** Fingerprint of the columns as of the newest version. */
  readonly schema: string;
  /** As of the newest version: path, bytes, when it went. */
  readonly tombstones: readonly (readonly [path: string, bytes: number, atMs: number])[];
}

/** The protocol's default for how long a removed file is remembered. */
const TOMBSTONE_MS = 7 * 86_400_000;
/** After so many versions comes a checkpoint. */
const CHECKPOINT_EVERY = 10;

/**
 * The history of a table: all of its versions, or those after a snapshot, when what came before them is known as a whole.
 */
export class TableHistory {
  /** The version of the newest erasure in the table; 0 without one. Versions before it must not be read any more. */
  oldest: number;
  /** The first version that is known by itself. */
  readonly first: number;
  readonly #versions: DeltaVersion[] = [];
  readonly #before: DeltaState;
  #createdMs: number | undefined;
  /** Index of the newest columns that a file had: 0 are those of now. Infinity before the first file. */
  #schema: number;
  readonly #there: Map<string, FileEntry>;

  constructor(
    readonly table: TableSchema,
    head?: TableHead,
    files: readonly DeltaFile[] = [],
  ) {
    const { name } = table;
    this.oldest = head?.oldest ?? 0;
    this.first = head?.versions ?? 0;
    this.#createdMs = head?.createdMs;
    const gone = head?.tombstones ?? [];
    const tombstones = gone.map(([path, bytes, atMs]) => ({
      file: { path, table: name, bytes },
      atMs,
    }));
    this.#schema = head ? schemaIndex(table, head.schema) : Infinity;
    this.#before = { columns: this.#schemaColumns ?? [], files, tombstones };
    this.#there = new Map(files.map(({ file }) => [file.path, file]));
  }

  get newest(): number {
    return this.first + this.#versions.length - 1;
  }

  /** The time of version 0, in milliseconds since 1970 UTC. */
  get createdMs(): number {
    return this.#createdMs ?? 0;
  }

  add(commit: FileChanges, added: readonly FileEntry[], paths: readonly string[]): void {
    const version = this.newest + 1;
    const removed = paths.flatMap((path) => this.#there.get(path) ?? []);
    for (const { path } of removed) this.#there.delete(path);
    for (const file of added) this.#there.set(file.path, file);
    if (commit.kind === 'erase') this.oldest = version;
    const { number, atMs, kind } = commit;
    this.#createdMs ??= atMs;
    const columns = this.#columnsFor(added);
    this.#versions.push({ version, commit: { number, atMs, kind }, added, removed, columns });
  }

  /** A file with columns that none had before brings them to the table; an older file changes nothing. */
  #columnsFor(added: readonly FileEntry[]): readonly Column[] | undefined {
    const before = this.#schema;
    const seen = added.map(({ schema }) => schemaIndex(this.table, schema));
    this.#schema = Math.min(before, ...seen);
    if (this.#schema === Infinity) this.#schema = 0;
    return this.#schema < before ? this.#schemaColumns : undefined;
  }

  get #schemaColumns(): readonly Column[] | undefined {
    return [this.table, ...this.table.earlier][this.#schema]?.columns;
  }

  /** @throws {RangeError} the version is not known by itself */
  version(version: number): DeltaVersion {
    const found = this.#versions[version - this.first];
    if (!found) throw new RangeError(`no version ${version} is known`);
    return found;
  }

  /** Whether a checkpoint belongs at the version. After an erasure one stands in place of the versions before. */
  hasCheckpoint(version: number): boolean {
    return version > 0 && (version === this.oldest || version % CHECKPOINT_EVERY === 0);
  }

  /** The version of the newest checkpoint; undefined if there is none yet. */
  get newestCheckpoint(): number | undefined {
    for (let version = this.newest; version >= this.oldest; version--) {
      if (this.hasCheckpoint(version)) return version;
    }
    return undefined;
  }

  /** @throws {RangeError} as `version` */
  stateAt(version: number): DeltaState {
    const { commit: last } = this.version(version);
    let { columns } = this.#before;
    const files = new Map(this.#before.files.map((entry) => [entry.file.path, entry]));
    const gone = new Map(
      this.#before.tombstones.map((tombstone) => [tombstone.file.path, tombstone]),
    );
    const through = this.#versions.slice(0, version - this.first + 1);
    for (const { commit, added, removed, ...rest } of through) {
      columns = rest.columns ?? columns;
      for (const file of removed) {
        files.delete(file.path);
        gone.set(file.path, { file, atMs: commit.atMs });
      }
      for (const file of added) files.set(file.path, { file, atMs: commit.atMs });
    }
    const sinceMs = last.atMs - TOMBSTONE_MS;
    const tombstones = [...gone.values()].filter(({ atMs }) => atMs > sinceMs);
    return { columns, files: ordered(files.values()), tombstones: ordered(tombstones) };
  }

  head(): TableHead {
    const { newest, oldest, createdMs } = this;
    const { tombstones } = newest < this.first ? this.#before : this.stateAt(newest);
    return {
      table: this.table.name,
      versions: newest + 1,
      oldest,
      createdMs,
      schema: ([this.table, ...this.table.earlier][this.#schema] ?? this.table).fingerprint,
      tombstones: tombstones.map(({ file, atMs }) => [file.path, file.bytes, atMs]),
    };
  }
}

/** Commits are added in order, from the first one on, or from the first after those that the heads tell of. */
export class TableHistories {
  readonly #tables = new Map<string, TableHistory>();

  /** @param files those that are there, with the times at which they came */
  static from(heads: readonly TableHead[], files: Iterable<DeltaFile>): TableHistories {
    const histories = new TableHistories();
    const filesOf = groupBy(files, ({ file }) => (isParquet(file) ? file.table : undefined));
    for (const head of heads) {
      const table = tableNamed(head.table);
      if (!table) continue;
      const tableFiles = ordered(filesOf.get(head.table) ?? []);
      histories.#tables.set(head.table, new TableHistory(table, head, tableFiles));
    }
    return histories;
  }

  /** The tables that have a version. */
  get tables(): readonly TableHistory[] {
    return [...this.#tables.values()].filter(({ newest }) => newest >= 0);
  }

  get(table: string): TableHistory | undefined {
    return this.#tables.get(table);
  }

  heads(): TableHead[] {
    return this.tables.map((table) => table.head());
  }

  add(commit: FileChanges): void {
    const added = groupBy(commit.files.filter(isParquet), ({ table }) => table);
    const removed = groupBy(commit.removed, (path) =>
      isParquet({ path }) ? partitionOf(path)?.table : undefined,
    );
    // from then on a table without rows is an empty one to a reader of Delta, and not a missing one
    const begun = this.#tables.size === 0 && added.size > 0 ? TABLE_NAMES : [];
    for (const name of new Set([...added.keys(), ...removed.keys(), ...begun])) {
      if (name === undefined) continue;
      this.#of(name)?.add(commit, added.get(name) ?? [], removed.get(name) ?? []);
    }
  }

  #of(name: string): TableHistory | undefined {
    const table = tableNamed(name);
    const known = this.#tables.get(name);
    if (known || !table) return known;
    const made = new TableHistory(table);
    this.#tables.set(name, made);
    return made;
  }
}

/** 0 for the columns of now, and for such as no earlier ones are. */
function schemaIndex(table: TableSchema, fingerprint: string): number {
  return 1 + table.earlier.findIndex((earlier) => earlier.fingerprint === fingerprint);
}

function isParquet({ path }: Pick<FileEntry, 'path'>): boolean {
  return partitionOf(path)?.extension === 'parquet';
}

function ordered<File extends Pick<FileEntry, 'path'>>(
  files: Iterable<DeltaFile<File>>,
): DeltaFile<File>[] {
  return [...files].sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
}
