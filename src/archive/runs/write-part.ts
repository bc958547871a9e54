/** Writes one part file from rows and makes its entry. `reading/read-part.ts` reads part files. */
import type { RowFormat } from '../../formats/format.js';
import type { RunId } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { jobsTable, sessionsTable } from '../../model/tables.js';
import type { StagedObject, Storage } from '../../storage/storage.js';
import type { FileEntry } from '../log/commit.js';
import { partitionOf, partPath } from '../paths.js';

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

/** The bounds of `created_at` in a part file: readers of its Delta table pass over files that have nothing of a period. */

/** In microseconds since 1970 UTC; null if no row has a time. */
type CreatedBounds = NonNullable<FileEntry['created']> | null;

/** Looks at rows on their way into a file. */
export class BoundsSoFar {
  #min: bigint | undefined;
  #max: bigint | undefined;

  *over(rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      this.#add(row['created_at']);
      yield row;
    }
  }

  #add(time: Row[string] | undefined): void {
    if (typeof time !== 'bigint') return;
    if (this.#min === undefined || time < this.#min) this.#min = time;
    if (this.#max === undefined || time > this.#max) this.#max = time;
  }

  /** What the entry of the file says of them; nothing of a file without bounds. */
  for(table: TableSchema, path: string): { readonly created?: CreatedBounds } {
    return hasBounds(table) && partitionOf(path)?.extension === 'parquet'
      ? { created: this.#bounds() }
      : {};
  }

  /** An id may claim any time: one that a number does not hold exactly bounds nothing. */
  #bounds(): CreatedBounds {
    const bounds = [Number(this.#min), Number(this.#max)] as const;
    return bounds.every(Number.isSafeInteger) ? bounds : null;
  }
}

export function hasBounds({ name }: Pick<TableSchema, 'name'>): boolean {
  return name === sessionsTable.name || name === jobsTable.name;
}
