/** Finds the sessions with gaps and the users not proven complete in the scope of a search, which finds only what is archived. */
import { isDoubted } from '../../model/gap-counts.js';
import { NO_PLACE } from '../../model/records.js';
import { ERASED, type SessionId, type UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import type { GapEntry } from '../log/commit.js';
import type { LogIndex } from '../log/log-index.js';
import { NewestSessions } from './newest-sessions.js';
import type { Selection } from './selection.js';
import type { UserListings } from './users/user-listings.js';
import { ErasedSessions } from './users/user-listings.js';
import type { SessionState } from '../state/user-state.js';
import { DecidedPlaces, NamedPlaces } from './caveats/named-places.js';
import { gapsInPeriod } from './gaps-in-period.js';
import { isEndUnread, readUntil } from './users/read-until.js';
import { isIdInDoubt, readNoMore } from './users/read-no-more.js';

export interface ScopeDoubts {
  /** How many users the scope has. */
  readonly users: number;
  /** How many sessions the archive has of them; 0 where sessions are named. */
  readonly sessions: number;
  /** Sessions that lack something that is told nowhere else; with a period, what may be of it. An accepted gap is one: what is missing stays missing. */
  readonly lacking: DecidedPlaces;
  /** Sessions of which something that is archived is in doubt; with a period, what may be of it. One that lacks something, too, is in both. */
  readonly doubted: DecidedPlaces;
  /** Sessions without a job: neither words nor a period choose them. */
  readonly withoutQuestions: NamedPlaces;
  /** Users of whom the service lists nothing, and nothing is archived. */
  readonly neverSeen: NamedPlaces;
  /** Users with something archived whom exports skip. */
  readonly skipped: NamedPlaces;
  /** Users who are not proven complete, for another reason than an erasure, or than gaps of their sessions. */
  readonly unproven: NamedPlaces;
  readonly erased: ErasedSessions;
  /** When the service was read last of anybody in scope; ISO 8601, null where nobody was listed. */
  readonly readUntil: string | null;
  /** Whether the scope has a period that has ended, and that was before its end. */
  readonly isEndUnread: boolean;
  /** Whether the user is not proven complete, or has a session with gaps in the scope, accepted or not, or was not listed since the period ended. */
  hasUser(user: string): boolean;
  /** Whether one of these doubts can be ended, and nobody has decided on it. */
  isUndecided(user: string): boolean;
}

/**
 * Reads only the log: the states of all users would take longer than a search. With a period, those of users with
 * gaps are read: a gap that is outside it for certain is none of the scope. If sessions are named, users are not
 * counted: named sessions need no listing.
 *
 * @param archive its index must be up to date
 * @param selection the scope of the search, not what it has found
 * @param told what is told as a gap of these is not counted among the doubts besides
 * @throws {IntegrityError} the log is damaged
 */
export async function doubtsIn(
  archive: Archive,
  selection: Selection,
  listings: UserListings,
  {
    told,
    signal,
  }: { readonly told?: ShownJobs | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<ScopeDoubts> {
  const { index } = archive;
  const isCopy = archive.identity.pseudonymised !== undefined;
  const { period } = selection.scope;
  const inPeriod = period && gapsInPeriod(archive, period, signal);
  const read = await readUntil(archive, selection.users);
  const isUnread = isEndUnread(period, read, archive.clock.now());
  const sessionsOf = await archivedSessions(index, signal);
  const isReadNoMore = readNoMore(index, listings);
  const doubtful = new Set<string>();
  const undecided = new Set<string>();
  let sessions = -selection.listedAgain.length;
  const [lacking, doubted] = [new DecidedPlaces(), new DecidedPlaces()];
  const places = {
    unproven: new NamedPlaces(),
    withoutQuestions: new NamedPlaces(),
    neverSeen: new NamedPlaces(),
    skipped: new NamedPlaces(),
  };
  const erased = new ErasedSessions();
  // the first are named: the same ones, whoever was archived first
  for (const user of selection.users.toSorted()) {
    const archived = sessionsOf.get(user) ?? new Map<SessionId, SeenSession>();
    const bySession = [...archived].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [session, { gaps: all, isThere, jobs }] of bySession) {
      if (jobs === 0 && selection.hasSession(user, session)) {
        places.withoutQuestions.add({ user, session });
      }
      if (all.length === 0 || !selection.hasSession(user, session)) continue;
      const gaps = inPeriod ? await inPeriod(user, session, all) : all;
      if (gaps.length === 0) continue;
      doubtful.add(user);
      const isAcceptedGap = (gap: GapEntry): boolean =>
        index.acceptedGaps.find(user, session, gap) !== undefined;
      if (!gaps.every(isAcceptedGap)) undecided.add(user);
      const others = gaps.filter((gap) => !isTold(told, user, session, gap));
      for (const [sessions, some] of [
        [lacking, others.filter((gap) => !isDoubted(gap))],
        [doubted, others.filter(isDoubted)],
      ] as const) {
        if (some.length === 0) continue;
        const isAccepted = some.every(isAcceptedGap);
        sessions.add({ user, session });
        const isAbsent = !isThere || some.every(isWithErased);
        sessions.decide({ isAccepted, isAbsent, isReadNoMore: isReadNoMore(user) });
      }
    }
    if (archived.size > 0 && index.suppressions.ofUser(user)) places.skipped.add({ user });
    if (selection.isNarrowed) continue;
    if (
      listings.isNeverSeen(user, archived.size) &&
      isIdInDoubt(selection.scope, isReadNoMore(user))
    ) {
      places.neverSeen.add({ user });
    }
    sessions += archived.size;
    const seen = [...archived.values()];
    const listingGap = listings.gapOf(user, archived.size);
    const erasure = listings.erasureOf(user, archived.size);
    if (erasure) erased.add(user, erasure);
    if (listings.isProven(user) && !listingGap) continue;
    const hasGaps = seen.some(({ gaps }) => gaps.length > 0);
    // gaps are told as gaps
    const isToldAsGaps = hasGaps && !listingGap && listings.get(user) !== undefined;
    if (!erasure && isToldAsGaps) continue;
    doubtful.add(user);
    if ((erasure?.atMost ?? 0) > 0) undecided.add(user);
    if (isToldAsGaps || (erasure?.isAll === true && !listingGap)) continue;
    undecided.add(user);
    places.unproven.add({ user, note: isCopy ? undefined : listings.whyUnproven(user) });
  }
  return {
    users: selection.users.length,
    sessions,
    ...places,
    lacking,
    doubted,
    erased,
    readUntil: read,
    isEndUnread: isUnread,
    hasUser: (user) => isUnread || doubtful.has(user),
    isUndecided: (user) => isUnread || undecided.has(user),
  };
}

type ShownJobs = Pick<Selection, 'hasSession' | 'hasJob'>;

/** Whether a gap is told, as the gaps of sessions are: one of a session as a whole with any of its jobs. */
function isTold(
  told: ShownJobs | undefined,
  user: UserId,
  session: SessionId,
  { job }: GapEntry,
): boolean {
  if (told?.hasSession(user, session) !== true) return false;
  return job === null || told.hasJob(user, session, job);
}

interface SeenSession {
  readonly gaps: readonly GapEntry[];
  /** Whether it was neither gone nor deleted when the service was asked last. */
  readonly isThere: boolean;
  /** How many the archive has. */
  readonly jobs: number;
}

/** Every session, by user, as its newest entry has it. */
async function archivedSessions(
  index: LogIndex,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<SessionId, SeenSession>>> {
  const sessionsOf = new Map<string, Map<SessionId, SeenSession>>();
  for (const newest of await NewestSessions.of(index, { signal })) {
    const { user, session, version, archived: jobs, goneAt, deletedAt } = newest;
    if (version === 0) continue;
    const known = sessionsOf.get(user) ?? new Map<SessionId, SeenSession>();
    const isThere = goneAt === null && deletedAt === null;
    sessionsOf.set(user, known.set(session, { gaps: sessionGaps(newest), isThere, jobs }));
  }
  return sessionsOf;
}

/** Whether it is a doubt about jobs of a session that was erased since: no run can compare the two any more. */
export function isWithErased({ shared_with: other }: GapEntry): boolean {
  return other === ERASED;
}

const UNREAD: GapEntry = {
  job: null,
  ...NO_PLACE,
  kind: null,
  status: 'incomplete',
  reason: 'its history has not been read to the end yet',
};

/** Whether a gap only says that no run has read the history to its end yet, as at the end of a budget. */
export function isUnread(gap: GapEntry): boolean {
  return gap === UNREAD;
}

/**
 * Whether the history of a session was read to its end, and not whether the session is complete: files of it may be
 * missing. One that is in doubt as a whole was read, and may not be its own, or may lack jobs.
 */
export type HistoryState = 'read_to_end' | 'in_doubt' | 'not_read_to_end';

export function historyStateOf({
  complete,
  gaps,
}: Pick<SessionState, 'complete' | 'gaps'>): HistoryState {
  if (complete) return 'read_to_end';
  const ofWhole = gaps.filter(({ job }) => job === null);
  return ofWhole.length > 0 && ofWhole.every(isDoubted) ? 'in_doubt' : 'not_read_to_end';
}

/** Whether a job, by its id as the log has it, is one of those that are looked at. */
type IsChosen = (job: string) => boolean;

/**
 * The gaps of a session: those of the log, and one for a history that was not read to its end. A gap of the whole
 * session already says why it is not complete; the gap of a file does not.
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
