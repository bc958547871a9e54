/** Finds the session that was checked least recently, and computes the cost of checking all sessions. */
import type { UserId } from '../../model/ids.js';
import { isLive, type SessionState, type UserState } from './user-state.js';
import type { SessionCheck, UserChecks } from './user-checks.js';

export interface CheckStatus {
  /** Of the sessions that the service still has; null if no check is recorded. */
  readonly least_recent: {
    readonly user: UserId;
    readonly session: string;
    /** ISO 8601; null if it was listed and not checked yet. */
    readonly last_checked_at: string | null;
    /** ISO 8601: when it was first listed. */
    readonly listed_at: string;
  } | null;
  /** Sessions without a recorded check: they are checked first. */
  readonly not_checked: number;
  /** Cost of a run over everything when nothing is new: pages of sessions and one page of each history. */
  readonly full_check: { readonly requests: number; readonly duration_ms: number };
}

export interface CheckPace {
  /** Requests a second. */
  readonly rate: number;
  /** Sessions a page. */
  readonly pageSize: number;
}

/** The checks of one user's sessions that the service still has. Times are in milliseconds since 1970 UTC. */
export interface CheckSummary {
  readonly sessions: number;
  /** Those without a recorded check. */
  readonly unchecked: number;
  /** The one that was checked, or else listed, least recently. */
  readonly oldest: {
    readonly session: string;
    readonly checkedAtMs: number | null;
    readonly listedAtMs: number;
  } | null;
}

export function checkSummary(
  sessions: ReadonlyMap<string, Pick<SessionState, 'deleted' | 'goneAt'>>,
  checks: UserChecks | undefined,
): CheckSummary {
  const live = [...sessions].filter(([, state]) => isLive(state)).map(([id]) => id);
  // sessions that were listed and never checked are in no state yet
  const ids = new Set([...live, ...(checks?.sessions.keys() ?? [])]);
  let unchecked = 0;
  let oldest: CheckSummary['oldest'] = null;
  for (const session of ids) {
    const check = checks?.sessions.get(session);
    if (!check) {
      unchecked++;
      continue;
    }
    const { checkedAtMs, listedAtMs } = check;
    if (oldest && sinceMs(oldest) <= sinceMs(check)) continue;
    oldest = { session, checkedAtMs, listedAtMs };
  }
  return { sessions: ids.size, unchecked, oldest };
}

export class CheckSurvey {
  #oldest: (NonNullable<CheckSummary['oldest']> & Pick<UserState, 'user'>) | undefined;
  #notChecked = 0;
  #requests = 0;
  readonly #pace: CheckPace;

  constructor(pace: CheckPace) {
    this.#pace = pace;
  }

  add(user: UserId, { sessions, unchecked, oldest }: CheckSummary): void {
    this.#notChecked += unchecked;
    this.#requests += Math.max(1, Math.ceil(sessions / this.#pace.pageSize)) + sessions;
    if (!oldest || (this.#oldest && sinceMs(this.#oldest) <= sinceMs(oldest))) return;
    this.#oldest = { user, ...oldest };
  }

  status(): CheckStatus {
    const requests = this.#requests;
    const durationMs = Math.round((requests * 1000) / this.#pace.rate);
    return {
      least_recent: this.#leastRecent(),
      not_checked: this.#notChecked,
      full_check: { requests, duration_ms: durationMs },
    };
  }

  #leastRecent(): CheckStatus['least_recent'] {
    if (!this.#oldest) return null;
    const { user, session, checkedAtMs, listedAtMs } = this.#oldest;
    return {
      user,
      session,
      listed_at: new Date(listedAtMs).toISOString(),
      last_checked_at: checkedAtMs === null ? null : new Date(checkedAtMs).toISOString(),
    };
  }
}

function sinceMs({
  checkedAtMs,
  listedAtMs,
}: Pick<SessionCheck, 'checkedAtMs' | 'listedAtMs'>): number {
  return checkedAtMs ?? listedAtMs;
}
