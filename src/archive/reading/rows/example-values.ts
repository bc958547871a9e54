/** Finds an example of each column of a table in an archive, as people may see it. */
import { type ArchiveReading } from '../../archive.js';
import { EVERYBODY } from '../scope.js';
import { Selection } from '../selection.js';
import { TABLE_NAMES, tableNamed } from '../../../model/tables.js';
import { UsageError } from '../../../base/error.js';
import { knownTime } from '../../../model/times/timestamp.js';
import { readConsistently } from '../../consistent-read.js';
import { retryOnRewrite } from '../../retry-on-rewrite.js';
import { dayColumns } from '../known-days.js';
import { SelectedRows } from './selected-rows.js';

/** Rows that are looked at: a column that is empty in all of them has no example. */
const ROWS = 500;

/**
 * Reads the first rows only. URLs have no live signatures.
 *
 * @returns by column; times in ISO 8601, days where they alone are known
 * @throws {UsageError} there is no such table
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function exampleValues(
  reading: ArchiveReading,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const { archive, signal } = reading;
  const table = tableNamed(name);
  if (!table) {
    throw new UsageError(`there is no table "${name}"; allowed is ${TABLE_NAMES.join(', ')}`);
  }
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      const selection = await Selection.of(archive, EVERYBODY, { signal });
      const found = new Map<string, string>();
      const days = dayColumns(archive.identity.pseudonymised);
      let rowsLeft = ROWS;
      for await (const row of (await SelectedRows.of(reading, selection)).rows(table)) {
        for (const column of table.columns) {
          const value = row[column.name] ?? null;
          if (value === null || value === '' || found.has(column.name)) continue;
          const isTime = column.type === 'ts' && typeof value === 'bigint';
          found.set(column.name, isTime ? knownTime(value, days.has(column.name)) : String(value));
        }
        rowsLeft--;
        if (rowsLeft === 0 || found.size === table.columns.length) break;
      }
      return found;
    }),
  );
}
