/**
 * The versions of each table as a Delta table: one for each commit that adds or removes Parquet files of it. A pure
 * function of the log, so whoever writes a version writes the same bytes (I-59 in FORMAT.md).
 */
import { groupBy } from '../../base/group-by.js';
import type { TableSchema } from '../../model/table-schema.js';
import { tableNamed } from '../../model/tables.js';
import type { FileEntry } from '../log/commit.js';
import type { FileChanges } from '../log/log-view.js';
import { partitionOf } from '../paths.js';

export interface DeltaVersion {
  /** From 0. */
  readonly version: number;
  readonly commit: Pick<FileChanges, 'number' | 'atMs' | 'kind'>;
  readonly added: readonly FileEntry[];
  readonly removed: readonly FileEntry[];
}

/** A file that a version leaves in the table, or has removed. */
export interface DeltaFile {
  readonly file: FileEntry;
  /** When it came, or went, by the log; in milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/** All that a version says together with those before it. */
export interface DeltaState {
  /** Ordered by path. */
  readonly files: readonly DeltaFile[];
  /** Files that the newest versions have removed, ordered by path. */
  readonly tombstones: readonly DeltaFile[];
}

/** The protocol's default for how long a removed file is remembered. */
const TOMBSTONE_MS = 7 * 86_400_000;
/** After so many versions comes a checkpoint. */
const CHECKPOINT_EVERY = 10;

export class TableHistory {
  readonly versions: DeltaVersion[] = [];
  /** The version of the newest erasure in the table; 0 without one. Versions before it must not be read any more. */
  oldest = 0;
  readonly #there = new Map<string, FileEntry>();

  constructor(readonly table: TableSchema) {}

  get newest(): number {
    return this.versions.length - 1;
  }

  add(commit: FileChanges, added: readonly FileEntry[], paths: readonly string[]): void {
    const version = this.versions.length;
    const removed = paths.flatMap((path) => this.#there.get(path) ?? []);
    for (const { path } of removed) this.#there.delete(path);
    for (const file of added) this.#there.set(file.path, file);
    if (commit.kind === 'erase') this.oldest = version;
    const { number, atMs, kind } = commit;
    this.versions.push({ version, commit: { number, atMs, kind }, added, removed });
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

  stateAt(version: number): DeltaState {
    const files = new Map<string, DeltaFile>();
    const gone = new Map<string, DeltaFile>();
    const through = this.versions.slice(0, version + 1);
    for (const { commit, added, removed } of through) {
      for (const file of removed) {
        files.delete(file.path);
        gone.set(file.path, { file, atMs: commit.atMs });
      }
      for (const file of added) files.set(file.path, { file, atMs: commit.atMs });
    }
    const sinceMs = (through.at(-1)?.commit.atMs ?? 0) - TOMBSTONE_MS;
    const tombstones = [...gone.values()].filter(({ atMs }) => atMs > sinceMs);
    return { files: ordered(files.values()), tombstones: ordered(tombstones) };
  }
}

/** Commits are added in order, from the first one on. */
export class TableHistories {
  readonly #tables = new Map<string, TableHistory>();
  #through = 0;

  /** Those that have a version. */
  get tables(): readonly TableHistory[] {
    return [...this.#tables.values()].filter(({ versions }) => versions.length > 0);
  }

  get(table: string): TableHistory | undefined {
    return this.#tables.get(table);
  }

  /** Adds the commits that were not added before. */
  addAll(commits: Iterable<FileChanges>, through = Infinity): void {
    for (const commit of commits) {
      if (commit.number <= this.#through || commit.number > through) continue;
      this.#through = commit.number;
      const added = groupBy(commit.files.filter(isParquet), ({ table }) => table);
      const removed = groupBy(commit.removed, (path) =>
        isParquet({ path }) ? partitionOf(path)?.table : undefined,
      );
      for (const name of new Set([...added.keys(), ...removed.keys()])) {
        if (name === undefined) continue;
        this.#of(name)?.add(commit, added.get(name) ?? [], removed.get(name) ?? []);
      }
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

function isParquet({ path }: Pick<FileEntry, 'path'>): boolean {
  return partitionOf(path)?.extension === 'parquet';
}

function ordered(files: Iterable<DeltaFile>): DeltaFile[] {
  return [...files].sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
}
