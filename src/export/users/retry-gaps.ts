/**
 * Selects what `--retry-gaps` tries again: sessions with gaps or not read to their end, and users whose sessions
 * could not all be listed. A listed session that is not archived is exported, too.
 */
import type { UserEntry } from '../../archive/log/commit.js';
import type { SessionState, UserState } from '../../archive/state/user-state.js';

export interface RetryPlan {
  /** Whether the user must be processed at all. */
  readonly isDue: boolean;
  /** Whether a listed session is exported again; undefined: the archive does not have the session. */
  readonly includes: (known: SessionState | undefined) => boolean;
}

/** @param listings the newest of the user, and the newest of all sessions */
export function retryPlanOf(state: UserState, listings: readonly UserEntry[]): RetryPlan {
  const hasSessionGaps = [...state.sessions.values()].some(canBeMended);
  // a gap without a session is one of the listing: any session may be missing from it
  const isInDoubt = ({ error, complete, listed, total_items: total }: UserEntry): boolean =>
    error !== null ||
    (total !== null && listed < total) ||
    (!complete && ![...state.sessions.values()].some(hasGaps));
  // a later run with given sessions proves nothing about the others
  const isListingInDoubt = listings.some(isInDoubt);
  return {
    isDue: hasSessionGaps || isListingInDoubt,
    includes: (known) => !known || hasGaps(known),
  };
}

/** A history that was not read to its end is a gap, too, that the log does not name. */
function hasGaps({ complete, gaps }: SessionState): boolean {
  return !complete || gaps.length > 0;
}

/** Gaps of gone sessions cannot be retried: the service no longer has them. */
function canBeMended(session: SessionState): boolean {
  return hasGaps(session) && !session.deleted && session.goneAt === null;
}
