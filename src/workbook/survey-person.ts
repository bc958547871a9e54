/** What the log says of a user, before any row is read. */
import type { Archive } from '../archive/archive.js';
import { holdsOn } from '../archive/holds.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import { meantOf } from '../base/nearest.js';
import { UsageError } from '../base/usage-error.js';
import { sessionGaps } from '../completeness/session-gaps.js';
import { UserListings } from '../completeness/user-listings.js';
import type { UserId } from '../model/ids.js';

export interface Person {
  readonly user: UserId;
  readonly sessions: number;
  /** Each once, whatever its versions. */
  readonly jobs: number;
  /** Of the sessions, how many the service no longer has. */
  readonly goneSessions: number;
  /** Everything that could not be archived; sessions that a listing shows to be missing are one. */
  readonly gaps: number;
  /** Whether all sessions were listed and archived, and not only some that were named. */
  readonly isProven: boolean;
  /** Those that bind the user, or a session of the user. */
  readonly holds: readonly HoldRecord[];
  /** The newest commit; null of an empty log. */
  readonly head: CommitRef | null;
}

/** @throws {UsageError} the archive has no such user */
export async function surveyPerson(archive: Archive, user: string): Promise<Person> {
  const { index, states, storage } = archive;
  await index.refresh();
  const id = index.allUsers.find((one) => one === user);
  if (id === undefined) {
    const meant = meantOf('user', user, index.allUsers);
    throw new UsageError(`${storage.location} has no user "${user}"; ${meant}`);
  }
  const { sessions } = await states.load(id);
  const known = [...sessions.values()];
  const gaps = known.reduce((sum, session) => sum + sessionGaps(session).length, 0);
  const listings = await UserListings.of(archive);
  return {
    user: id,
    sessions: known.length,
    jobs: known.reduce((sum, { jobs }) => sum + jobs.size, 0),
    goneSessions: known.filter(({ goneAt, deleted }) => goneAt !== null || deleted).length,
    gaps: gaps + (listings.gapOf(id, sessions.size) ? 1 : 0),
    isProven: listings.isProven(id),
    holds: holdsOn(index.holds, id, sessions.keys()).filter(({ release }) => release === null),
    head: index.head,
  };
}
