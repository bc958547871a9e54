/** The requests or the time that a run has, and the maximum staleness that it keeps. */
import type { RequestBudget } from '../../service/pace/request-budget.js';

export interface RunBudget {
  /** Counts what is spent and left; every request of the run passes through it. */
  readonly requests: RequestBudget;
  /** The longest time for which a session may go without a check. */
  readonly maxStalenessMs: number;
}

export const DEFAULT_MAX_STALENESS_MS = 7 * 86_400_000;

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

export function emptyBudgetSummary({ requests, maxStalenessMs }: RunBudget): BudgetSummary {
  const { maxRequests, maxDurationMs } = requests.options;
  return {
    max_requests: maxRequests ?? null,
    max_duration_ms: maxDurationMs ?? null,
    max_staleness_ms: maxStalenessMs,
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
