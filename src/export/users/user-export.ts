/** Brings one user in the archive up to date: lists the sessions, exports each, proves that none is missing. */
import type { Clock } from '../../base/runtime.js';
import type { GapEntry, UserEntry } from '../../archive/log/commit.js';
import { isAcceptedGap } from '../../model/records.js';
import { asSessionId, asUserId, type UserId } from '../../model/ids.js';
import { StaleAnswerError } from '../../service/service-errors.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import type { UserVisit } from '../laps/user-visit.js';
import { isNarrowed, type ExportRun } from '../export-run.js';
import { gapOf, type Gap } from '../jobs/gap.js';
import {
  listSessions,
  withoutSuppressed,
  type KeptListing,
  type SessionListing,
} from './session-listing.js';
import { checkedListing, UnseenArchive, type RetryPlan } from './checked-listing.js';
import { exportSession, type SessionOutcome } from './session-export.js';
import { isLive } from '../../archive/state/archived-session.js';
import { type UserState } from '../../archive/state/user-state.js';
import { NEVER_LISTED } from '../../archive/reading/users/user-listings.js';
import type { ErasedBefore } from '../../archive/reading/users/user-listings.js';
import { type KnownBefore, KnownGaps } from './known-gaps.js';
import type { UserOutcome } from './user-outcome.js';
import { gapsOfGone, markGone, marksGone } from './mark-gone.js';

