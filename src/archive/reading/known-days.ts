/** Of which times a pseudonymised copy knows the day alone. It is told as such: at midnight nobody asked anything. */
import type { ColumnClass, Row } from '../../model/table-schema.js';
import { TABLES } from '../../model/tables.js';
import { beginOfDay } from '../../model/times/timestamp.js';
import type { ArchiveIdentity } from '../identity.js';

type Copy = ArchiveIdentity['pseudonymised'];

/** Of each export a copy knows the day alone, also where it has kept the times of questions. */
export function knowsDayOfExport(copy: Copy): boolean {
  return copy !== undefined;
}

/** Whether it knows of each question the day alone. */
export function knowsDaysAlone(copy: Copy): boolean {
  return copy?.times === 'days';
}

/** When a listing was made, or its answers were seen, as the log has it: in a copy its day. @param at ISO 8601 */
export function knownAt<T extends string | null>(at: T, copy: Copy): T {
  return (at !== null && knowsDayOfExport(copy) ? at.slice(0, 10) : at) as T;
}

/** The columns of which the day alone is known. */
export function dayColumns(copy: Copy): ReadonlySet<string> {
  if (!knowsDayOfExport(copy)) return NONE;
  return knowsDaysAlone(copy) ? OF_ALL : OF_EXPORTS;
}

/** A row of which each such time is the beginning of its day: as it is stored, an upper bound is the end. */
export function withDays(row: Row, days: ReadonlySet<string>): Row {
  if (days.size === 0) return row;
  const shown = { ...row };
  for (const name of days) {
    const time = row[name];
    if (typeof time === 'bigint') shown[name] = beginOfDay(time);
  }
  return shown;
}

const NONE: ReadonlySet<string> = new Set();
const OF_EXPORTS = timesOf('day');
const OF_ALL = new Set([...OF_EXPORTS, ...timesOf('keep')]);

function timesOf(copied: ColumnClass): ReadonlySet<string> {
  const columns = TABLES.flatMap((table) => table.columns);
  const times = columns.filter((column) => column.type === 'ts' && column.copied === copied);
  return new Set(times.map(({ name }) => name));
}
