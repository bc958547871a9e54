/** Whom and what the report shows, and what the log says of it: before any row is read. */
import type { Archive } from '../archive/archive.js';
import type { GapEntry } from '../archive/log/commit.js';
import { traceScope, type Scope } from '../archive/reading/scope.js';
import { doubtsIn, type ScopeDoubts } from '../completeness/scope-doubts.js';
import { sessionGaps } from '../completeness/session-gaps.js';
import { UserListings, type ListingGap } from '../completeness/user-listings.js';
import type { SessionState } from '../archive/state/user-state.js';
import type { FoundJobs } from '../search/search-archive.js';
import type { HoldLine } from './page-data.js';
import { ShownHolds } from './shown-holds.js';

export interface SurveyedSession {
  /** From 1, throughout the report. */
  readonly number: number;
  readonly user: string;
  /** As `SurveyedUser`. */
  readonly userNumber: number;
  readonly session: string;
  readonly isComplete: boolean;
  readonly isDeleted: boolean;
  /** ISO 8601; null while the service lists it. */
  readonly goneAt: string | null;
  readonly gaps: readonly GapEntry[];
  /** Those on the session and on its user. */
  readonly holds: readonly HoldLine[];
}

export interface SurveyedUser {
  /** From 1. */
  readonly number: number;
  readonly user: string;
  /** What the last listing of all sessions shows to be missing; null where only named sessions or hits are shown. */
  readonly problem: string | null;
  /** Whether no gap is known, and not proven that there is none. */
  readonly isInDoubt: boolean;
  /** Those on the user as a whole. */
  readonly holds: readonly HoldLine[];
  /** By id as rows have it: there a lone surrogate is U+FFFD. */
  readonly sessions: ReadonlyMap<string, SurveyedSession>;
}

export interface Survey {
  readonly users: ReadonlyMap<string, SurveyedUser>;
  /** Undefined: every job of the sessions is shown. */
  readonly found: FoundJobs | undefined;
  /** What was in doubt where a search looked; undefined without a search. */
  readonly doubts: ScopeDoubts | undefined;
  readonly head: number;
}

export interface ReportScope extends Scope {
  /** Only these jobs. Default: all of them. */
  readonly found?: FoundJobs | undefined;
}

/**
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyArchive(
  archive: Archive,
  scope: ReportScope,
  signal?: AbortSignal,
): Promise<Survey> {
  await archive.index.refresh();
  const head = archive.index.through;
  await traceScope(archive, scope, signal);
  const listings = await UserListings.of(archive);
  const held = new ShownHolds(archive.index.holds);
  const doubts = scope.found && (await doubtsIn(archive.index, listings, scope, signal));
  const isNarrowed = scope.sessions.length > 0 || scope.found !== undefined;
  const named = new Set(scope.users);
  const sessions = new Set(scope.sessions);
  const users = new Map<string, SurveyedUser>();
  let number = 0;
  // also those whom no run could list: nothing of theirs is there, and the report says so
  for (const user of await archive.index.allUsers()) {
    signal?.throwIfAborted();
    if (named.size > 0 && !named.has(user)) continue;
    const state = await archive.states.load(user);
    const chosen = new Map<string, SurveyedSession>();
    for (const [session, of] of state.sessions) {
      if (sessions.size > 0 && !sessions.has(session)) continue;
      if (scope.found?.hasSession(user, session) === false) continue;
      const more = {
        number: ++number,
        userNumber: users.size + 1,
        holds: held.ofSession(user, session),
      };
      const gaps = sessionGaps(of, (job) => scope.found?.hasJob(user, session, job) ?? true);
      chosen.set(session.toWellFormed(), surveyed(more, user, session, { ...of, gaps }));
    }
    if ((sessions.size > 0 || scope.found) && chosen.size === 0) continue;
    const id = user.toWellFormed();
    const problem = isNarrowed ? null : problemOf(listings.gapOf(user, state.sessions.size));
    const hasGaps = problem !== null || [...chosen.values()].some(({ gaps }) => gaps.length > 0);
    const isProven = doubts ? !doubts.hasUser(user) : isNarrowed || listings.isProven(user);
    const isInDoubt = !hasGaps && !isProven;
    users.set(id, {
      number: users.size + 1,
      user: id,
      problem,
      isInDoubt,
      holds: held.ofUser(user),
      sessions: chosen,
    });
  }
  return { users, head, found: scope.found, doubts };
}

function surveyed(
  more: Pick<SurveyedSession, 'number' | 'userNumber' | 'holds'>,
  user: string,
  session: string,
  { complete, deleted, goneAt, gaps }: SessionState,
): SurveyedSession {
  const ids = { user: user.toWellFormed(), session: session.toWellFormed() };
  return { ...more, ...ids, isComplete: complete, isDeleted: deleted, goneAt, gaps };
}

function problemOf(gap: ListingGap | undefined): string | null {
  if (!gap) return null;
  const { status, reason } = gap;
  return status === 'failed' ? `The last run could not list all sessions: ${reason}` : reason;
}