export interface UserToExport extends KnownBefore {
  readonly userId: UserId;
  readonly state: UserState;
  /** Whether an erasure is under way; then the state may contain what is being erased. */
  readonly isErasing: boolean;
  readonly erased: ErasedBefore;
  /** Sessions of users who were erased since the newest export before this run, if this user was never listed, or of this one, who is suppressed no more; otherwise 0. */
  readonly erasedWithUsers: number;
  /** Undefined: every session is checked. */
  readonly retry: RetryPlan | undefined;
  /** Says which sessions are read next, and notes which are left. */
  readonly visit: UserVisit;
  /** Runs a session's export when a slot is free. */
  readonly admit: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * @returns undefined if the budget was spent before all sessions were listed: the user is left to a later run
 * @throws only what ends the run, an abort included
 */
export async function exportUser(
  run: ExportRun,
  user: UserToExport,
): Promise<UserOutcome | undefined> {
  const { userId } = user;
  run.unfinished.started(userId);
  run.observer.userStarted?.(userId);
  try {
    const outcome = await listAndExport(run, user);
    run.observer.userFinished?.(userId);
    return outcome;
  } catch (error) {
    if (error instanceof BudgetSpentError) return undefined;
    throw error;
  }
}

async function listAndExport(run: ExportRun, user: UserToExport): Promise<UserOutcome> {
  const { userId } = user;
  let listing: SessionListing;
  try {
    listing = await listSessions(run, userId);
    run.failures.succeeded();
    listing = await checkedListing(run, user.state, listing);
  } catch (error) {
    if (run.signal.aborted || error instanceof BudgetSpentError) throw error;
    if (run.failures.isFatal(error)) throw error;
    const failed = failedUser(run.archive.clock, userId, error);
    const gapMarker = new KnownGaps(user);
    const entry = { ...failed.entry, ...erasedIn(user, { back: 0, skipped: 0 }) };
    return { ...failed, entry, gaps: failed.gaps.map((gap) => gapMarker.marked(gap)) };
  }
  const listedAt = timeNow(run.archive.clock);
  run.unfinished.listed(userId, listing.sessions.length);
  run.observer.sessionsListed?.(userId, listing.sessions.length);
  run.owners.add(
    userId,
    listing.sessions.map(({ value }) => value.id),
  );
  tellOfBack(run, user, listing);
  const kept = await withoutSuppressed(run.archive, user.state, listing);
  const outcomes = await exportSessions(run, user, kept);
  // left to a later run: the log must not name again what is being erased (I-45 in FORMAT.md)
  const gone = user.isErasing ? 0 : await markGone(run, user, listing);
  const vanished = vanishedIn(run, user, listing, gone);
  const isNeverSeen =
    !isNarrowed(run.settings) &&
    !listing.gap &&
    listing.sessions.length === 0 &&
    user.state.sessions.size === 0;
  if (isNeverSeen && run.settings.expectedUsers?.has(userId) === true) {
    return unknownUser(run.archive.clock, user);
  }
  const listed = { ...kept, listedAt };
  return {
    ...outcomeOf(run, user, listed, outcomes),
    isNeverSeen,
    isNewlyNeverSeen: isNeverSeen && isNew(user),
    vanished,
    gone,
    skipped: kept.skipped,
  };
}

/**
 * Of users whose sessions jobvault has deleted, or was about to, nobody wants to hear.
 *
 * @param newlyGone as `markGone` counts them
 */
function vanishedIn(
  { settings }: ExportRun,
  { state, isErasing }: UserToExport,
  { sessions, gap }: SessionListing,
  newlyGone: number,
): UserOutcome['vanished'] {
  const isPart = isNarrowed(settings) || settings.retryGaps;
  if (isPart || isErasing || gap || sessions.length > 0) return undefined;
  if (newlyGone > 0) return 'newly';
  const archived = [...state.sessions.values()];
  return archived.some(({ deleted, goneAt }) => !deleted && goneAt !== null) ? 'before' : undefined;
}

/** Who had them deleted believes that the service has them no more. The next run finds them as any others. */
function tellOfBack(
  { archive }: ExportRun,
  { userId, state }: UserToExport,
  { sessions }: SessionListing,
): void {
  const back = sessions.flatMap(({ value: { id } }) =>
    state.sessions.get(id)?.deleted === true ? [id] : [],
  );
  if (back.length === 0) return;
  archive.logger.warn(
    { user: userId, sessions: back.length, first: back[0] },
    'the service lists sessions again that were deleted from it; they are archived as before, and prune can delete them again (this is told once)',
  );
}

async function exportSessions(
  run: ExportRun,
  user: UserToExport,
  { sessions }: SessionListing,
): Promise<Map<string, SessionOutcome>> {
  const { userId, state, retry, visit, admit } = user;
  // for a run that ends before the user is finished
  const gapMarker = new KnownGaps(user);
  const outcomes = new Map<string, SessionOutcome>();
  const wanted = sessions.filter(
    ({ value }) => retry?.includes(state.sessions.get(value.id)) ?? true,
  );
  const work = visit.inTurn(wanted).map(async (session) => {
    const { id } = session.value;
    const known = state.sessions.get(id);
    const outcome = await admit(() =>
      visit.take(id, () =>
        exportSession(run, { userId, session, known, isWhole: visit.isWhole(id) }),
      ),
    );
    if (!outcome) return;
    outcomes.set(id, outcome);
    const gaps = outcome.gaps.map((gap) =>
      gapMarker.marked(sessionGap(userId, id, gap, run.settings)),
    );
    const finished = { kind: outcome.kind, gaps, unchanged: outcome.unchanged };
    run.unfinished.finishedSession(userId, id, finished);
    run.observer.sessionFinished?.(userId, id, finished);
  });
  // wait for all sessions before the first failure is rethrown
  await Promise.allSettled(work);
  await Promise.all(work);
  return outcomes;
}

function outcomeOf(
  { archive, settings }: ExportRun,
  user: UserToExport,
  listing: KeptListing & { readonly listedAt: string },
  outcomes: ReadonlyMap<string, SessionOutcome>,
): Omit<UserOutcome, 'isNeverSeen' | 'isNewlyNeverSeen'> {
  const { userId, state, visit } = user;
  const all = [...outcomes];
  const gaps = all.flatMap(([session, { gaps: found }]) =>
    found.map((gap) => sessionGap(userId, session, gap, settings)),
  );
  gaps.push(...listing.missing.map(({ sessionId, error }) => gapOf(userId, sessionId, error)));
  if (listing.gap) gaps.push(listingGap(userId, listing.gap));
  const met = new Set([...outcomes.keys(), ...gaps.map(({ session }) => session)]);
  if (!isNarrowed(settings)) gaps.push(...gapsNotMet(user, { met, listing, settings }));
  const count = (kind: SessionOutcome['kind']) =>
    all.filter(([, outcome]) => outcome.kind === kind).length;
  // a session that was left out and has nothing archived is missing
  const isRead =
    visit.brokenOff.size === 0 &&
    visit.postponed.every((id) => state.sessions.has(asSessionId(id)));
  const gapMarker = new KnownGaps(user);
  const marked = gaps.map((gap) => gapMarker.marked(gap));
  const news = all.filter(([, { kind }]) => kind === 'new').map(([session]) => session);
  const back = news.filter((id) => archive.index.suppressions.wasErased(id));
  const others = news.filter((id) => !back.includes(id));
  const skipped = listing.skipped.filter((id) => archive.index.suppressions.wasErased(id));
  const erased = erasedIn(user, {
    back: back.length + Math.min(others.length, user.erased.mayBeBack),
    skipped: skipped.length,
  });
  const isByDecision =
    isRead && marked.every(({ accepted }) => accepted) && marked.length + (erased.erased ?? 0) > 0;
  const entry: UserEntry = {
    user: userId,
    listed_at: listing.listedAt,
    listed: listing.sessions.length,
    total_items: listing.totalItems,
    complete: gaps.every((gap) => gap.accepted) && isRead,
    sessions: {
      new: count('new'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      failed: count('failed') + listing.missing.length,
    },
    jobs: { archived: all.reduce((sum, [, outcome]) => sum + outcome.archived, 0) },
    gaps: gaps.length,
    error: null,
    ...(isProofOfNothing(listing.gap) && errorOf(listingGap(userId, listing.gap))),
    ...erased,
    ...(listing.skipped.length > 0 && { suppressed: listing.skipped.length }),
    ...(isByDecision && { by_decision: true as const }),
    ...(visit.postponed.length > 0 && { left: visit.postponed.length }),
  };
  const errors: unknown[] = all.flatMap(([, { error }]) => (error === undefined ? [] : [error]));
  errors.push(...listing.missing.map(({ error }) => error));
  const unchangedJobs = all.reduce((sum, [, { unchanged }]) => sum + unchanged, 0);
  return {
    entry,
    gaps: marked,
    erasedBefore: back,
    maybeErasedBefore: {
      atMost: user.erased.mayBeBack + user.erasedWithUsers,
      sessions: others,
    },
    errors,
    unchangedJobs,
    postponed: visit.postponed,
  };
}

/** Gaps of sessions that the run did not read, as those that are gone: with an open one of them the user is not complete. */
function gapsNotMet(
  { userId, state }: UserToExport,
  {
    met,
    listing,
    settings,
  }: { readonly met: ReadonlySet<string | null>; readonly listing: SessionListing } & Pick<
    ExportRun,
    'settings'
  >,
): Gap[] {
  const others = [...state.sessions].filter(([id]) => !met.has(id));
  return others.flatMap(([id, session]) => {
    const isGone = listing.gone.includes(asSessionId(id));
    const isAbsent = isGone || !isLive(session);
    const known = isGone && marksGone(settings, listing) ? gapsOfGone(session) : session.gaps;
    return known.map((gap): Gap => {
      const found = sessionGap(userId, id, gap, settings);
      return { ...found, is_elsewhere: true, ...(isAbsent && { is_absent: true }) };
    });
  });
}

interface OfErased {
  /** How many of the erased are archived again, or may be. */
  readonly back: number;
  /** How many of the erased the service lists and the run skips: so many are certainly erased. */
  readonly skipped: number;
}

function erasedIn(
  { erased: { told, since } }: UserToExport,
  { back, skipped }: OfErased,
): Pick<UserEntry, 'erased'> {
  const all = Math.max(skipped, told + since - back);
  return all === 0 ? {} : { erased: all };
}

/** Whether what was listed is not the service's answer to this user, perhaps: unlike a listing that only lacks some. */
function isProofOfNothing(gap: Error | undefined): gap is StaleAnswerError | UnseenArchive {
  return gap instanceof StaleAnswerError || gap instanceof UnseenArchive;
}

function timeNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

function listingGap(userId: UserId, error: Error): Gap {
  const gap = gapOf(userId, null, error);
  return gap.status === 'doubtful' ? gap : { ...gap, status: 'incomplete' };
}

/** What the log keeps of a listing's gap: `failed` is told by its reason alone. */
function errorOf({ status, reason }: Gap): Pick<UserEntry, 'error' | 'gap'> {
  return { error: reason, ...(isGapOfListing(status) && { gap: status }) };
}

function isGapOfListing(status: string): status is NonNullable<UserEntry['gap']> {
  return status === 'refused' || status === 'doubtful' || status === 'incomplete';
}

/** The outcome of a user whose listing failed. */
export function failedUser(clock: Clock, userId: UserId, error: unknown): UserOutcome {
  return userWith(clock, gapOf(userId, null, error), error);
}

function userWith(clock: Clock, gap: Gap, error: unknown): UserOutcome {
  const entry: UserEntry = {
    user: asUserId(gap.user),
    listed_at: timeNow(clock),
    listed: 0,
    total_items: null,
    complete: false,
    sessions: { new: 0, changed: 0, unchanged: 0, failed: 0 },
    jobs: { archived: 0 },
    gaps: 1,
    ...errorOf(gap),
  };
  return {
    entry,
    gaps: [gap],
    errors: [error],
    unchangedJobs: 0,
    isNeverSeen: false,
  };
}

/** The outcome of a user who was named, and of whom the service has never listed a session: perhaps a wrong id. */
function unknownUser(clock: Clock, user: UserToExport): UserOutcome {
  const error = new Error(NEVER_LISTED);
  const failed = userWith(clock, listingGap(user.userId, error), error);
  const gapMarker = new KnownGaps(user);
  const gaps = failed.gaps.map((gap) => gapMarker.marked(gap));
  return { ...failed, gaps, errors: [], isNeverSeen: true, isNewlyNeverSeen: isNew(user) };
}

function isNew({ told }: KnownBefore): boolean {
  return told.listings.length === 0;
}

export function sessionGap(
  user: UserId,
  session: string,
  gap: GapEntry,
  { acceptUnfetched = new Set() }: Pick<ExportRun['settings'], 'acceptUnfetched'>,
): Gap {
  const found = { user, session, ...gap, status: gap.status as Gap['status'] };
  return isAcceptedGap(gap, acceptUnfetched) ? { ...found, accepted: true } : found;
}
