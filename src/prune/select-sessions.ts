/** What the log and the rules alone say of a user's sessions. Pure. */
import type { GapEntry } from '../archive/commit.js';
import { LIMITS } from '../model/records.js';
import { isLive, type ArchivedSession } from './archived-session.js';
import type { PruneRules } from './prune-rules.js';
import { counted, refusal, type Refusal } from './refusal.js';

export interface Selection {
  /** What the rules select, oldest change first. */
  readonly chosen: readonly Choice[];
  /** What they do not. */
  readonly kept: readonly Kept[];
  /** Sessions that the service should still have. */
  readonly live: number;
}

export interface Choice {
  readonly archived: ArchivedSession;
  /** Why it may not go all the same; undefined where only the last checks are left. */
  readonly refusal: Refusal | undefined;
}

interface Kept {
  readonly archived: ArchivedSession;
  readonly why: string;
}

export function selectSessions(
  sessions: readonly ArchivedSession[],
  rules: PruneRules,
  nowMs: number,
): Selection {
  const live = sessions.filter(({ state }) => isLive(state)).sort(byChange);
  const newest = new Set(live.slice(Math.max(0, live.length - (rules.keep ?? 0))));
  const chosen: Choice[] = [];
  const kept: Kept[] = [];
  for (const archived of live) {
    if (rules.sessions.length > 0 && !rules.sessions.includes(archived.session)) continue;
    const why = whyKept(archived, rules, { nowMs, isAmongNewest: newest.has(archived) });
    if (why === undefined) chosen.push({ archived, refusal: whatForbids(archived, rules) });
    else kept.push({ archived, why });
  }
  return { chosen, kept, live: live.length };
}

/** How many of a user's sessions must go so that `freeSlots` are free; undefined where that is no rule. */
export function slotsToFree({ freeSlots }: PruneRules, listed: number): number | undefined {
  if (freeSlots === undefined) return undefined;
  return Math.max(0, freeSlots - (LIMITS.sessionsPerUser - listed));
}

function whyKept(
  { changed }: ArchivedSession,
  { olderThanMs, keep }: PruneRules,
  { nowMs, isAmongNewest }: { readonly nowMs: number; readonly isAmongNewest: boolean },
): string | undefined {
  if (olderThanMs !== undefined && nowMs - changed.atMs < olderThanMs) {
    return `a change was seen on ${new Date(changed.atMs).toISOString().slice(0, 10)}, which is too recent`;
  }
  if (isAmongNewest) return `among the user's ${keep} most recently changed`;
  return undefined;
}

function whatForbids({ user, session, state }: ArchivedSession, rules: PruneRules) {
  const jobs = [...state.jobs.values()];
  if (!state.complete || state.jobs.size !== state.archived) {
    return refusal('incomplete', 'its history has not been read to the end');
  }
  const unsettled = jobs.filter(({ settled }) => !settled).length;
  if (unsettled > 0) {
    return refusal('unsettled', `${counted(unsettled, 'job')} may still change: not settled yet`);
  }
  const isAccepted = ({ status, kind }: GapEntry): boolean =>
    status === 'not_fetched' && rules.acceptUnfetched.has(kind ?? '');
  const open = state.gaps.filter((gap) => !isAccepted(gap));
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
  if (rules.holds.has(session)) return refusal('hold', 'the session is on hold');
  if (rules.holds.has(user)) return refusal('hold', 'its user is on hold');
  return undefined;
}

/** Oldest change first. */
function byChange(a: ArchivedSession, b: ArchivedSession): number {
  return a.changed.commit - b.changed.commit || (a.session < b.session ? -1 : 1);
}
