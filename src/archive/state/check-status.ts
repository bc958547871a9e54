/** Finds the session that was checked least recently, and computes the cost of checking all sessions. */
import type { UserId } from '../../model/ids.js';
import { isLive } from './archived-session.js';
import type { UserChecks } from './user-checks.js';
import type { UserState } from './user-state.js';

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

export class CheckSurvey {
  #leastRecent:
    { readonly sinceMs: number; readonly status: CheckStatus['least_recent'] } | undefined;
  #notChecked = 0;
  #requests = 0;
  readonly #pace: CheckPace;

  constructor(pace: CheckPace) {
    this.#pace = pace;
  }

  add(
    { user, sessions }: Pick<UserState, 'user' | 'sessions'>,
    checks: UserChecks | undefined,
  ): void {
    const live = [...sessions].filter(([, state]) => isLive(state));
    // sessions that were listed and never checked are in no state yet
    const ids = new Set([...live.map(([id]) => String(id)), ...(checks?.sessions.keys() ?? [])]);
    for (const session of ids) {
      const check = checks?.sessions.get(session);
      if (!check) {
        this.#notChecked++;
        continue;
      }
      const { checkedAtMs, listedAtMs } = check;
      const sinceMs = checkedAtMs ?? listedAtMs;
      if (this.#leastRecent && this.#leastRecent.sinceMs <= sinceMs) continue;
      const status = {
        user,
        session,
        listed_at: new Date(listedAtMs).toISOString(),
        last_checked_at: checkedAtMs === null ? null : new Date(checkedAtMs).toISOString(),
      };
      this.#leastRecent = { sinceMs, status };
    }
    this.#requests += Math.max(1, Math.ceil(ids.size / this.#pace.pageSize)) + ids.size;
  }

  status(): CheckStatus {
    const requests = this.#requests;
    const durationMs = Math.round((requests * 1000) / this.#pace.rate);
    return {
      least_recent: this.#leastRecent?.status ?? null,
      not_checked: this.#notChecked,
      full_check: { requests, duration_ms: durationMs },
    };
  }
}
