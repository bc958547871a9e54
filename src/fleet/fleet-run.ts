/** The state of a queued run. */
import type { FailureKind } from '../base/error.js';
import type { RunSummary } from './run-summary.js';

export interface FleetRun {
  readonly run: string;
  /** Null if the queue's record of the run is invalid. */
  readonly archive: string | null;
  readonly state: 'running' | 'finishing' | 'finished' | 'failed';
  /** Null if the record is invalid. */
  readonly enqueued_at: string | null;
  readonly users: { readonly done: number; readonly left: number };
  /** Null until it is finished. */
  readonly summary: RunSummary | null;
  /** Why it could not be finished, or its record or summary is invalid. */
  readonly error: string | null;
  readonly failure: FailureKind | null;
}
