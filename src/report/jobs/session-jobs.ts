/** Puts a session's rows together: its newest name, and of every job all versions, in the order in which they were asked. */
import type { JobRows } from '../../archive/parts/conversation.js';
import { groupBy } from '../../base/group-by.js';
import { oldestFirst } from '../../model/oldest-first.js';
import type { Row } from '../../model/table-schema.js';
import { numberIn } from '../cells.js';
import type { SessionRows } from '../spool/gather-rows.js';

export interface JobVersions {
  readonly newest: JobRows;
  /** Newest first. */
  readonly earlier: readonly JobRows[];
}

/** Undefined where the session has no row: its history was never read to the end. */
export function newestSession({ sessions }: SessionRows): Row | undefined {
  return byVersion(sessions, 'session_version').at(-1);
}

export function jobsInOrder({ jobs, blocks, artifacts }: SessionRows): JobVersions[] {
  const versionOf = (row: Row): string => `${String(row['job_version'])} ${String(row['job_id'])}`;
  const blocksOf = groupBy(blocks, versionOf);
  const artifactsOf = groupBy(artifacts, versionOf);
  const rowsOf = (job: Row): JobRows => ({
    job,
    blocks: blocksOf.get(versionOf(job)) ?? [],
    artifacts: artifactsOf.get(versionOf(job)) ?? [],
  });
  const versions = new Map(
    [...groupBy(jobs, (row) => row['job_id'])].map(([id, rows]) => [
      id,
      byVersion(rows, 'job_version').reverse(),
    ]),
  );
  const newest = [...versions.values()].flatMap(([row]) => (row ? [row] : []));
  return oldestFirst(newest).map((row) => ({
    newest: rowsOf(row),
    earlier: (versions.get(row['job_id']) ?? []).slice(1).map(rowsOf),
  }));
}

function byVersion(rows: readonly Row[], column: string): Row[] {
  return rows.toSorted((a, b) => (numberIn(a, column) ?? 0) - (numberIn(b, column) ?? 0));
}
