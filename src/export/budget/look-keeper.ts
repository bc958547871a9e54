/** Knows when each session was last looked at, and keeps a run within its budget if it has one. */
import pLimit from 'p-limit';
import { loadLooks, saveLooks, type UserLooks } from '../../archive/user-looks.js';
import type { UserState } from '../../archive/user-state.js';
import type { Clock } from '../../base/clock.js';
import { messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import type { UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { addWait, emptyBudgetSummary, type BudgetSummary } from './budget-summary.js';
import { Spending, type LookBudget } from './look-budget.js';
import { LookPlanner } from './look-planner.js';
import { UserVisit } from './user-visit.js';

export interface LookKeeperOptions {
  readonly storage: Storage;
  /** Undefined: every session is looked at. */
  readonly budget: LookBudget | undefined;
  /** Of the run's client, so far. */
  readonly requests: () => number;
  /** Sessions a page of a listing. */
  readonly pageSize: number;
  /** The run is asked for some sessions only: what it has no word of is not left out by the budget. */
  readonly isNarrowed: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Caches read at a time, and written. */
const CONCURRENCY = 16;

export class LookKeeper {
  readonly #spending: Spending | undefined;
  readonly #startedAtMs: number;
  readonly #visits = new Map<UserId, UserVisit>();
  readonly #summary: BudgetSummary | undefined;
  #planner: LookPlanner | undefined;
  #hasStopped = false;
  /** Of users who are still to come: when they were last listed, or first asked for. */
  readonly #waiting = new Map<UserId, { readonly sinceMs: number; readonly isKnown: boolean }>();

  constructor(readonly options: LookKeeperOptions) {
    const { budget, clock, requests } = options;
    this.#startedAtMs = clock.now();
    this.#spending = budget && new Spending(budget, clock, requests);
    this.#summary = budget && emptyBudgetSummary(budget);
  }

  /** Whether nothing more may be taken in. */
  get isExhausted(): boolean {
    this.#hasStopped ||= this.#spending?.isExhausted ?? false;
    return this.#hasStopped;
  }

  /** Reads what is known of the users: those whom no run has listed come first, then the longest waiting. */
  async inOrder(users: Iterable<UserId>): Promise<UserId[]> {
    const { budget, storage, pageSize } = this.options;
    const all = [...users];
    if (!budget || !this.#spending) return all;
    const planner = new LookPlanner({
      ...{ nowMs: this.#startedAtMs, maxStalenessMs: budget.maxStalenessMs, pageSize },
      requests: this.#spending.remaining(),
    });
    const limit = pLimit(CONCURRENCY);
    await limit.map(all, async (user) => {
      const looks = await loadLooks(storage, user);
      if (looks) planner.add(looks);
      const listedAtMs = looks?.listingsMs.at(-1);
      const sinceMs = listedAtMs ?? looks?.sinceMs ?? this.#startedAtMs;
      this.#waiting.set(user, { sinceMs, isKnown: looks !== undefined });
    });
    this.#planner = planner;
    const rank = (user: UserId): number => {
      const waiting = this.#waiting.get(user);
      return waiting?.isKnown ? waiting.sinceMs : -Infinity;
    };
    return all.sort((a, b) => compare(rank(a), rank(b)));
  }

  /** Undefined where the user is left to a later run. */
  async begin(user: UserId): Promise<UserVisit | undefined> {
    if (this.isExhausted) return undefined;
    const { storage, clock } = this.options;
    const known: UserLooks = (await loadLooks(storage, user)) ?? {
      ...{ user, sinceMs: clock.now(), listingsMs: [], sessions: new Map() },
    };
    const planner = this.#planner;
    const visit = new UserVisit(known, {
      ...{ clock, threshold: this.#thresholdFor(user) },
      dueAgeMs: planner?.dueAgeMs ?? Infinity,
      isExhausted: () => this.isExhausted,
      onTakenIn: (looks, listed) => planner?.takenIn(looks, listed),
      onDone: () => planner?.done(),
    });
    this.#visits.set(user, visit);
    return visit;
  }

  /** What the visit has seen is in the log now. */
  async committed(user: UserId, state: UserState | undefined): Promise<void> {
    const visit = this.#visits.get(user);
    if (!visit) return;
    this.#visits.delete(user);
    this.#waiting.delete(user);
    const looks = visit.looksAfter(state);
    if (this.#summary) {
      const nowMs = this.options.clock.now();
      this.#summary.looked += visit.looked;
      for (const id of visit.left) {
        const look = looks.sessions.get(id);
        const sinceMs = look?.lookedAtMs ?? look?.listedAtMs ?? nowMs;
        addWait(this.#summary, 'sessions', { sinceMs, nowMs });
      }
    }
    await this.#save(looks);
  }

  /** The run has come to its end: users who were left are counted, and their waiting is noted down. */
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
    summary.exhausted = this.#hasStopped;
    const strangers = [...this.#waiting].filter(([, { isKnown }]) => !isKnown);
    await pLimit(CONCURRENCY).map(strangers, ([user, { sinceMs }]) =>
      this.#save({ user, sinceMs, listingsMs: [], sessions: new Map() }),
    );
    return summary;
  }

  /** A run that is asked for some sessions only takes them as they come. */
  #thresholdFor(user: UserId): number {
    const spending = this.#spending;
    if (!this.#planner || !spending) return -Infinity;
    const left = { requests: spending.remaining(), spent: spending.spent };
    const threshold = this.#planner.begin(user, left);
    return this.options.isNarrowed ? -Infinity : threshold;
  }

  async #save(looks: UserLooks): Promise<void> {
    try {
      await saveLooks(this.options.storage, looks);
    } catch (error) {
      const { user } = looks;
      this.options.logger.warn(
        { user, reason: messageOf(error) },
        'cannot note when the sessions were looked at; they count as not looked at',
      );
    }
  }
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
