/** Doubts whether a session was answered with its own history, and what they say. */
import type { GapEntry } from '../../archive/log/commit.js';
import type { SessionState } from '../../archive/state/user-state.js';
import type { Gap } from '../jobs/gap.js';

/** One of the two witnesses, or both. */
export interface Doubt {
  readonly reason: string;
  /** The id of a session that has jobs of it. */
  readonly sharedWith?: string | undefined;
  /** Archived jobs, none of which comes back. */
  readonly missingJobs?: readonly string[] | undefined;
}

/** So many are named at most; any of them that comes back ends the doubt. */
const MOST_MISSING = 10;

export function doubtOf(other: string): Doubt {
  const reason = `its history has jobs of session ${other}: one of the two was answered with the history of the other`;
  return { reason, sharedWith: other };
}

/** Of a session that can be asked no more: the doubt stays until somebody accepts it. */
export function doubtOfGone(other: string): Doubt {
  const shared = doubtOf(other);
  const why = `session ${other} is gone, so no reading can clear this: compare the two, and accept it with jobvault gap accept`;
  return { ...shared, reason: `${shared.reason}; ${why}` };
}

export function doubtOfMissing(jobs: readonly string[]): Doubt {
  const reason =
    'its history has none of the jobs that were archived before: it may be that of another session; if they were deleted at the service, accept this: jobvault gap accept';
  return { reason, missingJobs: jobs };
}

/** Of a session that could not be read again: what the log says, and that another one has jobs of it. */
export function unreadDoubt(
  known: SessionState | undefined,
  { session }: { readonly session: string },
): Doubt {
  const shared = doubtOf(session);
  const missing = openDoubt(known)?.missing_jobs;
  return bothDoubts(shared, missing && doubtOfMissing(missing)) ?? shared;
}

export function bothDoubts(
  shared: Doubt | undefined,
  missing: Doubt | undefined,
): Doubt | undefined {
  if (!shared || !missing) return shared ?? missing;
  const { reason, missingJobs: jobs } = missing;
  return { ...shared, reason: `${shared.reason}; ${reason}`, missingJobs: jobs };
}

export function isDoubt({
  shared_with: other,
  missing_jobs: missing,
}: Pick<Gap, 'shared_with' | 'missing_jobs'>): boolean {
  return other !== undefined || missing !== undefined;
}

/** The doubt that the log has of the session. */
export function openDoubt(known: SessionState | undefined): GapEntry | undefined {
  return known?.gaps.find(isDoubt);
}

/** Of many, the first and the last: a service with a limit drops one end. */
export function someOf(jobs: Iterable<string>): readonly string[] {
  const all = [...jobs];
  const half = MOST_MISSING / 2;
  return all.length <= MOST_MISSING ? all : [...all.slice(0, half), ...all.slice(-half)];
}
