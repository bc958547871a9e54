/** Counts the sessions, jobs and gaps of a user. */
import type { AcceptedGaps } from '../archive/log/accepted-gaps.js';
import type { GapEntry } from '../archive/log/commit.js';
import { hasNoQuestion, summaryOf, type SessionSummary } from '../archive/state/session-summary.js';
import type { UserState } from '../archive/state/user-state.js';
import { addCounts, groupBy } from '../base/group-by.js';
import { isDoubted } from '../model/gap-counts.js';
import { asUserId, type SessionId, type UserId } from '../model/ids.js';
import { foldedUser, keyOfAnySpelling } from '../model/user-spelling.js';
import type { Archive } from '../archive/archive.js';
import { deletionsLeftOpen } from '../archive/open-deletions.js';
import { knownAt } from '../archive/reading/known-days.js';
import { Spellings } from '../archive/reading/users/listed-again.js';
import {
  ArchiveView,
  type ViewedSession,
  type ViewedUser,
} from '../archive/reading/archive-view.js';
import { UsageError } from '../base/error.js';
import { sessionGaps } from '../archive/reading/doubts.js';
import { isNowAtTheCap } from '../archive/reading/users/at-the-cap.js';
import { completenessOfUser } from '../archive/reading/caveats/completeness-of-user.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { PersonCounts, type UserListings } from '../archive/reading/users/user-listings.js';

export interface UserStatus {
  readonly user: UserId;
  /** As of everything that tells of the user: see `Completeness`. A listing that an erasure may have made untrue proves nothing. */
  readonly status: Completeness;
  readonly sessions: {
    readonly total: number;
    readonly complete: number;
    /** Sessions that were not read to their end, or have gaps. */
    readonly incomplete: number;
    /** No longer listed by the service, and not deleted by jobvault. */
    readonly gone: number;
    /** Deleted from the service after they were archived. */
    readonly deleted: number;
    /** Sessions that have no job; they are among the others, too. */
    readonly without_questions: number;
  };
  /** Sessions that were certainly erased, as counts of listings show; they are not among these. */
  readonly erased: number;
  /** Sessions that receipts count beside those that are certainly somebody's: perhaps of this user, too. */
  readonly unexplained_erased: number;
  readonly jobs: {
    readonly total: number;
    readonly settled: number;
    /** All others: those of `may_change`, and those left of conversations that are no longer at the service; not a gap, but prevents deletion. */
    readonly unsettled: number;
  };
  readonly may_change: MayChange;
  /** Stored files with doubtful content; the column `suspicious` of the table `artifacts` says why. */
  readonly suspicious_files: number;
  /** Counts by status, without doubts and accepted ones; keys in alphabetical order. */
  readonly gaps: Readonly<Record<string, number>>;
  /** How many doubts there are that nobody has accepted. */
  readonly doubts: number;
  /** How many of these gaps and doubts are of sessions that are gone or deleted: no run reads them, and each ends with them until somebody accepts them. */
  readonly gaps_of_absent_sessions: number;
  /** How many of these gaps and doubts are of users whom exports read no more: a run ends with them, and reads them not. */
  readonly gaps_of_unread_users: number;
  /** Gaps that somebody has accepted. */
  readonly accepted_gaps: number;
  /** Doubts that somebody has accepted. */
  readonly accepted_doubts: number;
  /** Whether the service, which keeps 150 sessions of a user, has 140 or more, without those that jobvault has deleted since the last listing. */
  readonly at_the_cap: boolean;
  /** Whether no export reads the user any more, as far as the log tells: the newest one of everybody did not, or exports skip the user. */
  readonly is_read_no_more: boolean;
  /** From the last run that listed all sessions of the user; null if there is none. */
  readonly last_listing: LastListing | null;
}

