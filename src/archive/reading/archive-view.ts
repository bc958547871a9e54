/**
 * What an archive has at one commit, as far as a scope goes. Reports, packs, workbooks and lists are made from this, so
 * that all have one idea of who and what is in scope, which gaps there are, and when nothing is missing for certain.
 */
import { readAhead } from '../../base/concurrently.js';
import { countedGaps, lostFilesIn, sumOfGaps, type GapCounts } from '../../model/gap-counts.js';
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { bindingHolds, holdsByName } from '../holds/held-sessions.js';
import type { BindingHold } from '../holds/holds.js';
import type { CopyLack } from '../identity.js';
import type { CommitRef } from '../log/commit-log.js';
import type { GapEntry } from '../log/commit.js';
import type { HoldRecord } from '../log/notes.js';
import { mayChange } from '../state/archived-session.js';
import { summaryOf, type SessionSummary } from '../state/session-summary.js';
import type { SessionState, UserState } from '../state/user-state.js';
import { mayHaveMoreOf } from './users/listed-again.js';
import { doubtsIn, type ScopeDoubts, sessionGaps } from './doubts.js';
import { type ChosenJobs, type JobsOfPeriod, jobsOfPeriod } from './chosen-jobs.js';
import { Decisions, withheldText, type Decided } from './requests/decisions.js';
import { jobBoundsOf } from './job-bounds.js';
import { knowsDaysAlone } from './known-days.js';
import { LostFiles } from './lost-files.js';
import { EVERYBODY, type Scope } from './scope.js';
import { Selection } from './selection.js';
import { isIdInDoubt, readNoMore } from './users/read-no-more.js';
import { UserListings, type ListingGap, type UserErasure } from './users/user-listings.js';

/** A session in scope. */
export interface ViewedSession<State = SessionState> {
  readonly session: SessionId;
  readonly state: State;
  /** The gaps of the session as a whole and of its jobs in scope, and the places of their lost files. */
  readonly gaps: readonly GapEntry[];
  readonly gapCounts: GapCounts;
  /** 0 where nobody has looked for any. */
  readonly lostFiles: number;
  /** Absent where decisions leave no job out of the state. */
  readonly withheld?: WithheldJobs | undefined;
}

/** How many jobs of a session there are. */
export interface WithheldJobs {
  /** In scope, and not withheld. */
  readonly shown: number;
  /** In scope, and withheld. */
  readonly withheld: number;
  /** All that the archive has. */
  readonly archived: number;
  /** Who has withheld how many of them, and why: a sentence for each decision. */
  readonly by: readonly string[];
}

/** A user in scope. */
export interface ViewedUser<State = SessionState> {
  readonly user: UserId;
  readonly sessions: readonly ViewedSession<State>[];
  /** Whether there is a full listing; true where the scope has only some sessions or jobs. */
  readonly isListed: boolean;
  /** What the newest full listing shows to be missing; undefined where the scope has only some sessions or jobs. */
  readonly listingGap: ListingGap | undefined;
  /** The gaps and doubts of the sessions, and of the listing, are counted together. */
  readonly gapCounts: GapCounts;
  /** How many files of all sessions are lost, each once; 0 where nobody has looked for any. */
  readonly lostFiles: number;
  /** Whether any gap, doubt or lost file, accepted or not, is among these counts. */
  readonly hasOwnGaps: boolean;
  /** Whether the user has any, also in sessions that are in scope under another spelling alone. */
  readonly hasGaps: boolean;
  /**
   * Whether nothing in scope is missing for certain, as far as the known gaps allow: all sessions were listed and
   * archived. Named sessions need no listing; a search needs that nothing was in doubt where it looked.
   */
  readonly isProven: boolean;
  /** Why it is not, where that is told of the user; undefined in a copy, which does not know. */
  readonly whyUnproven?: string | undefined;
  /** Whether a doubt about the user can be ended, and nobody has decided on it: then a command ends with exit code 3. */
  readonly isUndecided: boolean;
  /** Whether the service lists nothing of the user, and nothing is archived. */
  readonly hasNothing: boolean;
  /** Whether the user has nothing, and the id may be wrong: see `isIdInDoubt`. */
  readonly isNeverSeen: boolean;
  /** Whether exports skip the user, as another spelling of one who was erased: what is archived stays. */
  readonly isSkipped: boolean;
  /** Whether no export reads the user any more, as far as the log tells: exports skip the user, or the list of users has the user no more. */
  readonly isReadNoMore: boolean;
  /** Whether the archive has another spelling of the user's id out of scope, with sessions that are, or may be, of the same person. */
  readonly hasMoreElsewhere: boolean;
  /** What was erased of all of the user's sessions, perhaps; undefined where the scope names sessions. */
  readonly erasure: UserErasure | undefined;
  /** What a copy for a request lacks of any of its users: it does not tell whose it is. Absent of nothing. */
  readonly lacks?: readonly CopyLack[] | undefined;
  /** What is withheld or redacted of what was in scope; absent of nothing. */
  readonly decided?: readonly Decided[] | undefined;
}

