import type { JobId, RunId, SessionId, UserId } from '../model/ids.js';

/** What the rows of a job share beyond its record. */
export interface JobContext {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly jobId: JobId;
  /** From 1; grows whenever the job is written again. */
  readonly jobVersion: number;
  readonly runId: RunId;
  /** Microseconds since 1970 UTC. */
  readonly exportedAt: bigint;
}

/** The columns that begin every row of a job. */
export function jobKey(context: JobContext) {
  return {
    user_id: context.userId,
    session_id: context.sessionId,
    job_id: context.jobId,
    job_version: context.jobVersion,
  };
}

/** The columns that end every row of every table. */
export function provenance(context: Pick<JobContext, 'runId' | 'exportedAt'>) {
  return { run_id: context.runId, exported_at: context.exportedAt };
}
