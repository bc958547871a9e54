/** Puts the rows of a session together: its versions, and its jobs with what belongs to each. */
import { groupBy } from '../../../base/group-by.js';
import type { AnswerBlock } from '../../../model/blocks/answered.js';
import { textIn } from '../../../model/mask-secrets.js';
import {
  besideNeighbours,
  type KnownOfHistory,
  oldestFirst,
} from '../../../model/times/oldest-first.js';
import { ANALYZE } from '../../../model/blocks/stages.js';
import type { Row, RowOf } from '../../../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  proposedQuestionsTable,
  rawJobsTable,
  sessionsTable,
  sourcesTable,
} from '../../../model/tables.js';
import type { RowsByTable } from './selected-rows.js';

/** Tables of what belongs to a job. */
const JOB_TABLES = {
  blocks: blocksTable,
  artifacts: artifactsTable,
  sources: sourcesTable,
  proposed_questions: proposedQuestionsTable,
  raw_jobs: rawJobsTable,
} as const;

export type JobTable = keyof typeof JOB_TABLES;

export const OF_JOBS = Object.keys(JOB_TABLES) as readonly JobTable[];

type RowsOfJob = { readonly [Table in JobTable]: readonly RowOf<(typeof JOB_TABLES)[Table]>[] };

/** A version of a job: its row of the table `jobs`, and those of what belongs to it; none of tables that nobody asked for. */
export interface JobRows extends RowsOfJob {
  readonly job: RowOf<typeof jobsTable>;
  /** Earlier versions, newest first; only where all are asked for. */
  readonly earlier?: readonly JobRows[] | undefined;
}

/** @param job its row of the table `jobs` @param rows of what belongs to it; none of the other tables */
export function jobWith(
  job: Row,
  rows: Readonly<Partial<Record<JobTable, readonly Row[]>>> = {},
): JobRows {
  const none = Object.fromEntries(OF_JOBS.map((table) => [table, []]));
  // readers give rows of these tables: their columns are typed for those who read them
  return { ...none, ...rows, job } as unknown as JobRows;
}

/** Newest first; empty where the session has no row: its history was never read to the end. */
export function sessionVersions(rows: RowsByTable): Row[] {
  return newestFirst(rows.get(sessionsTable.name), 'session_version');
}

/**
 * Puts the rows of a session together: of every job all versions, in the order in which they were asked. Bounds of the
 * newest version are those that its neighbours of now tell.
 */
export function jobsInOrder(
  rows: RowsByTable,
  known: KnownOfHistory,
): (JobRows & Required<Pick<JobRows, 'earlier'>>)[] {
  const versionOf = (row: Row): string => `${String(row['job_version'])} ${String(row['job_id'])}`;
  const parts = OF_JOBS.flatMap((table) => {
    const tableRows = rows.get(table);
    return tableRows ? [[table, groupBy(tableRows, versionOf)] as const] : [];
  });
  const rowsOf = (job: Row): JobRows => {
    const version = versionOf(job);
    const entries = parts.map(([table, byVersion]) => [table, byVersion.get(version) ?? []]);
    return jobWith(job, Object.fromEntries(entries) as Partial<Record<JobTable, readonly Row[]>>);
  };
  const versions = new Map(
    [...groupBy(rows.get(jobsTable.name) ?? [], (row) => row['job_id'])].map(
      ([id, jobVersions]) => [id, newestFirst(jobVersions, 'job_version')],
    ),
  );
  const newest = [...versions.values()].flatMap(([row]) => (row && !isWithdrawn(row) ? [row] : []));
  return besideNeighbours(oldestFirst(newest), known).map((row) => {
    const earlier = (versions.get(row['job_id']) ?? []).slice(1);
    return {
      ...rowsOf(row),
      earlier: earlier.filter((version) => !isWithdrawn(version)).map(rowsOf),
    };
  });
}

/** Whether the version takes the job out of the session. */
export function isWithdrawn(job: Row): boolean {
  return job['is_withdrawn'] === true;
}

/** Sorts rows by version, the newest first; of equal versions the one written last comes first. */
function newestFirst(rows: readonly Row[] = [], column: string): Row[] {
  return rows.toSorted((a, b) => Number(a[column] ?? 0) - Number(b[column] ?? 0)).reverse();
}

/** Key of a block of a job, and of the files that it points to. */
export function blockKey(row: Row): string {
  return `${textIn(row, 'role') ?? ''}/${placeIn(row, 'block_index')}`;
}

/** Rows of a job in the order of their blocks. @param within the column of their places in a block */
export function inBlockOrder<R extends Row>(rows: readonly R[], within = 'block_index'): R[] {
  return rows.toSorted(
    (a, b) =>
      placeIn(a, 'block_index') - placeIn(b, 'block_index') ||
      placeIn(a, within) - placeIn(b, within),
  );
}

function placeIn(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

/** The step of the analysis that a block of an answer belongs to; undefined of a block that is the answer itself. */
export function stepOf(block: Row): { readonly name: string; readonly id: string } | undefined {
  if (block['stage'] !== ANALYZE) return undefined;
  const name = textIn(block, 'group_name')?.trim() ?? '';
  return { name, id: `${textIn(block, 'group_id') ?? ''}\n${name}` };
}

/** What a row of `blocks` has of an answer. */
export function answerBlockOf(row: Row): AnswerBlock {
  const [role, stage, type] = ['role', 'stage', 'type'].map((name) => textIn(row, name));
  const characters = row['char_count'];
  return {
    role: role ?? null,
    stage: stage ?? null,
    type: type ?? null,
    characters: characters == null ? null : Number(characters),
  };
}