export interface ViewOptions {
  /** What a search has found in the scope: only these jobs. Default: all, or those of the scope's period. */
  readonly chosen?: ChosenJobs | undefined;
  /** Whether words have chosen them: then a gap may hide more of what was looked for, which is told besides the gap. Default: a period alone. */
  readonly hasWords?: boolean | undefined;
  /** What is withheld from what is made, or redacted in it. Default: nothing. */
  readonly decisions?: Decisions | undefined;
  /** Whether the caller tells what listings say. Default: unless the scope names sessions, which need no listing. */
  readonly tellsListings?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Users whose states are read at a time: over a network, waiting for one after the other takes the longest. */
const READ_AHEAD = 8;

export class ArchiveView {
  #readNoMore: ((user: UserId) => boolean) | undefined;

  private constructor(
    readonly archive: Archive,
    /** The newest commit that it knows of; null of an empty log. */
    readonly head: CommitRef | null,
    readonly selection: Selection,
    readonly listings: UserListings,
    /** What was in doubt where a search looked; undefined without a search. */
    readonly doubts: ScopeDoubts | undefined,
    /** All of the archive, also released ones. */
    readonly holds: readonly HoldRecord[],
    readonly signal: AbortSignal | undefined,
    /** The jobs of the scope's period, where no search has chosen. */
    readonly ofPeriod?: JobsOfPeriod,
    readonly lost = LostFiles.NONE,
  ) {}

  /**
   * What is appended from here on is not in the view.
   *
   * @param scope default: everybody
   * @throws {UsageError} a user or a session is not in the archive, or they have nothing in common
   * @throws {IntegrityError} the log is damaged
   */
  static async of(
    archive: Archive,
    scope: Scope = EVERYBODY,
    { chosen, hasWords, decisions = Decisions.NONE, tellsListings, signal }: ViewOptions = {},
  ): Promise<ArchiveView> {
    const { index } = archive;
    await index.refresh();
    const { head, holds } = index;
    const options = { hasListed: tellsListings ?? true, signal };
    const searched = await Selection.of(archive, scope, options);
    const needsListings = tellsListings ?? !searched.isNarrowed;
    const listings = needsListings ? await UserListings.of(archive) : UserListings.NONE;
    const whole = new ArchiveView(archive, head, searched, listings, undefined, holds, signal);
    const { period, undated } = scope;
    const ofPeriod =
      period && !chosen
        ? await jobsOfPeriod(whole.users(), period, undated, {
            boundsOf: await jobBoundsOf(archive, signal),
            isOfDays: knowsDaysAlone(archive.identity.pseudonymised),
          })
        : undefined;
    const only = chosen ?? ofPeriod?.jobs;
    const decided = searched.withDecisions(decisions);
    if (!only) {
      return new ArchiveView(archive, head, decided, listings, undefined, holds, signal);
    }
    const selection = decided.narrowedTo(only);
    const told = hasWords === true ? undefined : selection;
    const doubts =
      tellsListings === false
        ? undefined
        : await doubtsIn(archive, searched, listings, { told, signal });
    return new ArchiveView(archive, head, selection, listings, doubts, holds, signal, ofPeriod);
  }

  /** The same, with files in scope that are lost. */
  withLost(lost: LostFiles): ArchiveView {
    const { archive, head, selection, listings, doubts, holds, signal, ofPeriod } = this;
    return new ArchiveView(
      archive,
      head,
      selection,
      listings,
      doubts,
      holds,
      signal,
      ofPeriod,
      lost,
    );
  }