/** The unsettled jobs. */
export interface MayChange {
  /** Jobs of sessions that the service still has: an export settles them when they have not changed for a while. */
  readonly jobs: number;
  /** So many of these are of users whom no export reads any more: nothing settles them. */
  readonly unread: number;
  /** When the newest content of the others was first seen; ISO 8601; null without such jobs. */
  readonly newest_seen_at: string | null;
  /** Jobs of sessions that are gone or deleted: nobody can say any more whether they would have changed. */
  readonly left: number;
}

interface LastListing {
  /** By the clock of the run; ISO 8601, of a pseudonymised copy the day, here and in every time of a listing. */
  readonly at: string;
  /** Without those that were skipped. */
  readonly listed: number;
  /** The service's total. */
  readonly total_items: number | null;
  /** Sessions that the service still has, and that were skipped: they were erased, and are not to come back. */
  readonly suppressed: number;
  readonly complete: boolean;
  readonly error: string | null;
  /** Sessions of any user that were erased from the archive since: receipts do not name users. */
  readonly erased_since: number;
  /** Sessions of this user that were certainly erased before, as counts show. */
  readonly erased: number;
}

/** One session, for the detail of a user. */
export interface SessionStatus {
  readonly session: string;
  readonly version: number;
  readonly state: 'complete' | 'incomplete' | 'gone' | 'deleted';
  readonly jobs: UserStatus['jobs'];
  /** Jobs that may still change, or might have until the session was gone, and when this content was first seen; ISO 8601. */
  readonly unsettled: readonly { readonly job: string; readonly seen_at: string }[];
  readonly total_items: number | null;
  /** With who accepts it, if somebody does. */
  readonly gaps: readonly (GapEntry & { readonly accepted_by?: string })[];
  /** When a complete listing first lacked it; ISO 8601. */
  readonly gone_at: string | null;
  /** The run that was about to delete it and left open whether it did; the next prune finds out. Null of all others. */
  readonly left_open_by: string | null;
  /** The spelling of the user that is looked at as well, and for which it counts; null where it counts here. */
  readonly counts_for: string | null;
  /** The other spellings of the user that list it, too; it is one session. */
  readonly also_of: readonly string[];
}

/** @param among users who are looked at together: what two spellings of one list counts for one of them */
export async function sessionStatusesOf(
  archive: Archive,
  user: string,
  among: readonly string[] = [],
): Promise<SessionStatus[]> {
  const state = await archive.states.load(asUserId(user));
  const { listedAgain } = await Spellings.in(archive);
  const elsewhere = listedAgain.filter((one) => one.user === user && among.includes(one.countsFor));
  const countsFor = new Map<string, string>(elsewhere.map((one) => [one.session, one.countsFor]));
  const again = groupBy(listedAgain, ({ session }) => session);
  const open = await deletionsLeftOpen(archive);
  return sessionStatuses(state, archive, {
    leftOpenBy: (session) => open.get(keyOfAnySpelling(user, session))?.at(0),
    countsFor: (session) => countsFor.get(session),
    alsoOf: (session) => {
      const all = (again.get(session) ?? []).filter(
        (one) => foldedUser(one.user) === foldedUser(user),
      );
      const users = new Set(all.flatMap((one) => [one.countsFor, one.user]));
      return [...users].filter((other) => other !== user);
    },
  });
}

/** Ordered by session id. */
function sessionStatuses(
  { user, sessions }: UserState,
  { identity: { pseudonymised: copy }, index: { acceptedGaps: accepted } }: Archive,
  {
    leftOpenBy,
    countsFor,
    alsoOf,
  }: {
    readonly leftOpenBy: (session: SessionId) => string | undefined;
    readonly countsFor: (session: SessionId) => string | undefined;
    readonly alsoOf: (session: SessionId) => readonly string[];
  },
): SessionStatus[] {
  return [...sessions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([session, state]) => ({
      session,
      version: state.version,
      state: conditionOf({ state, gaps: sessionGaps(state) }),
      jobs: jobsOf(summaryOf(state)),
      unsettled: [...state.jobs]
        .filter(([, { settled }]) => !settled)
        .map(([job, { seen_at }]) => ({ job, seen_at: knownAt(seen_at, copy) })),
      total_items: state.total,
      gaps: sessionGaps(state).map((gap) => {
        const by = accepted.find(user, session, gap)?.by;
        return by === undefined ? gap : { ...gap, accepted_by: by };
      }),
      gone_at: knownAt(state.goneAt, copy),
      left_open_by: state.deleted ? null : (leftOpenBy(session) ?? null),
      counts_for: countsFor(session) ?? null,
      also_of: alsoOf(session),
    }));
}

