/** Writes one part file from rows and makes its entry. `archive/read-part.ts` reads part files. */
import type { FileEntry } from '../../archive/log/commit.js';
import { partPath } from '../../archive/paths.js';
import type { RowFormat } from '../../formats/format.js';
import type { RunId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { StagedObject, Storage } from '../../storage/storage.js';

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