  /** The holds, each with whom it binds; where everybody is in the view, whom they name are enough. @throws {IntegrityError} */
  async bindingHolds(): Promise<readonly BindingHold[]> {
    const { scope, chosen } = this.selection;
    const isOfEverybody = scope.users.length + scope.sessions.length === 0 && !chosen;
    return isOfEverybody ? holdsByName(this.holds) : bindingHolds(this.archive, this.holds);
  }

  /** In the order in which they came into the log. @throws {IntegrityError} */
  async *users(): AsyncGenerator<ViewedUser> {
    const { states } = this.archive;
    const through = this.head?.number ?? 0;
    const load = (user: UserId): Promise<UserState> => {
      this.signal?.throwIfAborted();
      return states.loadAsOf(user, through);
    };
    for await (const state of readAhead(this.selection.users, READ_AHEAD, load)) {
      this.signal?.throwIfAborted();
      yield this.viewOf(state);
    }
  }

  /** A user with the sessions and jobs that are not withheld. */
  viewOf({ user, sessions }: UserState): ViewedUser {
    const { selection } = this;
    const { decisions, chosen } = selection;
    if (decisions.isEmpty) return this.userOf({ user, sessions });
    const decided = [...sessions].flatMap(([session, { jobs }]) => {
      if (!selection.couldHaveSession(user, session)) return [];
      const inScope = [...jobs.keys()].filter((job) => chosen?.hasJob(user, session, job) ?? true);
      return decisions.decidedIn(session, inScope);
    });
    const shown = new Map(
      [...sessions].map(([session, state]) => [session, decisions.stateOf(session, state)]),
    );
    const viewed = this.userOf({ user, sessions: shown });
    const withSessions = viewed.sessions.map((one) => {
      const archived = [...(sessions.get(one.session)?.jobs.keys() ?? [])];
      if (archived.length === one.state.jobs.size) return one;
      const inScope = archived.filter((job) => chosen?.hasJob(user, one.session, job) ?? true);
      const withheld = inScope.filter((job) => decisions.withholds(one.session, job)).length;
      const by = decided.filter(({ session }) => session === one.session).flatMap(withheldText);
      const counts = { shown: inScope.length - withheld, withheld, archived: archived.length, by };
      return { ...one, withheld: counts };
    });
    return { ...viewed, sessions: withSessions, decided };
  }

  /**
   * Yields users without the jobs of their sessions: no state is read of users who have not changed since the newest
   * snapshot.
   *
   * @throws {IntegrityError}
   */
  async *summaries(): AsyncGenerator<ViewedUser<SessionSummary>> {
    const { index, states } = this.archive;
    const through = this.head?.number ?? 0;
    const load = async (user: UserId): Promise<ViewedUser<SessionSummary>> => {
      this.signal?.throwIfAborted();
      if (!this.selection.decisions.isEmpty) {
        const viewed = this.viewOf(await states.loadAsOf(user, through));
        const summed = viewed.sessions.map((session) => {
          return { ...session, state: summaryOf(session.state) };
        });
        return { ...viewed, sessions: summed };
      }
      const known = index.inSnapshot(user)?.sessions;
      const sessions = known
        ? mapValues(known, ({ summary }) => summary)
        : mapValues((await states.loadAsOf(user, through)).sessions, summaryOf);
      return this.userOf({ user, sessions });
    };
    yield* readAhead(this.selection.users, READ_AHEAD, load);
  }

  /**
   * Jobs in scope whose answers may still change, by session. Rows say what was known when they were written; later
   * runs settle jobs in the log alone.
   *
   * @throws {IntegrityError}
   */
  async unsettledJobs({
    user,
    sessions,
  }: ViewedUser<SessionSummary>): Promise<ReadonlyMap<SessionId, readonly JobId[]>> {
    if (sessions.every(({ state: { jobs } }) => jobs.settled === jobs.total)) return new Map();
    const { sessions: known } = await this.archive.states.loadAsOf(user, this.head?.number ?? 0);
    const unsettled = sessions.map(({ session }) => {
      const state = known.get(session);
      const jobs = [...(state?.jobs ?? [])];
      const chosenJobs = jobs.filter(
        ([job, ofJob]) =>
          state && mayChange(ofJob, state) && this.selection.hasJob(user, session, job),
      );
      return [session, chosenJobs.map(([job]) => job)] as const;
    });
    return new Map(unsettled.filter(([, jobs]) => jobs.length > 0));
  }

