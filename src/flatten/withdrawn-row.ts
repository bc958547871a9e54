/** The row of a version that withdraws a job from a session: it has no content. */
import { createdAtOf } from '../model/times/created-at.js';
import type { JobId, SessionId, UserId } from '../model/ids.js';
import type { RowOf } from '../model/table-schema.js';
import { jobsTable } from '../model/tables.js';
import { type TableRows } from './flatten-job.js';
import { archivableRows } from './archivable-rows.js';
import type { JobContext } from './job-rows.js';

interface WithdrawnJob {
  readonly user: UserId;
  readonly session: SessionId;
  readonly job: JobId;
  readonly version: number;
  readonly index: number;
}

type Run = Pick<JobContext, 'runId' | 'exportedAt'>;

/** Times are those of the id, as in every version: they tell nothing of the content. */
export function withdrawnRows(jobs: readonly WithdrawnJob[], run: Run): TableRows {
  const rows = jobs.map((job) => rowOf(job, run));
  return { table: jobsTable, rows: archivableRows(jobsTable, rows).rows };
}

function rowOf(job: WithdrawnJob, run: Run): RowOf<typeof jobsTable> {
  const createdAt = createdAtOf(job.job);
  const micros = createdAt?.micros ?? null;
  return {
    user_id: job.user,
    session_id: job.session,
    job_id: job.job,
    job_version: job.version,
    job_index: job.index,
    question_text: null,
    answer_text: null,
    is_settled: null,
    is_withdrawn: true,
    question_block_count: null,
    answer_block_count: null,
    analyze_block_count: null,
    respond_block_count: null,
    artifact_count: null,
    source_count: null,
    content_hash: null,
    created_at: micros,
    created_at_source: createdAt?.source ?? null,
    created_after: micros,
    created_before: micros,
    run_id: run.runId,
    exported_at: run.exportedAt,
  };
}
