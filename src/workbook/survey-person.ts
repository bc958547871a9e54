/** What the log says of a user, before any row is read. */
import type { Archive } from '../archive/archive.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { SessionState } from '../archive/state/user-state.js';
import { meantOf } from '../base/nearest.js';
import { UsageError } from '../base/usage-error.js';
import type { UserId } from '../model/ids.js';

export interface Person {
  readonly user: UserId;
  readonly sessions: number;
  /** Each once, whatever its versions. */
  readonly jobs: number;
  /** Of the sessions, how many the service no longer has. */
  readonly goneSessions: number;
  /** Everything that could not be archived; a listing of all sessions that was not complete is one. */
  readonly gaps: number;
  /** Whether all sessions were listed, and not only some that were named. */
  readonly wasListed: boolean;
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
  const gaps = known.reduce((sum, session) => sum + gapsOf(session), 0);
  const listing = index.user(id)?.lastOfAll?.entry;
  return {
    user: id,
    sessions: known.length,
    jobs: known.reduce((sum, { jobs }) => sum + jobs.size, 0),
    goneSessions: known.filter(({ goneAt, deleted }) => goneAt !== null || deleted).length,
    gaps: gaps + (listing?.complete === false ? 1 : 0),
    wasListed: listing?.complete === true,
    head: index.head,
  };
}

/** A history that was not read to its end counts as one gap, unless a gap entry already says so. */
function gapsOf({ complete, gaps }: SessionState): number {
  return gaps.length === 0 && !complete ? 1 : gaps.length;
}
