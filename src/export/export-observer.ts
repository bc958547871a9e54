/** Progress events of a run. */
import { type Gap } from './jobs/gap.js';

/** Observes a run: a progress bar, a log. Called often; must be quick and must not throw. */
export interface ExportObserver {
  /** Called again for a user whose work was discarded because another run committed first. */
  userStarted?(user: string): void;
  sessionsListed?(user: string, count: number): void;
  sessionFinished?(user: string, session: string, outcome: FinishedSession): void;
  /** Only of a dry run: an export would check the session. */
  sessionPlanned?(user: string, session: string): void;
  jobArchived?(user: string, session: string): void;
  /** Called when a user is finished, also a failed one. */
  userFinished?(user: string): void;
  /** The storage has confirmed a commit. @param jobs archived so far by this run */
  committed?(commit: number, jobs: number): void;
}

/** The outcome of a session. */
export interface FinishedSession {
  readonly kind: 'new' | 'changed' | 'unchanged' | 'failed';
  readonly gaps: readonly Gap[];
  /** Archived jobs that stay as they are. */
  readonly unchanged: number;
}
