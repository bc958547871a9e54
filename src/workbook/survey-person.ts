/** What the log says of a user, before any row is read. */
import type { Archive } from '../archive/archive.js';
import { holdsOn } from '../archive/holds.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import { assertUsersKnown } from '../archive/reading/scope.js';
import { doubtsIn, type DoubtCounts } from '../completeness/scope-doubts.js';
import { sessionGaps } from '../completeness/session-gaps.js';
import { UserListings } from '../completeness/user-listings.js';
import { asUserId, type UserId } from '../model/ids.js';
import type { FoundJobs, LeftOutJob } from '../search/search-archive.js';
import type { SearchFacts } from '../search/search-facts.js';

export interface Person {
  readonly user: UserId;
  readonly sessions: number;
  /** Each once, whatever its versions. */
  readonly jobs: number;
  /** Of the sessions, how many the service no longer has. */
  readonly goneSessions: number;
  /** Everything that could not be archived, of what is here, and what a search left out; sessions that a listing shows to be missing are one. */
  readonly gaps: number;
  /** Whether all sessions were listed and archived, and not only some that were named; of a search: without gaps. */
  readonly isProven: boolean;
  /** What the search has found that chose the jobs; null where all of them are here. */
  readonly search: (SearchFacts & DoubtCounts) | null;
  /** Jobs that a search left out, because nothing tells whether they are in its period. */
  readonly leftOut: readonly LeftOutJob[];
  /** Those that bind the user, or a session of the user. */
  readonly holds: readonly HoldRecord[];
  /** The newest commit; null of an empty log. */
  readonly head: CommitRef | null;
}

/**
 * @param found only these jobs
 * @throws {UsageError} the archive has no such user
 */
export async function surveyPerson(
  archive: Archive,
  user: string,
  found?: FoundJobs,
): Promise<Person> {
  const { index, states } = archive;
  await index.refresh();
  await assertUsersKnown(archive, [user]);
  const id = asUserId(user);
  const state = await states.load(id);
  const sessions = [...state.sessions].filter(
    ([session]) => found?.hasSession(id, session) ?? true,
  );
  const known = sessions.map(([, session]) => session);
  const gaps = sessions.flatMap(([session, of]) =>
    sessionGaps(of, (job) => found?.hasJob(id, session, job) ?? true),
  );
  const listings = await UserListings.of(archive);
  const isListingShort = !found && listings.gapOf(id, known.length) !== undefined;
  const doubts = found && (await doubtsIn(index, listings, { users: [id], sessions: [] }));
  const leftOut = found?.leftOut ?? [];
  const ids = sessions.map(([session]) => session);
  return {
    user: id,
    sessions: known.length,
    jobs: found?.facts.matches ?? known.reduce((sum, { jobs }) => sum + jobs.size, 0),
    goneSessions: known.filter(({ goneAt, deleted }) => goneAt !== null || deleted).length,
    gaps: gaps.length + (isListingShort ? 1 : 0) + leftOut.length,
    isProven: doubts ? !doubts.hasUser(id) : listings.isProven(id),
    search: found && doubts ? { ...found.facts, ...doubts.counts } : null,
    leftOut,
    holds: holdsOn(index.holds, id, ids).filter(({ release }) => release === null),
    head: index.head,
  };
}
