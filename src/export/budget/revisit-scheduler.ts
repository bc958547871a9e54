/** Records when each session was last checked, and keeps a run within its budget if it has one. */
import type { LogIndex } from '../../archive/log/log-index.js';
import {
  loadChecks,
  noChecks,
  saveChecks,
  type UserChecks,
} from '../../archive/state/user-checks.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { Clock } from '../../base/runtime.js';
import { concurrently } from '../../base/concurrently.js';
import { messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import type { UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import type { ExportOptions } from '../export-options.js';
import { isNarrowed } from '../export-run.js';
import {
  addWait,
  emptyBudgetSummary,
  type BudgetSummary,
  BudgetUsage,
  type RunBudget,
} from './run-budget.js';
import { RevisitPlanner } from './revisit-planner.js';
import { UserVisit, type VisitPlan } from './user-visit.js';

export interface RevisitSchedulerOptions {
  readonly storage: Storage;
  /** Undefined for an archive that does not exist yet: then nothing is recorded. */
  readonly index: LogIndex | undefined;
  /** Undefined: every session is checked. */
  readonly budget: RunBudget | undefined;
  /** Requests of the run's client so far. */
  readonly requests: () => number;
  /** Sessions per page of a listing. */
  readonly pageSize: number;
  /** The run exports only some sessions, and does not choose among them. */
  readonly isNarrowed: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function revisitSchedulerOf(options: ExportOptions): RevisitScheduler {
  const { archive, service, settings, budget, pageSize, clock, logger } = options;
  return new RevisitScheduler({
    storage: archive.storage,
    index: archive.index,
    budget,
    pageSize,
    clock,
    logger,
    requests: () => service.stats.requests,
    isNarrowed: isNarrowed(settings) || settings.retryGaps,
  });
}

/** Cache files that are read or written at a time. */
const CONCURRENCY = 16;

export class RevisitScheduler {
  readonly #spending: BudgetUsage | undefined;
  readonly #startedAtMs: number;
  /** Visits, each with the newest commit that was known when it began. */
  readonly #visits = new Map<UserId, { readonly visit: UserVisit; readonly through: number }>();
  readonly #summary: BudgetSummary | undefined;
  #planner: RevisitPlanner | undefined;
  #wasExhausted = false;
  /** The newest commit that was known when the users began to wait. */
  #waitingThrough = 0;
  /** For remaining users: when they were last listed, or first requested. */
  readonly #waiting = new Map<UserId, { readonly sinceMs: number; readonly isKnown: boolean }>();

  constructor(readonly options: RevisitSchedulerOptions) {
    const { budget, clock, requests } = options;
    this.#startedAtMs = clock.now();
    this.#spending = budget && new BudgetUsage(budget, clock, requests);
    this.#summary = budget && emptyBudgetSummary(budget);
  }

  /** Reads the known sessions of the users of a run with a budget. */
  async prepare(users: Iterable<UserId>): Promise<void> {
    const { budget, storage, index, pageSize, isNarrowed } = this.options;
    if (!budget || !this.#spending) return;
    const planner = new RevisitPlanner({
      nowMs: this.#startedAtMs,
      maxStalenessMs: budget.maxStalenessMs,
      pageSize,
      requests: this.#spending.remaining(),
    });
    this.#waitingThrough = this.#through;
    await concurrently(users, CONCURRENCY, async (user) => {
      const checks = await loadChecks(storage, user, index);
      if (checks && !isNarrowed) planner.add(checks);
      const sinceMs = checks?.listingsMs.at(-1) ?? checks?.sinceMs ?? this.#startedAtMs;
      this.#waiting.set(user, { sinceMs, isKnown: checks !== undefined });
    });
    if (!isNarrowed) this.#planner = planner;
  }

  /** New users come first, then those who have waited longest. */
  sorted(users: readonly UserId[]): UserId[] {
    if (!this.#planner) return [...users];
    const rank = (user: UserId): number => {
      const waiting = this.#waiting.get(user);
      return waiting?.isKnown ? waiting.sinceMs : 0;
    };
    return users.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Once true, the run begins no further user or session. */
  get isExhausted(): boolean {
    this.#wasExhausted ||= this.#spending !== undefined && this.#spending.remaining() <= 0;
    return this.#wasExhausted;
  }

  /** Undefined if the user is left to a later run. */
  async begin(user: UserId): Promise<UserVisit | undefined> {
    if (!this.#tryTake()) return undefined;
    const { storage, index, clock } = this.options;
    const through = this.#through;
    const known = (await loadChecks(storage, user, index)) ?? noChecks(user, clock.now());
    const planner = this.#planner;
    const visit = new UserVisit(known, {
      clock,
      choice: this.#choiceFor(user),
      tryTake: () => this.#tryTake(),
      onTakenIn: (checks, listed) => planner?.listed(user, { checks, listed }),
      onTurn: (isTaken) => planner?.checked(isTaken),
    });
    this.#visits.set(user, { visit, through });
    return visit;
  }

  /** The run needs no request for the user. */
  notDue(user: UserId): void {
    this.#waiting.delete(user);
  }

  /** Aborts when the time is up, to end all waits. The caller ends it with `stop`. */
  timeUp(stop: AbortSignal): AbortSignal {
    const { budget, clock } = this.options;
    const timeUp = new AbortController();
    if (this.#spending && budget?.maxDurationMs !== undefined) {
      clock.sleep(this.#spending.remainingMs(), stop).then(
        () => {
          timeUp.abort(new Error('the time of the run is over'));
        },
        () => undefined,
      );
    }
    return timeUp.signal;
  }

  /** The log has the result of the visit: records when each session was checked. */
  async committed(user: UserId, state: UserState | undefined): Promise<void> {
    const begun = this.#visits.get(user);
    if (!begun) return;
    const { visit, through } = begun;
    this.#visits.delete(user);
    this.#waiting.delete(user);
    this.#planner?.listed(user, { checks: 0, listed: 0 }); // the listing failed
    const checks = visit.checksAfter(state);
    if (this.#summary) {
      const nowMs = this.options.clock.now();
      this.#summary.checked += visit.checked;
      for (const id of visit.left) {
        const check = checks.sessions.get(id);
        const sinceMs = check?.checkedAtMs ?? check?.listedAtMs ?? nowMs;
        addWait(this.#summary, 'sessions', { sinceMs, nowMs });
      }
    }
    await this.#save(checks, through);
  }

  /** Ends the run: counts the remaining users, and records since when they wait. */
  async end(): Promise<BudgetSummary | undefined> {
    const summary = this.#summary;
    if (!summary || !this.#spending) return undefined;
    const nowMs = this.options.clock.now();
    for (const [user, { sinceMs }] of this.#waiting) {
      addWait(summary, 'users', { sinceMs, nowMs });
      for (const ageMs of this.#planner?.agesOf(user) ?? []) {
        addWait(summary, 'sessions', { sinceMs: this.#startedAtMs - ageMs, nowMs });
      }
    }
    summary.requests = this.#spending.spent;
    const unknownUsers = [...this.#waiting].filter(([, { isKnown }]) => !isKnown);
    await concurrently(unknownUsers, CONCURRENCY, ([user, { sinceMs }]) =>
      this.#save(noChecks(user, sinceMs), this.#waitingThrough),
    );
    return summary;
  }

  get #through(): number {
    return this.options.index?.through ?? 0;
  }

  #tryTake(): boolean {
    if (this.isExhausted) return false;
    this.#spending?.take();
    return true;
  }

  #choiceFor(user: UserId): VisitPlan['choice'] {
    const planner = this.#planner;
    const spending = this.#spending;
    if (!planner || !spending) return undefined;
    const left = { requests: spending.remaining(), spent: spending.spent };
    return planner.begin(user, left);
  }

  async #save(checks: UserChecks, through: number): Promise<void> {
    const { storage, index } = this.options;
    if (!index) return;
    try {
      await saveChecks(storage, checks, { index, through });
    } catch (error) {
      const { user } = checks;
      this.options.logger.warn(
        { user, reason: messageOf(error) },
        'cannot save when the sessions were checked; they count as not checked',
      );
    }
  }
}
