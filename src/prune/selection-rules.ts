/** What the log and the rules alone say of a user's sessions. Pure. */
import { dayOf } from '../model/times/timestamp.js';
import { isAcceptedGap, LIMITS } from '../model/records.js';
import { isLive, type ArchivedSession } from '../archive/state/archived-session.js';
import { counted } from '../base/text/counted.js';
import type { PruneRules } from './prune-rules.js';
import { refusal, type PruneRefusal } from './refusal.js';
import {
  activityText,
  ageOf,
  byAge,
  hasChangedSince,
  isNewer,
  UNCONFIRMED_CLOCK,
  whyUnfinished,
} from '../archive/state/session-age.js';

/** How long an empty history must have been archived: an empty answer in place of a history looks the same. */
const EMPTY_UNSETTLED_MS = 24 * 3_600_000;

export interface SelectedSessions {
  /** What the rules select, the oldest first. */
  readonly chosen: readonly SelectedSession[];
  /** What they do not. */
  readonly kept: readonly Kept[];
  /** Sessions that the service should still have. */
  readonly live: number;
}

export interface SelectedSession {
  readonly archived: ArchivedSession;
  /** Why it may not go all the same; undefined where only the last checks are left. */
  readonly refusal: PruneRefusal | undefined;
}

export interface Kept {
  readonly archived: ArchivedSession;
  readonly why: string;
}

/** Whether the service lists a session now. */
export type IsListed = (archived: ArchivedSession) => boolean;

/** @param isListed those that are not do not count as newer ones that stay; default: all are, as far as the archive knows */
export function selectSessions(
  sessions: readonly ArchivedSession[],
  rules: PruneRules,
  nowMs: number,
  isListed: IsListed = () => true,
): SelectedSessions {
  const live = sessions.filter(({ state }) => isLive(state)).sort(byAge);
  const chosen: SelectedSession[] = [];
  const kept: Kept[] = [];
  for (const archived of live) {
    if (rules.users.length > 0 && !rules.users.includes(archived.user)) continue;
    if (rules.sessions.length > 0 && !rules.sessions.includes(archived.session)) continue;
    const why =
      whyTooRecent(archived, rules, nowMs) ??
      whyAmongNewest(archived, live.filter(isListed), { keep: rules.keep ?? 0 });
    if (why === undefined) chosen.push({ archived, refusal: whatForbids(archived, rules, nowMs) });
    else kept.push({ archived, why });
  }
  return { chosen, kept, live: live.length };
}

/** How many of a user's sessions must go so that `freeSlots` are free; undefined where that is no rule. */
export function slotsToFree({ freeSlots }: PruneRules, listed: number): number | undefined {
  if (freeSlots === undefined) return undefined;
  return Math.max(0, freeSlots - (LIMITS.sessionsPerUser - listed));
}

function whyTooRecent(
  archived: ArchivedSession,
  { olderThanMs }: PruneRules,
  nowMs: number,
): string | undefined {
  if (olderThanMs === undefined) return undefined;
  const momentMs = nowMs - olderThanMs;
  const activity = activityText(archived.activity);
  if (ageOf(archived, momentMs).is !== 'older') return `${activity}, which is too recent`;
  if (!hasChangedSince(archived, momentMs)) return undefined;
  return `${activity}, and a change of its history was seen on ${dayOf(archived.changeSeenMs ?? 0)}, which is too recent`;
}

/**
 * Kept unless so many others are certainly newer: where that cannot be told, all of them stay.
 *
 * @param sessions among whom it is to be one of the newest
 * @param which.kind words behind "newest"; default: all of the user's count
 */
export function whyAmongNewest(
  archived: ArchivedSession,
  sessions: readonly ArchivedSession[],
  { keep, kind = '' }: { readonly keep: number; readonly kind?: string },
): string | undefined {
  const others = sessions.filter((other) => other !== archived);
  if (others.filter((other) => isNewer(other, archived)).length >= keep) return undefined;
  const perhapsNewer = others.filter((other) => !isNewer(archived, other)).length;
  return perhapsNewer < keep
    ? `among the user's ${keep} newest${kind}`
    : `perhaps among the user's ${keep} newest${kind}: which of them are newer cannot be told, so all of them stay`;
}

function whatForbids(archived: ArchivedSession, rules: PruneRules, nowMs: number) {
  const { user, session, state } = archived;
  const held = rules.holds.reasonFor(user, session);
  // before what time may change: somebody who looks whether the hold binds must see it of every session
  if (held !== undefined) return refusal('hold', held);
  const jobs = [...state.jobs.values()];
  const unfinished = whyUnfinished(state);
  if (unfinished?.reason === 'incomplete') return unfinished;
  if (state.withdrawn.size > 0) {
    const what = counted(state.withdrawn.size, 'job');
    const why = `${what} of it turned out to be of another session: what it was answered with proves nothing`;
    return refusal('doubtful', why);
  }
  const emptyUntilMs = Math.max(archived.changed.atMs, archived.activity.atMs) + EMPTY_UNSETTLED_MS;
  if (jobs.length === 0 && nowMs < emptyUntilMs) {
    const until = new Date(emptyUntilMs).toISOString();
    const why = `its history was read as empty, and one answer may be wrong: it may go if it is still empty after ${until}`;
    return refusal('unsettled', why);
  }
  if (unfinished) return unfinished;
  if (!archived.isClockConfirmed && !rules.trustThisClock) {
    return refusal('clock', UNCONFIRMED_CLOCK);
  }
  const open = state.gaps.filter((gap) => !isAcceptedGap(gap, rules.acceptUnfetched));
  const ofJobs = jobs.reduce((sum, { gaps }) => sum + gaps, 0);
  const known = state.gaps.filter(({ job }) => job !== null).length;
  const count = Math.max(open.length, ofJobs > known ? 1 : 0);
  if (count > 0) {
    const [gap] = open;
    const first = gap ? `: ${gap.status}, ${gap.reason}` : '';
    return refusal('gap', `${counted(count, 'gap')} in the archive${first}`);
  }
  const suspicious = jobs.reduce((sum, job) => sum + job.suspicious, 0);
  if (suspicious > 0 && !rules.acceptSuspicious) {
    const what = `${counted(suspicious, 'stored file')} may not be what the service meant`;
    return refusal('suspicious', `${what}: look at artifacts.suspicious, or --accept-suspicious`);
  }
  return undefined;
}
