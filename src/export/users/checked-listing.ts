/**
 * Looks whether a listing is whole. One that lacks archived sessions is a single witness: each of those is asked for by its
 * id before it counts as gone.
 */
import { asSessionId, type SessionId, type UserId } from '../../model/ids.js';
import { NotFoundError, staleText } from '../../service/service-errors.js';
import { type ListingRun, isNarrowed } from '../export-run.js';
import { messageOf } from '../../base/error.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { type UserState, type SessionState } from '../../archive/state/user-state.js';
import { isLive } from '../../archive/state/archived-session.js';
import type { UserEntry } from '../../archive/log/commit.js';
import { keyOfAnySpelling } from '../../model/user-spelling.js';
import { type SessionListing } from './session-listing.js';

/** A listing lacks sessions that it should have, and it is not known that they are gone. */
export class UnseenArchive extends Error {}

/**
 * The listing, with the archived sessions that are gone, but for those whose deletion was left open; with a gap where one that it lacks can be read, or where it has
 * none and nothing shows that the API key is that of the archive's project.
 *
 * @throws {BudgetSpentError} no session could be asked for
 */
export async function checkedListing(
  run: ListingRun,
  state: UserState,
  listing: SessionListing,
): Promise<SessionListing> {
  const { settings, isOfProject } = run;
  const expected = sessionsExpected(state);
  if (isNarrowed(settings) || listing.gap || expected.length === 0) return listing;
  const unlisted = notListed(expected, listing);
  if (unlisted.length === expected.length && !isOfProject) {
    const gap = new UnseenArchive(
      `the service does not list ${sessionsText(unlisted, expected)} of this user, and no list could be had that shows whether the API key is that of another project`,
    );
    return { ...listing, gap };
  }
  const { gone, there } = await askedFor(run, state.user, unlisted);
  if (there === undefined) return { ...listing, gone: await notLeftOpen(run, state.user, gone) };
  const gap = new UnseenArchive(
    `the service does not list ${sessionsText(unlisted, expected)} of this user, and yet ${there}`,
  );
  return { ...listing, gap };
}

/** What a deletion left open is not gone: the next run that deletes finds out whether it took place. */
async function notLeftOpen(
  { openDeletions }: ListingRun,
  user: UserId,
  gone: readonly SessionId[],
): Promise<readonly SessionId[]> {
  if (gone.length === 0) return gone;
  const open = await openDeletions.now();
  return gone.filter((session) => !open.has(keyOfAnySpelling(user, session)));
}

function sessionsText(unlisted: readonly unknown[], expected: readonly unknown[]): string {
  const [some, all] = [unlisted.length, expected.length];
  if (some < all) return `${some} of the ${all} archived sessions`;
  return all === 1 ? 'the archived session' : `any of the ${all} archived sessions`;
}

/**
 * Whether it is a list that is wrong, as of a service in maintenance or of one that leaves some out, and not the sessions
 * that are gone. The newest are asked for first; once for each, since the log keeps that it is gone.
 *
 * @returns `there`: what the service says of one that is not gone, or why that is not known, as a clause
 * @throws {BudgetSpentError} none of them could be asked for
 */
async function askedFor(
  { service, signal }: ListingRun,
  userId: UserId,
  unlisted: readonly SessionId[],
): Promise<{ readonly gone: readonly SessionId[]; readonly there?: string }> {
  const gone: SessionId[] = [];
  for (const sessionId of unlisted.toReversed()) {
    const unknown = `it is not known whether session ${sessionId} is gone`;
    try {
      const { stale } = (await service.getSession({ userId, sessionId, signal })).served;
      if (stale !== undefined) {
        return { gone, there: `${unknown}: ${staleText(sessionId, stale)}` };
      }
      return { gone, there: `session ${sessionId} can be read` };
    } catch (error) {
      if (signal.aborted) throw error;
      // the others are asked for by the next run: this one gets no further, and says so
      if (error instanceof BudgetSpentError && gone.length > 0) return { gone };
      if (error instanceof BudgetSpentError) throw error;
      const isGone = error instanceof NotFoundError && error.stale === undefined;
      if (!isGone) return { gone, there: `${unknown}: ${messageOf(error)}` };
      gone.push(sessionId);
    }
  }
  return { gone };
}

/** What the service should list of the user. */
function sessionsExpected({ sessions }: UserState): SessionId[] {
  return [...sessions].flatMap(([id, state]) => (isLive(state) ? [asSessionId(id)] : []));
}

function notListed(expected: readonly SessionId[], { sessions }: SessionListing): SessionId[] {
  const listed = new Set<string>(sessions.map(({ value }) => value.id));
  return expected.filter((id) => !listed.has(id));
}

/**
 * Selects what `--retry-gaps` tries again: sessions with gaps or not read to their end, and users whose sessions
 * could not all be listed. A listed session that is not archived is exported, too.
 */
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
