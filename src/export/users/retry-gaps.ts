/**
 * What `--retry-gaps` tries again: sessions with gaps, and users whose sessions could not all be listed. A
 * session that a listing shows on the way and that is not archived is exported, too.
 */
import type { UserEntry } from '../../archive/log/commit.js';
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
  const { last, lastOfAll } = index.user(state.user) ?? {};
  // a gap that is no session's is one of the listing: what it has not shown may be anything
  const isInDoubt = ({ error, complete, listed, total_items: total }: UserEntry): boolean =>
    error !== null ||
    (total !== null && listed < total) ||
    (!complete && ![...state.sessions.values()].some(hasGaps));
  // a run of named sessions since then says nothing of the others
  const isListingInDoubt = [last, lastOfAll].some((listing) => listing && isInDoubt(listing.entry));
  return {
    isDue: hasSessionGaps || isListingInDoubt,
    includes: (known) => !known || hasGaps(known),
  };
}

function hasGaps({ gaps }: SessionState): boolean {
  return gaps.length > 0;
}

/** What the service has no longer cannot be had from it. */
function canBeMended(session: SessionState): boolean {
  return hasGaps(session) && !session.deleted && session.goneAt === null;
}