  /** @param sessions of a user in scope, as of the view's commit, however the caller came by them */
  userOf<State extends Pick<SessionState, 'complete' | 'gaps' | 'goneAt' | 'deleted'>>({
    user,
    sessions,
  }: {
    readonly user: UserId;
    readonly sessions: ReadonlyMap<SessionId, State>;
  }): ViewedUser<State> {
    const { selection, listings, doubts } = this;
    const { chosen, decisions, isNarrowed } = selection;
    const { acceptedGaps } = this.archive.index;
    const isPart = chosen !== undefined || !decisions.isEmpty;
    const isShown = (session: SessionId) => (job: string) => selection.hasJob(user, session, job);
    const inScope = [...sessions]
      .filter(([session]) => selection.hasSession(user, session))
      .map(([session, state]) => {
        const gaps = [
          ...sessionGaps(state, isPart ? isShown(session) : undefined),
          ...this.lost.gapsOf(user, session),
        ];
        const gapCounts = acceptedGaps.count(user, session, gaps);
        return { session, state, gaps, gapCounts, lostFiles: lostFilesIn(gaps) };
      });
    const listingGap = isNarrowed ? undefined : listings.gapOf(user, sessions.size);
    const hasOwnGaps = inScope.some(({ gaps }) => gaps.length > 0) || listingGap !== undefined;
    const hasGapsElsewhere = selection.listedAgain.some(
      (again) =>
        again.user === user && sessionGaps(sessions.get(again.session) ?? WHOLE).length > 0,
    );
    const erasure = isNarrowed && !chosen ? undefined : listings.erasureOf(user, sessions.size);
    const isListed = isNarrowed || listings.get(user) !== undefined;
    // whose gaps all count for another spelling lacks nothing here
    const isToldElsewhere = isListed && !hasOwnGaps && hasGapsElsewhere && !erasure;
    const { pseudonymised: copy } = this.archive.identity;
    const hasNothing = listings.isNeverSeen(user, sessions.size);
    const isReadNoMore = this.#isReadNoMore(user);
    const viewed = {
      user,
      sessions: inScope,
      isListed,
      listingGap,
      gapCounts: sumOfGaps([
        ...inScope.map(({ gapCounts }) => gapCounts),
        countedGaps(listingGap ? [listingGap] : [], () => false),
      ]),
      lostFiles: lostFilesIn(inScope.flatMap(({ gaps }) => gaps)),
      hasOwnGaps,
      hasGaps: hasOwnGaps || hasGapsElsewhere,
      isProven: doubts
        ? !doubts.hasUser(user)
        : !chosen && (isNarrowed || listings.isProven(user) || isToldElsewhere),
      hasNothing,
      isNeverSeen: hasNothing && isIdInDoubt(selection.scope, isReadNoMore),
      isSkipped: sessions.size > 0 && this.archive.index.suppressions.ofUser(user) !== undefined,
      isReadNoMore,
      hasMoreElsewhere: selection.otherSpellings.some((other) => mayHaveMoreOf(user, other)),
      erasure,
      lacks: copy?.part && copy.lacks,
      whyUnproven: copy ? undefined : listings.whyUnproven(user),
    };
    return { ...viewed, isUndecided: this.#isUndecided(viewed) };
  }

  #isReadNoMore(user: UserId): boolean {
    this.#readNoMore ??= readNoMore(this.archive.index, this.listings);
    return this.#readNoMore(user);
  }

  #isUndecided(viewed: Omit<ViewedUser<object>, 'isUndecided'>): boolean {
    // no run makes a copy whole
    if (this.archive.identity.pseudonymised) return false;
    if (this.doubts) return this.doubts.isUndecided(viewed.user);
    return isUnproven(viewed) || (viewed.erasure?.atMost ?? 0) > 0;
  }
}

const WHOLE = { complete: true, gaps: [] } as const;

/**
 * Whether a user is not proven complete for another reason than gaps, which are told as gaps, or than an erasure that
 * counts show.
 */
export function isUnproven({
  isProven,
  isListed,
  hasGaps,
  erasure,
}: Pick<ViewedUser<object>, 'isProven' | 'isListed' | 'hasGaps' | 'erasure'>): boolean {
  return !isProven && (!hasGaps || !isListed) && erasure?.isAll !== true;
}

function mapValues<Key, From, To>(
  map: ReadonlyMap<Key, From>,
  make: (value: From) => To,
): ReadonlyMap<Key, To> {
  return new Map([...map].map(([key, value]) => [key, make(value)]));
}
