/** Counts the sessions with gaps and the users not proven complete in the scope of a search, which finds only what is archived, and says how whole is what is made of an archive. */
import { NO_PLACE } from '../../model/records.js';
import type { SessionId, JobId, UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import type { GapEntry } from '../log/commit.js';
import type { LogIndex } from '../log/log-index.js';
import { type Scope, Selection } from './selection.js';
import { ErasedSessions, UserListings } from './user-listings.js';
import type { SessionState } from '../state/user-state.js';
import { timesIn } from '../../model/created-at.js';
import { classifyByPeriod, NO_BOUNDS, type Period, type TimeBounds } from '../../model/period.js';
import { jobBoundsOf } from './chosen-jobs.js';
import { NamedPlaces } from './named-places.js';

/** How many sessions and users are named: the rest is in `status`. */
const MOST_NAMED = 10;

export interface DoubtCounts {
  /** Sessions of the scope that have a gap, or are in doubt; with a period, one that may be of it. An accepted gap is one: what is missing stays missing. */
  readonly sessions_with_gaps: number;
  /** Those of them of which somebody has accepted every gap. */
  readonly sessions_with_accepted_gaps: number;
  /** Users of the scope that are not proven complete. */
  readonly users_not_proven: number;
}

export interface NamedDoubts extends DoubtCounts {
  /** The first ten of those sessions. */
  readonly gap_sessions: readonly string[];
  /** The first ten of those users; empty in what is made for others, unless its scope names users. */
  readonly unproven_users: readonly string[];
}

export interface ScopeDoubts {
  readonly named: NamedDoubts;
  /** How many users the scope has. */
  readonly users: number;
  /** The sessions that have gaps. */
  readonly gapSessions: NamedPlaces;
  /** Users who are not proven complete, for another reason than an erasure. */
  readonly unproven: NamedPlaces;
  readonly erased: ErasedSessions;
  /** Whether anything is in doubt, or has gaps: accepted gaps prove nothing complete. */
  readonly isAny: boolean;
  /** Whether the user is not proven complete, or has a session with gaps in the scope, accepted or not. */
  hasUser(user: string): boolean;
}

/**
 * Reads only the log: the states of all users would take longer than a search. With a period, those of users with
 * gaps are read: a gap that is outside it for certain is none of the scope. If sessions are named, users are not
 * counted: named sessions need no listing.
 *
 * @param archive its index must be up to date
 * @param selection the scope of the search, not what it has found
 * @throws {IntegrityError} the log is damaged
 */
export async function doubtsIn(
  archive: Archive,
  selection: Selection,
  listings: UserListings,
  signal?: AbortSignal,
): Promise<ScopeDoubts> {
  const { index } = archive;
  const { period } = selection.scope;
  const inPeriod = period && gapsInPeriod(archive, period, signal);
  const sessionsOf = await archivedSessions(index, signal);
  const doubtful = new Set<string>();
  const counts = { sessions_with_gaps: 0, sessions_with_accepted_gaps: 0, users_not_proven: 0 };
  const named: string[] = [];
  const unproven: string[] = [];
  const places = { gapSessions: new NamedPlaces(), unproven: new NamedPlaces() };
  const erased = new ErasedSessions();
  for (const user of selection.users) {
    const archived = sessionsOf.get(user) ?? new Map<SessionId, SeenSession>();
    for (const [session, { gaps: all }] of archived) {
      if (all.length === 0 || !selection.hasSession(user, session)) continue;
      const gaps = inPeriod ? await inPeriod(user, session, all) : all;
      if (gaps.length === 0) continue;
      doubtful.add(user);
      counts.sessions_with_gaps++;
      places.gapSessions.add({ user, session });
      if (gaps.every((gap) => index.acceptedGaps.of(user, session, gap))) {
        counts.sessions_with_accepted_gaps++;
      }
      if (named.length < MOST_NAMED) named.push(session);
    }
    if (selection.isNarrowed) continue;
    const present = [...archived.values()].filter(({ isThere }) => isThere).length;
    if (listings.isProven(user, present) && !listings.gapOf(user, archived.size)) continue;
    const erasure = listings.erasureOf(user, archived.size, present);
    if (erasure) erased.add(user, erasure);
    if (erasure?.isAll !== true || listings.gapOf(user, archived.size))
      places.unproven.add({ user });
    counts.users_not_proven++;
    if (unproven.length < MOST_NAMED) unproven.push(user);
    doubtful.add(user);
  }
  return {
    named: { ...counts, gap_sessions: named, unproven_users: unproven },
    users: selection.users.length,
    ...places,
    erased,
    isAny: doubtful.size > 0,
    hasUser: (user) => doubtful.has(user),
  };
}

/** The counts as of the newest commit. @throws {UsageError} a user or a session is not in the archive */
export async function countDoubts(
  archive: Archive,
  scope: Scope,
  signal: AbortSignal,
): Promise<NamedDoubts> {
  await archive.index.refresh();
  const selection = await Selection.of(archive, scope, signal);
  const listings = selection.isNarrowed ? UserListings.NONE : await UserListings.of(archive);
  return (await doubtsIn(archive, selection, listings, signal)).named;
}

interface SeenSession {
  readonly gaps: readonly GapEntry[];
  /** Whether it was neither gone nor deleted when the service was asked last. */
  readonly isThere: boolean;
}

/** By user: every session, as its newest entry has it. */
async function archivedSessions(
  index: LogIndex,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<SessionId, SeenSession>>> {
  const sessionsOf = new Map<string, Map<SessionId, SeenSession>>();
  for (const { user, sessions } of index.snapshot?.users.values() ?? []) {
    const seen = [...sessions].map(([id, { summary }]) => {
      const isThere = summary.goneAt === null && !summary.deleted;
      return [id, { gaps: sessionGaps(summary), isThere }] as const;
    });
    sessionsOf.set(user, new Map(seen));
  }
  const tail = { from: index.walkFrom, through: index.through, signal };
  for await (const commit of index.walk(tail)) {
    for (const { user, session, complete, gaps, gone_at: goneAt } of commit.sessions) {
      const known = sessionsOf.get(user) ?? new Map<SessionId, SeenSession>();
      const seen = { gaps: sessionGaps({ complete, gaps }), isThere: goneAt === null };
      sessionsOf.set(user, known.set(session, seen));
    }
    for (const { user, session } of commit.deletions) {
      const known = sessionsOf.get(user)?.get(session);
      if (known) sessionsOf.get(user)?.set(session, { ...known, isThere: false });
    }
  }
  return sessionsOf;
}

/** Those with a gap that nobody has accepted: only these let a command fail. */
export function sessionsWithOpenGaps(doubts: DoubtCounts | null): number {
  return doubts === null ? 0 : doubts.sessions_with_gaps - doubts.sessions_with_accepted_gaps;
}

/** `2 sessions that were searched have gaps`; null where none has. */
export function gapSessionsText(doubts: DoubtCounts | null): string | null {
  const sessions = doubts?.sessions_with_gaps ?? 0;
  if (sessions === 0) return null;
  return sessions === 1
    ? '1 session that was searched has gaps'
    : `${sessions} sessions that were searched have gaps`;
}

/** `2 sessions that were searched have gaps (s1, s2), 1 user is not proven complete (ada)`; empty without doubts. */
export function doubtText({
  sessions_with_gaps: sessions,
  sessions_with_accepted_gaps: accepted,
  users_not_proven: users,
  gap_sessions: named = [],
  unproven_users: unproven = [],
}: DoubtCounts & Partial<NamedDoubts>): string {
  const doubts = [];
  if (sessions > 0) {
    const have =
      sessions === 1
        ? '1 session that was searched has gaps'
        : `${sessions} sessions that were searched have gaps`;
    doubts.push(have + namesText(named, sessions) + acceptedText(accepted, sessions));
  }
  if (users > 0) {
    const are =
      users === 1 ? '1 user is not proven complete' : `${users} users are not proven complete`;
    doubts.push(are + namesText(unproven, users));
  }
  return doubts.join(', ');
}

function acceptedText(accepted: number, all: number): string {
  if (accepted === 0) return '';
  return accepted === all ? ', all of them accepted' : `, those of ${accepted} all accepted`;
}

function namesText(named: readonly string[], all: number): string {
  if (named.length === 0) return '';
  const more = all > named.length ? ` and ${all - named.length} more` : '';
  return ` (${named.join(', ')}${more})`;
}

/** The gaps of a session: those of the log, and one for a history that was not read to its end. */

const UNREAD: GapEntry = {
  job: null,
  ...NO_PLACE,
  kind: null,
  status: 'incomplete',
  reason: 'its history has not been read to the end yet',
};

/** Whether a job, by its id as the log has it, is one of those that are looked at. */
type IsChosen = (job: string) => boolean;

/**
 * A gap of the whole session already says why it is not complete; the gap of a file does not.
 *
 * @param isChosen the jobs that are looked at; default: all of the session
 */
export function sessionGaps(
  { complete, gaps }: Pick<SessionState, 'complete' | 'gaps'>,
  isChosen?: IsChosen,
): readonly GapEntry[] {
  const isExplained = complete || gaps.some(({ job }) => job === null);
  const all = isExplained ? gaps : [...gaps, UNREAD];
  return isChosen ? gapsOfChosen(all, isChosen) : all;
}

/** Gaps of the session as a whole stay: a chosen job may be what is missing. */
export function gapsOfChosen(gaps: readonly GapEntry[], isChosen: IsChosen): readonly GapEntry[] {
  return gaps.filter(({ job }) => job === null || isChosen(job));
}

/** Which gaps may be of a period: by when their job was asked, or by the times of their session. */

/** Of the gaps of a session those that are not outside the period for certain. */
type GapsInPeriod = (
  user: UserId,
  session: SessionId,
  gaps: readonly GapEntry[],
) => Promise<readonly GapEntry[]>;

/**
 * Reads the states of users who have gaps, one at a time.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} the log is damaged
 */
export function gapsInPeriod(archive: Archive, period: Period, signal?: AbortSignal): GapsInPeriod {
  const { states, index, identity } = archive;
  let boundsOf: Awaited<ReturnType<typeof jobBoundsOf>> | undefined;
  let last: Awaited<ReturnType<typeof states.loadAsOf>> | undefined;
  return async (user, session, gaps) => {
    signal?.throwIfAborted();
    boundsOf ??= await jobBoundsOf(archive, signal);
    if (last?.user !== user) last = await states.loadAsOf(user, index.through);
    const state = last.sessions.get(session);
    const jobs = state ? boundsOf(user, session, state) : new Map<JobId, TimeBounds>();
    // the ids of a copy are digests
    const timeOf = identity.pseudonymised ? () => NO_BOUNDS : timeOfId;
    const whole = sessionBounds(state, [...jobs.values()], timeOf(session, []));
    return gaps.filter(({ job }) => {
      const bounds = job === null ? whole : (jobs.get(job) ?? timeOf(job, [...jobs.keys()]));
      return classifyByPeriod(bounds, period) !== 'outside';
    });
  };
}

/** A history that was not read to its end may lack jobs of any time since its session began. */
function sessionBounds(
  state: SessionState | undefined,
  jobs: readonly TimeBounds[],
  own: TimeBounds,
): TimeBounds {
  if (!state?.complete || jobs.length === 0) return { after: own.after, before: null };
  return {
    after: least(jobs.map(({ after }) => after)),
    before: most(jobs.map(({ before }) => before)),
  };
}

function least(times: readonly (bigint | null)[]): bigint | null {
  return times.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
}

function most(times: readonly (bigint | null)[]): bigint | null {
  return times.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b));
}

/** @param others whose ids may show that these have the form of one with a time by chance */
function timeOfId(id: string, others: readonly string[]): TimeBounds {
  const micros = timesIn([...others, id]).times.at(-1)?.micros ?? null;
  return { after: micros, before: micros };
}

/**
 * How whole a report, a workbook or a pack is.
 * `left-out`: no gap is known; jobs were left out because nothing tells whether they are in the period.
 * `not-proven`: no gap is known, and that there is none is not proven, of a user or of where a search looked.
 */
export type MadeStatus = 'complete' | 'gaps' | 'left-out' | 'not-proven';

/** What could not be archived comes first: what was left out is in the archive. */
export function madeStatus({
  gaps,
  leftOut,
  isProven,
}: {
  readonly gaps: number;
  /** Jobs. */
  readonly leftOut: number;
  readonly isProven: boolean;
}): MadeStatus {
  if (gaps > 0) return 'gaps';
  if (leftOut > 0) return 'left-out';
  return isProven ? 'complete' : 'not-proven';
}
