/** Compaction of an archive in a storage, and what other programs read there. */
import {
  contextOf,
  currentContents,
  filesOfTable,
  type Archive,
  type ContextOptions,
} from '../../../src/archive/archive.js';
import { concurrently } from '../../../src/base/concurrently.js';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { partitionOf } from '../../../src/archive/paths.js';
import { systemRandom, systemClock } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import type { RowFormat } from '../../../src/formats/format.js';
import {
  compact,
  type CompactOptions,
  type CompactSummary,
} from '../../../src/rewrite/compaction/compact.js';
import { asRunId } from '../../../src/model/ids.js';
import type { Row } from '../../../src/model/table-schema.js';
import { tableNamed } from '../../../src/model/tables.js';
import { writePart, type PartTarget } from '../../../src/archive/parts/part-files.js';
import { readPart } from '../../../src/archive/parts/read-part.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { duckDbRows, sqlText } from '../tables/duckdb-rows.js';
import { impatient } from './export-rig.js';

/** Defaults: 1 MB, a grace period of a day. */
export function compacted(
  archive: Archive,
  options: Partial<CompactOptions> & ContextOptions = {},
): Promise<CompactSummary> {
  return compact({
    archive: { ...archive, ...contextOf({ random: impatient, ...options }) },
    signal: new AbortController().signal,
    targetBytes: 1e6,
    graceMs: 86_400_000,
    ...options,
  });
}

/** A digest over the sorted rows of a table's Parquet files that the log names: replaced ones lie beside them. */
export async function duckDbDigest(directory: string, table: string): Promise<unknown> {
  const archive = await openArchiveIn(await openStorage(directory));
  const named = (await filesOfTable(archive, table)).filter(({ path }) => /parquet$/.test(path));
  const files = `[${named.map(({ path }) => sqlText(`${directory}/${path}`)).join(', ')}]`;
  const [row] = await duckDbRows(
    `SELECT count(*)::INTEGER AS rows, md5(string_agg(line, chr(10) ORDER BY line)) AS digest
     FROM (SELECT t::VARCHAR AS line FROM read_parquet(${files}, hive_partitioning = false) t)`,
  );
  return row;
}

/**
 * The opposite of a compaction: each part file becomes up to so many small ones of the same rows. Much
 * quicker than a run that commits so often.
 */
export async function crumbled(archive: Archive, format: RowFormat, pieces: number): Promise<void> {
  const { storage, index, log } = archive;
  const run = asRunId(ulid(systemClock, systemRandom));
  const old = [...(await currentContents(archive)).files.values()];
  const files: FileEntry[] = [];
  const writing: Promise<readonly Crumb[]>[] = old.map((file) =>
    crumbsOf(archive, file, { format, pieces }),
  );
  const crumbs = (await Promise.all(writing)).flat();
  await concurrently(crumbs.entries(), 16, async ([n, crumb]) => {
    const table = tableNamed(crumb.file.table);
    if (!table) throw new Error(`${crumb.file.path} is of no table`);
    files.push(await writeCrumb(archive, crumb, { table, format, run, n: n + 1 }));
  });
  const paths = old.map(({ path }) => path);
  await log.append({
    kind: 'compact',
    base: index.through,
    run,
    checkpoint: 1,
    tool: 'jobvault test',
    scope: {},
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    removed: paths,
  });
  for (const path of paths) await storage.delete(path);
}

interface Crumb {
  readonly file: FileEntry;
  readonly rows: readonly Row[];
}

async function crumbsOf(
  archive: Archive,
  file: FileEntry,
  { format, pieces }: { readonly format: RowFormat; readonly pieces: number },
): Promise<readonly Crumb[]> {
  const table = tableNamed(file.table);
  if (!table) throw new Error(`${file.path} is of no table`);
  const rows: Row[] = [];
  const { signal } = new AbortController();
  for await (const batch of readPart(archive, file, { table, format, signal })) rows.push(...batch);
  const size = Math.ceil(rows.length / pieces);
  const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, n) => n * size);
  return starts.map((start) => ({ file, rows: rows.slice(start, start + size) }));
}

async function writeCrumb(
  { storage }: Archive,
  { file, rows }: Crumb,
  given: Pick<PartTarget, 'table' | 'format' | 'run' | 'n'>,
): Promise<FileEntry> {
  const day = partitionOf(file.path)?.day;
  if (day === undefined) throw new Error(`${file.path} is no part file`);
  const { entry, staged } = await writePart(
    { storage, day, ...given },
    (async function* () {
      yield await Promise.resolve(rows);
    })(),
  );
  await staged.publish(entry.path);
  return entry;
}
