/** The requests or the time that a run has, and the maximum staleness that it keeps. */
import type { Clock } from '../../base/runtime.js';

/** At least one of the two limits is given. */
export interface RunBudget {
  /** Requests to the service, retries included. */
  readonly maxRequests?: number | undefined;
  readonly maxDurationMs?: number | undefined;
  /** The longest time for which a session may go without a check. */
  readonly maxStalenessMs: number;
  /** Requests per second that the run may make; converts time to requests. */
  readonly rate: number;
}

export const DEFAULT_MAX_STALENESS_MS = 7 * 86_400_000;

/** Requests after which the actual pace is used instead of the allowed one. */
const TELLING_REQUESTS = 200;

/** Counts what is spent and what is left. */
export class BudgetUsage {
  readonly #startedAt: number;
  #taken: number;

  /** @param requests counts all requests of the run's client so far */
  constructor(
    readonly budget: RunBudget,
    readonly clock: Clock,
    readonly requests: () => number,
  ) {
    this.#startedAt = clock.monotonic();
    this.#taken = requests(); // the preflight
  }

  /** Requests made, plus one for each user or session begun that has not sent its first yet. */
  get spent(): number {
    return Math.max(this.#taken, this.requests());
  }

  /** A user or a session begins, which takes at least one request. */
  take(): void {
    this.#taken++;
  }

  /** Requests that are left, by the nearer of the two limits. */
  remaining(): number {
    const { maxRequests = Infinity } = this.budget;
    const byTime = (this.remainingMs() / 1000) * this.#pace();
    return Math.max(0, Math.min(maxRequests - this.spent, byTime));
  }

  /** Infinity without a time limit. */
  remainingMs(): number {
    const { maxDurationMs = Infinity } = this.budget;
    return maxDurationMs - (this.clock.monotonic() - this.#startedAt);
  }

  /** The actual pace, which downloads and a slow service can make lower than the allowed one. */
  #pace(): number {
    const { rate } = this.budget;
    const elapsedMs = this.clock.monotonic() - this.#startedAt;
    if (this.spent < TELLING_REQUESTS || elapsedMs <= 0) return rate;
    return Math.min(rate, (this.spent * 1000) / elapsedMs);
  }
}

/** The budget's part of the summary: what was spent, and what is left for later runs. */

export interface BudgetSummary {
  readonly max_requests: number | null;
  readonly max_duration_ms: number | null;
  readonly max_staleness_ms: number;
  /** Requests that counted against the budget. */
  requests: number;
  /** Sessions that were checked. */
  checked: number;
  /** Left for later runs: users who were not listed, and listed sessions that were not checked. */
  readonly left: { users: number; sessions: number };
  /** Only with `--with-datasets`: datasets are left for later runs. */
  datasets_left?: boolean;
  /** Users and sessions that have not been checked for longer than `maxStaleness`. */
  readonly overdue: { users: number; sessions: number };
  /** When the one that waits longest was last checked, or first seen; null if none waits. */
  waiting_since: string | null;
}

export function emptyBudgetSummary(budget: RunBudget): BudgetSummary {
  return {
    max_requests: budget.maxRequests ?? null,
    max_duration_ms: budget.maxDurationMs ?? null,
    max_staleness_ms: budget.maxStalenessMs,
    requests: 0,
    checked: 0,
    left: { users: 0, sessions: 0 },
    overdue: { users: 0, sessions: 0 },
    waiting_since: null,
  };
}

/** Whether a user or session has waited for longer than `maxStaleness`. */
export function isStalenessExceeded(
  budget: Pick<BudgetSummary, 'overdue'> | null | undefined,
): boolean {
  return budget != null && budget.overdue.users + budget.overdue.sessions > 0;
}

/** Counts a user or session that has waited since then. */
export function addWait(
  summary: BudgetSummary,
  what: 'users' | 'sessions',
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): void {
  summary.left[what]++;
  if (nowMs - sinceMs > summary.max_staleness_ms) summary.overdue[what]++;
  const since = new Date(sinceMs).toISOString();
  if (summary.waiting_since === null || since < summary.waiting_since)
    summary.waiting_since = since;
}
