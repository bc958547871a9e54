/** Puts a session's rows together: its newest name, and of every job all versions, in the order in which they were asked. */
import { groupBy } from '../../base/group-by.js';
import { oldestFirst } from '../../model/oldest-first.js';
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/text-in.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../../model/tables.js';
import type { RowsByTable } from './gathered-rows.js';

/** The step of the analysis that a block of an answer belongs to; undefined of a block that is the answer itself. */
export function stepOf(block: Row): { readonly name: string; readonly id: string } | undefined {
  if (textIn(block, 'stage')?.toLowerCase() !== 'analyze') return undefined;
  const name = textIn(block, 'group_name')?.trim() ?? '';
  return { name, id: `${textIn(block, 'group_id') ?? ''}\n${name}` };
}

/** One version of a job: its rows of the tables `jobs`, `blocks` and `artifacts`. */
export interface JobRows {
  readonly job: Row;
  /** Of the question and the answer, in any order. */
  readonly blocks: readonly Row[];
  readonly artifacts: readonly Row[];
}

export interface JobVersions {
  readonly newest: JobRows;
  /** Newest first. */
  readonly earlier: readonly JobRows[];
}

/** Undefined where the session has no row: its history was never read to the end. */
export function newestSession(rows: RowsByTable): Row | undefined {
  return byVersion(rows.get(sessionsTable.name), 'session_version').at(-1);
}

export function jobsInOrder(rows: RowsByTable): JobVersions[] {
  const versionOf = (row: Row): string => `${String(row['job_version'])} ${String(row['job_id'])}`;
  const blocksOf = groupBy(rows.get(blocksTable.name) ?? [], versionOf);
  const artifactsOf = groupBy(rows.get(artifactsTable.name) ?? [], versionOf);
  const rowsOf = (job: Row): JobRows => ({
    job,
    blocks: blocksOf.get(versionOf(job)) ?? [],
    artifacts: artifactsOf.get(versionOf(job)) ?? [],
  });
  const versions = new Map(
    [...groupBy(rows.get(jobsTable.name) ?? [], (row) => row['job_id'])].map(([id, of]) => [
      id,
      byVersion(of, 'job_version').reverse(),
    ]),
  );
  const newest = [...versions.values()].flatMap(([row]) => (row ? [row] : []));
  return oldestFirst(newest).map((row) => ({
    newest: rowsOf(row),
    earlier: (versions.get(row['job_id']) ?? []).slice(1).map(rowsOf),
  }));
}

/** Of equal versions the one written last comes last. */
function byVersion(rows: readonly Row[] = [], column: string): Row[] {
  return rows.toSorted((a, b) => Number(a[column] ?? 0) - Number(b[column] ?? 0));
}
