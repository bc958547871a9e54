/** The differences between the SQL of warehouses. */
import type { TableSchema } from '../../src/model/table-schema.js';

export interface Dialect {
  readonly name: 'duckdb' | 'databricks' | 'athena' | 'bigquery' | 'snowflake';
  readonly title: string;
  /** A name in a query, with quotes where it is a keyword. */
  readonly quoted: (name: string) => string;
  /** A script that creates the tables. @param place the location of the archive, without a slash at the end */
  tables(tables: readonly TableSchema[], place: string): string;
  /** A script that loads the whole archive again; undefined where tables read the archive itself. */
  readonly load?: (tables: readonly TableSchema[], place: string) => string;
  /** A script that brings tables beside those of the archive up to date; undefined where there is none. */
  readonly merge?: (tables: readonly TableSchema[]) => string;
  /** A script that loads what `jobvault changes` tells; undefined where tables read the archive itself. */
  readonly loadChanges?: (tables: readonly TableSchema[]) => string;
}

/** Where the scripts put tables and views. */
export const SCHEMA = 'jobvault';

/** The column that the name of a file's folder is: see "Tables" in src/archive/FORMAT.md. */
export const PARTITION = {
  name: 'dt',
  meaning: 'UTC day of the export; where compact has merged its month, the first of that',
} as const;

export function sqlComment(lines: readonly string[]): string {
  return `${lines.map((line) => `-- ${line}`.trimEnd()).join('\n')}\n`;
}

/** Items with commas, one per line, indented. */
export function indented(items: readonly string[]): string {
  return items.map((item) => `  ${item}`).join(',\n');
}
