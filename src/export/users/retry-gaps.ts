/** What `--retry-gaps` tries again: sessions with gaps, and users whose sessions could not all be listed. */
import type { LogIndex } from '../../archive/log/log-index.js';
import type { SessionState, UserState } from '../../archive/state/user-state.js';

export interface RetryPlan {
  /** Whether the user has to be asked about at all. */
  readonly isDue: boolean;
  /** Whether a listed session is to be exported again; undefined is one that the archive does not know. */
  readonly includes: (known: SessionState | undefined) => boolean;
}

/** @param index as of the newest commit */
export function retryPlanOf(state: UserState, index: LogIndex): RetryPlan {
  const hasSessionGaps = [...state.sessions.values()].some(canBeMended);
  const last = index.user(state.user)?.last?.entry;
  // a gap that is no session's is one of the listing: what it has not shown may be anything
  const isListingInDoubt =
    last !== undefined &&
    (last.error !== null ||
      (last.total_items !== null && last.listed < last.total_items) ||
      (!last.complete && ![...state.sessions.values()].some(hasGaps)));
  return {
    isDue: hasSessionGaps || isListingInDoubt,
    includes: (known) => (known ? hasGaps(known) : isListingInDoubt),
  };
}

function hasGaps({ gaps }: SessionState): boolean {
  return gaps.length > 0;
}

/** What the service has no longer cannot be had from it. */
function canBeMended(session: SessionState): boolean {
  return hasGaps(session) && !session.deleted && session.goneAt === null;
}
