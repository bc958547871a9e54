/** What the log says of a user, before any row is read. */
import type { Archive } from '../archive/archive.js';
import { holdsOn } from '../archive/holds.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import type { NamedDoubts } from '../archive/reading/doubts.js';
import type { Selection } from '../archive/reading/scope.js';
import type { UserId } from '../model/ids.js';
import type { FoundJobs, LeftOutJob } from '../search/search-archive.js';
import type { SearchFacts } from '../search/search-choice.js';

export interface Person {
  readonly user: UserId;
  /** Sessions and jobs that are here. */
  readonly selection: Selection;
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
  readonly search: (SearchFacts & NamedDoubts) | null;
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
  name: string,
  found?: FoundJobs,
  signal?: AbortSignal,
): Promise<Person> {
  const scope = { users: [name], sessions: [] };
  const view = await ArchiveView.of(archive, scope, { chosen: found, signal });
  for await (const { user, sessions, gaps, isProven } of view.summaries()) {
    const states = sessions.map(({ state }) => state);
    const ids = sessions.map(({ session }) => session);
    return {
      user,
      selection: view.selection,
      sessions: sessions.length,
      jobs: found?.facts.matches ?? states.reduce((sum, { jobs }) => sum + jobs.total, 0),
      goneSessions: states.filter(({ goneAt, deleted }) => goneAt !== null || deleted).length,
      gaps,
      isProven,
      search: found && view.doubts ? { ...found.facts, ...view.doubts.named } : null,
      leftOut: found?.leftOut ?? [],
      holds: holdsOn(view.holds, user, ids).filter(({ release }) => release === null),
      head: view.head,
    };
  }
  throw new Error('a user who was named is in scope');
}
