/** Part files read and written whole: what goes in is what the log names, what comes out has its own entry. */
import type { Archive } from '../archive/archive.js';
import { checkObject } from '../archive/checked-read.js';
import type { FileEntry } from '../archive/commit.js';
import { IntegrityError } from '../archive/integrity-error.js';
import { partPath } from '../archive/paths.js';
import type { RowFormat } from '../formats/format.js';
import type { RunId } from '../model/ids.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import type { StagedObject, Storage } from '../storage/storage.js';

/** A file that is written and not published yet. */
export interface WrittenPart {
  readonly entry: FileEntry;
  readonly staged: StagedObject;
}

export interface PartTarget {
  readonly storage: Storage;
  readonly table: TableSchema;
  readonly format: RowFormat;
  readonly run: RunId;
  /** UTC day of the partition. */
  readonly day: string;
  readonly n: number;
  readonly expectedBytes?: number;
}

/**
 * Yields the rows in the order written. The bytes are held against their digest before: otherwise what
 * somebody has altered would come out with a digest of its own, and nobody could tell any more.
 *
 * @throws {IntegrityError} the file is missing, or is not what the log names
 * @throws {FormatError} it does not read as its table
 */
export async function* readPart(
  { storage }: Pick<Archive, 'storage'>,
  file: FileEntry,
  {
    table,
    format,
    signal,
  }: Pick<PartTarget, 'table' | 'format'> & { readonly signal: AbortSignal },
): AsyncGenerator<readonly Row[]> {
  await checkObject(storage, file, signal);
  let rows = 0;
  const source = {
    bytes: file.bytes,
    read: (range?: { readonly start: number; readonly end: number }) =>
      storage.read(file.path, range),
  };
  for await (const batch of format.readRows(table, source)) {
    signal.throwIfAborted();
    rows += batch.length;
    yield batch;
  }
  if (rows === file.rows) return;
  throw new IntegrityError(file.path, 'rows', `has ${rows} rows instead of ${file.rows}`);
}

/** Writes a part file; nobody sees it until it is published. */
export async function writePart(
  target: PartTarget,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenPart> {
  const { storage, table, format, run, day, n, expectedBytes } = target;
  const staged = await storage.stage(expectedBytes === undefined ? {} : { expectedBytes });
  try {
    const writer = format.openWriter(table, staged);
    for await (const batch of batches) await writer.write(batch);
    const { rows } = await writer.finish();
    const { bytes, sha256 } = await staged.close();
    const path = partPath(table.name, day, run, n, format.extension);
    const entry = { path, table: table.name, rows, bytes, sha256, schema: table.fingerprint };
    return { entry, staged };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
