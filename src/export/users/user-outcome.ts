/** What came of a user in a run: the entry for the log, and what the summary counts and tells. */
import type { UserEntry } from '../../archive/log/commit.js';
import type { Gap } from '../jobs/gap.js';

export interface UserOutcome {
  readonly entry: UserEntry;
  readonly gaps: readonly Gap[];
  /** The errors of the user and its sessions. */
  readonly errors: readonly unknown[];
  /** Archived jobs of the sessions in which nothing was new. */
  readonly unchangedJobs: number;
  /** Those of the new sessions that were erased before, as their ids show. */
  readonly erasedBefore?: readonly string[];
  /** So many others of the new sessions, at most, were erased since the last listing; `sessions`: those others. */
  readonly maybeErasedBefore?: { readonly atMost: number; readonly sessions: readonly string[] };
  /** Archived sessions that the service no longer has, of which no earlier run could tell. */
  readonly gone?: number;
  /** The service lists no session, and the archive has none; a wrong id looks the same. */
  readonly isNeverSeen: boolean;
  /** Whether the user was never seen, and the log has no earlier listing of the user: nobody was told. */
  readonly isNewlyNeverSeen?: boolean;
  /** The service lists no session any more, and the archive has some; before this run or not. */
  readonly vanished?: 'newly' | 'before' | undefined;
  /** Sessions that the budget has left unchecked. */
  readonly postponed?: readonly string[];
  /** Sessions that were skipped: they were erased and are not to come back. */
  readonly skipped?: readonly string[];
}
