/** The options and the summary of an expiry. */
import type { Counted } from '../../archive/reading/users/listed-again.js';
import type { EraseChoices } from '../erasure/erase-options.js';
import type { BegunErasure } from '../../archive/log/commit.js';
import type { Archive } from '../../archive/archive.js';
import { UsageError } from '../../base/error.js';
import { daysText, floorText } from '../../archive/notes/retention-text.js';

export interface ExpireChoices extends Pick<
  EraseChoices,
  'by' | 'holds' | 'allowUnknownHolds' | 'dryRun' | 'noWait'
> {
  /** Sessions in which everything is older than this are erased. */
  readonly olderThanMs: number;
  /**
   * Count the age from this machine's clock alone. Default false: from the newest commit of a run whose clock the
   * service confirmed, or from this clock, if that is earlier; without such a commit everything is refused.
   */
  readonly trustThisClock?: boolean | undefined;
  /** Only sessions of these users. Default: of all. */
  readonly users?: readonly string[] | undefined;
  /** For the receipt; must not contain an id of the erased. Default: the day that nothing is newer than. */
  readonly reason?: string | undefined;
  /**
   * Called with the plan before anything is changed, unless it is empty. Only sessions in this plan are erased.
   * Default: no confirmation.
   */
  readonly confirm?: ((plan: ExpireSummary) => Promise<boolean>) | undefined;
}

/** @throws {UsageError} the archive keeps everything for longer */
export function assertAboveFloor(
  { storage, index: { retention } }: Archive,
  olderThanMs: number,
): void {
  if (retention === undefined || olderThanMs >= retention.min_ms) return;
  throw new UsageError(
    `${storage.location} keeps everything for at least ${floorText(retention)}, and --older-than is ${daysText(olderThanMs)}; nothing was erased`,
  );
}

/** @throws {UsageError} */
export function assertExpiry({ olderThanMs }: ExpireChoices): void {
  if (Number.isFinite(olderThanMs) && olderThanMs > 0) return;
  throw new UsageError(`olderThanMs is ${olderThanMs}; allowed is a number above 0`);
}

/**
 * `refused`: it is or may be older, and stays for a reason. `held`: likewise, and a hold keeps it, as is meant; of a user
 * on hold whom somebody named it is refused.
 */
export type ExpiryOutcome = 'planned' | 'erased' | 'refused' | 'held';

/**
 * `hold`: it is held. `incomplete`: its history was not read to the end. `unsettled`: a job may still
 * change. `time-unknown`: a job may be newer. `clock`: no `Date` of the service confirms the clock that it is older by. `shared-id`: another user has a session of that id, which stays.
 */
export type ExpiryRefusal =
  'hold' | 'incomplete' | 'unsettled' | 'time-unknown' | 'clock' | 'shared-id';

/** A session to erase, or a refused one. */
export interface AssessedForExpiry {
  readonly user: string;
  readonly session: string;
  /** In the archive. */
  readonly jobs: number;
  /** Time of its newest activity, ISO 8601; null if unknown. */
  readonly newest_at: string | null;
  /** Whether the service still lists it, as far as the archive knows. */
  readonly at_service: boolean;
  readonly outcome: ExpiryOutcome;
  /** Why it stays; null unless refused or held. */
  readonly reason: ExpiryRefusal | null;
  /** A sentence for people. */
  readonly detail: string;
}

export type ExpiredSession = Counted<AssessedForExpiry>;

export interface ExpireSummary {
  /** `refused`: at least one session was refused. `declined`: `confirm` returned false. */
  readonly status: 'planned' | 'declined' | 'complete' | 'refused';
  readonly archive: string;
  /** Sessions older than this moment are erased, ISO 8601. */
  readonly older_than: string;
  /** From when the age is counted, ISO 8601: see `trustThisClock`. */
  readonly counted_from: string;
  /** Sessions that the plan would erase. */
  readonly planned: number;
  /** Sessions erased. */
  readonly expired: number;
  readonly refused: number;
  /** Kept by a hold. */
  readonly held: number;
  /** Refused sessions of unknown age. */
  readonly time_unknown: number;
  /** Newer sessions. */
  readonly kept: number;
  /** All sessions but the kept ones. */
  readonly sessions: readonly ExpiredSession[];
  /** As they were given, and stand in the receipt; null where they were not. */
  readonly reason: string | null;
  readonly by: string | null;
  /** Id of the receipt; null if nothing was erased. */
  readonly receipt: string | null;
  readonly commits: readonly number[];
  /** Null if nothing was erased. */
  readonly erased: BegunErasure['erased'] | null;
  /** Earlier commits that were redacted. */
  readonly redacted: number;
  /** What the storage keeps of deleted objects, as a clause; null if nothing. */
  readonly keeps_deleted: string | null;
  readonly duration_ms: number;
}
