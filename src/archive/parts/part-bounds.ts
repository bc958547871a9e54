/** The bounds of `created_at` in a part file: readers of its Delta table pass over files that have nothing of a period. */
import type { Row, TableSchema } from '../../model/table-schema.js';
import { jobsTable, sessionsTable } from '../../model/tables.js';
import type { FileEntry } from '../log/commit.js';
import { partitionOf } from '../paths.js';

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

export function hasBounds({ name }: TableSchema): boolean {
  return name === sessionsTable.name || name === jobsTable.name;
}