/** What is counted of each user, and added up. */
export type Counted = Omit<
  UserStatus,
  'user' | 'status' | 'unexplained_erased' | 'at_the_cap' | 'is_read_no_more' | 'last_listing'
>;

export function nothingCounted() {
  return {
    sessions: { total: 0, complete: 0, incomplete: 0, gone: 0, deleted: 0, without_questions: 0 },
    erased: 0,
    jobs: { total: 0, settled: 0, unsettled: 0 },
    may_change: NOTHING_MAY_CHANGE,
    suspicious_files: 0,
    gaps: {} as Record<string, number>,
    doubts: 0,
    gaps_of_absent_sessions: 0,
    gaps_of_unread_users: 0,
    accepted_gaps: 0,
    accepted_doubts: 0,
  } satisfies Counted;
}

const NUMBERS = [
  'erased',
  'suspicious_files',
  'doubts',
  'gaps_of_absent_sessions',
  'gaps_of_unread_users',
  'accepted_gaps',
  'accepted_doubts',
] as const satisfies (keyof Counted)[];

export function addCounted(sums: ReturnType<typeof nothingCounted>, counted: Counted): void {
  for (const part of ['sessions', 'jobs', 'gaps'] as const) {
    addCounts<string>(sums[part], counted[part]);
  }
  for (const name of NUMBERS) sums[name] += counted[name];
  sums.may_change = mayChangeTogether(sums.may_change, counted.may_change);
}

export class UserTally {
  readonly #sums = nothingCounted();
  /** Those of spellings of one user are counted once. */
  readonly #erased = new PersonCounts();

  add(
    { user, sessions, listingGap, erasure, gapCounts, isReadNoMore }: ViewedUser<SessionSummary>,
    accepted: AcceptedGaps,
  ): void {
    const sums = this.#sums;
    this.#erased.add(user, erasure?.missing ?? 0, erasure?.person);
    sums.doubts += gapCounts.doubts;
    sums.accepted_gaps += gapCounts.accepted_gaps;
    sums.accepted_doubts += gapCounts.accepted_doubts;
    if (isReadNoMore) sums.gaps_of_unread_users += gapCounts.gaps + gapCounts.doubts;
    if (listingGap && !isDoubted(listingGap)) addCounts(sums.gaps, { [listingGap.status]: 1 });
    for (const view of sessions) {
      sums.sessions.total++;
      sums.sessions[conditionOf(view)]++;
      if (hasNoQuestion(view.state)) sums.sessions.without_questions++;
      addCounts(sums.jobs, jobsOf(view.state));
      sums.may_change = mayChangeTogether(sums.may_change, mayChangeIn(view.state, isReadNoMore));
      sums.suspicious_files += view.state.jobs.suspicious;
      const isAbsent = view.state.deleted || view.state.goneAt !== null;
      for (const gap of view.gaps) {
        if (accepted.find(user, view.session, gap)) continue;
        if (!isDoubted(gap)) addCounts(sums.gaps, { [gap.status]: 1 });
        if (isAbsent) sums.gaps_of_absent_sessions++;
      }
    }
  }

