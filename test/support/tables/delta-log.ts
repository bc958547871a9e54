/** Reads a Delta table as the protocol says, from the objects of its log alone; shares no code with the writer. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../../../src/model/table-schema.js';
import { tableNamed } from '../../../src/model/tables.js';
import type { Storage } from '../../../src/storage/storage.js';
import { duckDbRows, duckDbTable, sqlText } from './duckdb-rows.js';

/** By name within `_delta_log/`. */
export type DeltaObjects = ReadonlyMap<string, Buffer>;

export interface DeltaAction {
  readonly commitInfo?: {
    readonly operation: string;
    readonly operationParameters: { readonly commit: string; readonly kind: string };
  };
  readonly protocol?: { readonly minReaderVersion: number; readonly minWriterVersion: number };
  readonly metaData?: {
    readonly id: string;
    readonly name: string;
    readonly schemaString: string;
    readonly partitionColumns: readonly string[];
  };
  readonly add?: DeltaFileAction & { readonly stats: string };
  readonly remove?: DeltaFileAction & { readonly deletionTimestamp: number };
}

interface DeltaFileAction {
  readonly path: string;
  readonly partitionValues: Readonly<Record<string, string>>;
  readonly size: number;
  readonly dataChange: boolean;
}

export interface DeltaSnapshot {
  readonly version: number;
  /** Of the archive; undefined where a checkpoint alone says what the version has. */
  readonly commit: number | undefined;
  readonly metaData: DeltaAction['metaData'];
  /** Ordered, relative to the table. */
  readonly paths: readonly string[];
  /** By the statistics. */
  readonly rows: number;
}

export async function deltaObjects(storage: Storage, table: string): Promise<DeltaObjects> {
  const prefix = `tables/${table}/_delta_log/`;
  const found = new Map<string, Buffer>();
  for await (const { path } of storage.list(prefix)) {
    found.set(path.slice(prefix.length), Buffer.from(await storage.get(path)));
  }
  return found;
}

export async function deltaObjectsIn(archive: string, table: string): Promise<DeltaObjects> {
  const directory = join(archive, 'tables', table, '_delta_log');
  const names = await readdir(directory).catch(() => []);
  const read = names
    .sort()
    .map(async (name) => [name, await readFile(join(directory, name))] as const);
  return new Map(await Promise.all(read));
}

/** The actions of a version, one of each line. */
export function actionsOf(objects: DeltaObjects, version: number): DeltaAction[] {
  const bytes = objects.get(`${String(version).padStart(20, '0')}.json`);
  if (!bytes) throw new Error(`there is no version ${version}`);
  const lines = bytes.toString().split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => JSON.parse(line) as DeltaAction);
}

/** @param through the version that is wanted; default: the newest @throws Error it cannot be read */
export async function deltaSnapshot(
  objects: DeltaObjects,
  through = newestIn(objects, 'json'),
): Promise<DeltaSnapshot> {
  const checkpoint = newestIn(objects, 'checkpoint.parquet', through);
  const before = checkpoint < 0 ? [] : await checkpointActions(objects, checkpoint);
  const versions = Array.from({ length: through - checkpoint }, (_, at) => checkpoint + 1 + at);
  const after = versions.flatMap((version) => actionsOf(objects, version));
  const files = new Map<string, NonNullable<DeltaAction['add']>>();
  for (const { add, remove } of [...before, ...after]) {
    if (remove) files.delete(remove.path);
    if (add) files.set(add.path, add);
  }
  const all = [...before, ...after];
  if (!all.some(({ protocol }) => protocol)) throw new Error('there is no protocol');
  const commit = after.findLast(({ commitInfo }) => commitInfo)?.commitInfo;
  return {
    version: through,
    commit: commit && Number(commit.operationParameters.commit),
    metaData: all.findLast(({ metaData }) => metaData)?.metaData,
    paths: [...files.keys()].map(decodeURI).sort(),
    rows: [...files.values()].reduce(
      (sum, { stats }) => sum + (JSON.parse(stats) as { numRecords: number }).numRecords,
      0,
    ),
  };
}

/** The rows of a version, as DuckDB reads its files. @throws Error a file is gone */
export async function deltaRows(archive: string, name: string, through?: number): Promise<Row[]> {
  const table = tableNamed(name)!;
  const objects = await deltaObjectsIn(archive, name);
  if (objects.size === 0) return [];
  const { paths } = await deltaSnapshot(objects, through);
  if (paths.length === 0) return [];
  const files = paths.map((path) => sqlText(join(archive, 'tables', name, path)));
  return duckDbTable(table, `read_parquet([${files.join(', ')}], union_by_name = true)`);
}

/** The actions in a checkpoint, as DuckDB reads them. */
export async function checkpointActions(
  objects: DeltaObjects,
  version: number,
): Promise<DeltaAction[]> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-delta-'));
  try {
    const file = join(directory, 'checkpoint.parquet');
    await writeFile(file, objects.get(`${String(version).padStart(20, '0')}.checkpoint.parquet`)!);
    const rows = await duckDbRows(`SELECT to_json(c)::VARCHAR AS line
      FROM read_parquet(${sqlText(file)}, file_row_number = false) c`);
    return rows.map(({ line }) => withoutNulls(JSON.parse(String(line)) as object));
  } finally {
    await rm(directory, { recursive: true });
  }
}

export function newestIn(objects: DeltaObjects, extension: string, through = Infinity): number {
  return [...objects.keys()]
    .filter((name) => name.endsWith(extension))
    .map((name) => Number(name.split('.')[0]))
    .reduce((most, version) => (version <= through ? Math.max(most, version) : most), -1);
}

function withoutNulls(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]: [string, unknown]) => [
        name,
        typeof member === 'object' && !Array.isArray(member) ? withoutNulls(member!) : member,
      ]),
  );
}
