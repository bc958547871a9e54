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
