/** What sets one warehouse's SQL apart from another's. */
import type { ColumnType, TableSchema } from '../../model/table-schema.js';

export interface Dialect {
  readonly name: 'duckdb' | 'athena' | 'bigquery' | 'snowflake';
  readonly title: string;
  readonly types: Readonly<Record<ColumnType, string>>;
  /** A name in a query; those that are words of the language need quotes. */
  quoted(name: string): string;
  /** A script that makes the tables. @param place where the archive lies, without a slash at the end */
  tables(tables: readonly TableSchema[], place: string): string;
  /** A script that takes in all that the archive holds, again; undefined where tables read the archive itself. */
  load?(tables: readonly TableSchema[], place: string): string;
}

/** Where the scripts put tables and views. */
export const SCHEMA = 'jobvault';

/** The UTC day of the export, which names the folder that a row's file lies in. */
export const PARTITION = { name: 'dt', meaning: 'UTC day of the export' } as const;

export function sqlComment(lines: readonly string[]): string {
  return `${lines.map((line) => `-- ${line}`.trimEnd()).join('\n')}\n`;
}

/** Words and texts between lines of two spaces. */
export function indented(items: readonly string[]): string {
  return items.map((item) => `  ${item}`).join(',\n');
}
