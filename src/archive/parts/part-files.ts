/** Writes a part file from rows and makes its entry. */
import type { RowFormat } from '../../formats/format.js';
import type { RunId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { StagedObject, Storage } from '../../storage/storage.js';
import type { FileEntry } from '../log/commit.js';
import { BoundsSoFar } from './part-bounds.js';
import { partPath } from '../paths.js';

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

/** Writes a part file without publishing it. */
export async function writePart(
  target: PartTarget,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenPart> {
  const { storage, table, format, run, day, n, expectedBytes } = target;
  const staged = await storage.stage(expectedBytes === undefined ? {} : { expectedBytes });
  try {
    const writer = format.openWriter(table, staged);
    const bounds = new BoundsSoFar();
    for await (const batch of batches) await writer.write(bounds.over(batch));
    const { rows } = await writer.finish();
    const { bytes, sha256 } = await staged.close();
    const path = partPath(table.name, day, run, n, format.extension);
    const schema = table.fingerprint;
    const created = bounds.for(table, path);
    const entry = { path, table: table.name, rows, bytes, sha256, schema, ...created };
    return { entry, staged };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