  merge(other: UserTally): void {
    addCounted(this.#sums, other.#sums);
    this.#erased.merge(other.#erased);
  }

  counts({ identity: { pseudonymised: copy } }: Pick<Archive, 'identity'>): Counted {
    const { gaps, may_change: mayChange } = this.#sums;
    const inOrder = Object.entries(gaps).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...this.#sums,
      erased: this.#erased.sum,
      may_change: { ...mayChange, newest_seen_at: knownAt(mayChange.newest_seen_at, copy) },
      gaps: Object.fromEntries(inOrder),
    };
  }

  /** @param ofUser the one whose sessions it has counted */
  async statusOf(
    ofUser: ViewedUser<SessionSummary>,
    archive: Archive,
    listings: UserListings,
  ): Promise<UserStatus> {
    const { user } = ofUser;
    return {
      user,
      status: completenessOfUser(ofUser, archive.index.acceptedGaps),
      ...this.counts(archive),
      unexplained_erased: listings.unexplained,
      at_the_cap: await isNowAtTheCap(archive, user),
      is_read_no_more: ofUser.isReadNoMore,
      last_listing: lastListingOf(user, listings, archive),
    };
  }
}

interface StatusOfUserOptions {
  /** Users who are looked at together: a session that several spellings of one list counts for one of them. Default: the one. */
  readonly among?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The status of one user with all that is listed for this spelling. @throws {UsageError} the archive has no such user */
export async function statusOfUser(
  archive: Archive,
  user: string,
  { among = [user], signal }: StatusOfUserOptions = {},
): Promise<UserStatus> {
  const view = await ArchiveView.of(archive, { users: among, sessions: [] }, { signal });
  const { acceptedGaps } = archive.index;
  const tally = new UserTally();
  for await (const ofUser of view.summaries()) {
    if (ofUser.user !== user) continue;
    tally.add(ofUser, acceptedGaps);
    return tally.statusOf(ofUser, archive, view.listings);
  }
  throw new UsageError(`${archive.storage.location} has no user "${user}"`);
}

function conditionOf({
  state,
  gaps,
}: Pick<
  ViewedSession<Pick<SessionSummary, 'deleted' | 'goneAt'>>,
  'state' | 'gaps'
>): SessionStatus['state'] {
  if (state.deleted) return 'deleted';
  if (state.goneAt !== null) return 'gone';
  return gaps.length === 0 ? 'complete' : 'incomplete';
}

function jobsOf({ jobs: { total, settled } }: SessionSummary): UserStatus['jobs'] {
  return { total, settled, unsettled: total - settled };
}

const NOTHING_MAY_CHANGE: MayChange = { jobs: 0, unread: 0, newest_seen_at: null, left: 0 };

function mayChangeIn({ jobs, goneAt, deleted }: SessionSummary, isReadNoMore: boolean): MayChange {
  const unsettled = jobs.total - jobs.settled;
  if (deleted || goneAt !== null) return { ...NOTHING_MAY_CHANGE, left: unsettled };
  if (isReadNoMore) return { ...NOTHING_MAY_CHANGE, jobs: unsettled, unread: unsettled };
  return { ...NOTHING_MAY_CHANGE, jobs: unsettled, newest_seen_at: jobs.unsettledSeenAt };
}

function mayChangeTogether(one: MayChange, other: MayChange): MayChange {
  const seen = [one.newest_seen_at, other.newest_seen_at].filter((at) => at !== null);
  return {
    jobs: one.jobs + other.jobs,
    unread: one.unread + other.unread,
    newest_seen_at: seen.toSorted().at(-1) ?? null,
    left: one.left + other.left,
  };
}

function lastListingOf(
  user: UserId,
  listings: UserListings,
  { identity }: Archive,
): LastListing | null {
  const listing = listings.get(user);
  if (!listing) return null;
  const { listed_at: at, listed, total_items: total, suppressed = 0, ...entry } = listing.entry;
  const { complete, error, erased = 0 } = entry;
  return {
    at: knownAt(at, identity.pseudonymised),
    listed,
    total_items: total === null ? null : total + suppressed,
    suppressed,
    complete,
    error,
    erased_since: listings.erasedSince(user) ?? 0,
    erased,
  };
}
