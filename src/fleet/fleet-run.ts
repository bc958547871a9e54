/** How a run stands. */
import type { FailureKind } from '../base/error.js';
import type { RunSummary } from './run-summary.js';

export interface FleetRun {
  readonly run: string;
  /** Null where the queue's record of the run cannot be used. */
  readonly archive: string | null;
  readonly state: 'running' | 'finishing' | 'finished' | 'failed';
  /** Null where the record cannot be used. */
  readonly enqueued_at: string | null;
  readonly users: { readonly done: number; readonly left: number };
  /** Null until it is finished. */
  readonly summary: RunSummary | null;
  /** Why it could not be finished, or cannot be told of. */
  readonly error: string | null;
  /** What kind of failure that is. */
  readonly failure: FailureKind | null;
}
