/** What an expiry is told, and what it tells in the end. */
import type { Holds } from '../../archive/holds.js';
import type { BegunErasure } from '../../archive/log/commit.js';
import { UsageError } from '../../base/usage-error.js';

export interface ExpireChoices {
  /** Sessions go in which nothing has happened for so long. */
  readonly olderThanMs: number;
  /** Only theirs. Default: everybody's. */
  readonly users?: readonly string[] | undefined;
  /** Erase; default false: only plan. */
  readonly execute?: boolean | undefined;
  /** Stands in the receipt, and so must name none of the erased. Default: the day that nothing is newer than. */
  readonly reason?: string | undefined;
  /** What stays beside the holds of the log. Default: nothing. */
  readonly holds?: Holds | undefined;
  /** Whether a hold may match nothing in the archive. Default false. */
  readonly allowUnknownHolds?: boolean | undefined;
  /** How long files that held expired rows may still be read, under `_retired/`. Default: not at all. */
  readonly graceMs?: number | undefined;
  /** End rather than wait where a run is at work on one of the users. Default false. */
  readonly noWait?: boolean | undefined;
  /**
   * Asked with the plan, before anything changes, unless nothing would go. Only what it has been shown
   * goes. Default: nobody is asked.
   */
  readonly confirm?: ((plan: ExpireSummary) => Promise<boolean>) | undefined;
}

/** @throws {UsageError} */
export function assertExpiry({ olderThanMs }: ExpireChoices): void {
  if (Number.isFinite(olderThanMs) && olderThanMs > 0) return;
  throw new UsageError(`olderThanMs is ${olderThanMs}; allowed is a number above 0`);
}

/** `refused`: older, or perhaps so, and it stays all the same. */
export type ExpiryOutcome = 'planned' | 'erased' | 'refused';

/**
 * `hold`: it is on hold. `incomplete`: its history was not read to the end. `unsettled`: a job may still
 * change. `time-unknown`: a job may be newer. `shared-id`: another user has a session of that id, which stays.
 */
export type ExpiryRefusal = 'hold' | 'incomplete' | 'unsettled' | 'time-unknown' | 'shared-id';

export interface ExpiredSession {
  readonly user: string;
  readonly session: string;
  /** In the archive. */
  readonly jobs: number;
  /** Nothing in it is newer, ISO 8601; null where that is not known. */
  readonly newest_at: string | null;
  /** Whether the service still lists it, as far as the archive knows. */
  readonly at_service: boolean;
  readonly outcome: ExpiryOutcome;
  /** Why not; null unless refused. */
  readonly reason: ExpiryRefusal | null;
  /** A sentence for people. */
  readonly detail: string;
}

export interface ExpireSummary {
  /** `refused`: something that is older, or may be, stays. `declined`: somebody was asked, and said no. */
  readonly status: 'planned' | 'declined' | 'complete' | 'refused';
  readonly archive: string;
  /** What is older than this moment goes, ISO 8601. */
  readonly older_than: string;
  /** What a plan would erase. */
  readonly planned: number;
  /** Sessions erased. */
  readonly expired: number;
  readonly refused: number;
  /** Of the refused, those whose time could not be judged. */
  readonly time_unknown: number;
  /** In which something is newer. */
  readonly kept: number;
  /** All but the kept. */
  readonly sessions: readonly ExpiredSession[];
  /** The receipt's name; null where nothing was erased. */
  readonly receipt: string | null;
  readonly commits: readonly number[];
  /** Null where nothing was erased. */
  readonly erased: BegunErasure['erased'] | null;
  /** Earlier commits that were redacted. */
  readonly redacted: number;
  /** What the place keeps all the same, as a clause for people; null where nothing. */
  readonly keeps_deleted: string | null;
  readonly duration_ms: number;
}
