/** Records when each session was last checked, and keeps a run within its budget if it has one. */
import type { LogIndex } from '../../archive/log/log-index.js';
import { ChecksWriter, mergeChecks, SavedChecks } from '../../archive/state/saved-checks.js';
import { checksLine, noChecks, type UserChecks } from '../../archive/state/user-checks.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { Runtime } from '../../base/runtime.js';
import { Mutex } from '../../base/concurrently.js';
import { ulid } from '../../base/digest.js';
import { messageOf } from '../../base/error.js';
import type { UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import type { ExportOptions } from '../export-options.js';
import { isNarrowed } from '../export-run.js';
import type { RequestBudget } from '../../service/pace/request-budget.js';
import {
  addWait,
  emptyBudgetSummary,
  type BudgetSummary,
  type RunBudget,
} from '../export-summary.js';
import { RevisitPlanner } from './revisit-planner.js';
import { UserVisit, type VisitPlan } from './user-visit.js';

export interface RevisitSchedulerOptions extends Pick<Runtime, 'clock' | 'random' | 'logger'> {
  readonly storage: Storage;
  /** Undefined for an archive that does not exist yet: then nothing is recorded. */
  readonly index: LogIndex | undefined;
  /** Undefined: every session is checked. */
  readonly budget: RunBudget | undefined;
  /** Sessions per page of a listing. */
  readonly pageSize: number;
  /** The run exports only some sessions, and does not choose among them. */
  readonly isNarrowed: boolean;
}

export function revisitSchedulerOf(options: ExportOptions): RevisitScheduler {
  const { archive, settings, budget, pageSize } = options;
  const { clock, random, logger } = archive;
  return new RevisitScheduler({
    storage: archive.storage,
    index: archive.index,
    budget,
    pageSize,
    clock,
    random,
    logger,
    isNarrowed: isNarrowed(settings) || settings.retryGaps,
  });
}

/** How often a run saves times of checks, and reads what others have saved. If it is killed, it loses so much. */
const PACE_MS = 60_000;

export class RevisitScheduler {
  readonly #spending: RequestBudget | undefined;
  readonly #startedAtMs: number;
  /** Visits, each with the newest commit that was known when it began. */
  readonly #visits = new Map<UserId, { readonly visit: UserVisit; readonly through: number }>();
  readonly #summary: BudgetSummary | undefined;
  #planner: RevisitPlanner | undefined;
  /** Undefined for an archive that does not exist yet. */
  readonly #saved: SavedChecks | undefined;
  readonly #writer: ChecksWriter | undefined;
  readonly #mutex = new Mutex();
  #readAtMs = -Infinity;
  #savedAtMs: number;
  #wasExhausted = false;
  /** The newest commit that was known when the users began to wait. */
  #waitingThrough = 0;
  /** For remaining users: when they were last listed, or first requested. */
  readonly #waiting = new Map<UserId, { readonly sinceMs: number; readonly isKnown: boolean }>();

  constructor(readonly options: RevisitSchedulerOptions) {
    const { storage, index, budget, clock } = options;
    this.#startedAtMs = clock.now();
    this.#savedAtMs = clock.monotonic();
    const now = (): number => clock.now();
    this.#saved = index && new SavedChecks(storage, index, { assertsHeads: true, now });
    this.#writer = index && new ChecksWriter(storage, index, () => this.#newId());
    this.#spending = budget?.requests;
    this.#summary = budget && emptyBudgetSummary(budget);
  }

  /** Reads the known sessions of the users of a run with a budget. */
  async prepare(users: Iterable<UserId>): Promise<void> {
    const { budget, pageSize, isNarrowed } = this.options;
    if (!budget || !this.#spending) return;
    const planner = new RevisitPlanner({
      nowMs: this.#startedAtMs,
      maxStalenessMs: budget.maxStalenessMs,
      pageSize,
      requests: this.#spending.remaining(),
    });
    this.#waitingThrough = this.#through;
    await this.#read();
    for (const user of users) {
      const checks = this.#saved?.get(user);
      if (checks && !isNarrowed) planner.add(checks);
      const sinceMs = checks?.listingsMs.at(-1) ?? checks?.sinceMs ?? this.#startedAtMs;
      this.#waiting.set(user, { sinceMs, isKnown: checks !== undefined });
    }
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
    const { clock } = this.options;
    await this.#read();
    const through = this.#through;
    const known = this.#saved?.get(user) ?? noChecks(user, clock.now());
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
    const timeUp = new AbortController();
    const leftMs = this.#spending?.remainingMs() ?? Infinity;
    if (leftMs < Infinity) {
      this.options.clock.sleep(leftMs, stop).then(
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
    this.#add(checks, through);
    const writer = this.#writer;
    if (writer?.isFull || this.options.clock.monotonic() - this.#savedAtMs >= PACE_MS) {
      await this.#save();
    }
  }

  /** Ends the run: counts the remaining users, and records since when they wait. */
  async end(): Promise<BudgetSummary | undefined> {
    const summary = this.#leftOver();
    await this.#save(true);
    return summary;
  }

  #leftOver(): BudgetSummary | undefined {
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
    for (const [user, { sinceMs, isKnown }] of this.#waiting) {
      if (!isKnown) this.#add(noChecks(user, sinceMs), this.#waitingThrough);
    }
    return summary;
  }

  get #through(): number {
    return this.options.index?.through ?? 0;
  }

  #tryTake(): boolean {
    if (this.isExhausted) return false;
    this.#spending?.begin();
    return true;
  }

  #choiceFor(user: UserId): VisitPlan['choice'] {
    const planner = this.#planner;
    const spending = this.#spending;
    if (!planner || !spending) return undefined;
    const left = { requests: spending.remaining(), spent: spending.spent };
    return planner.begin(user, left);
  }

  #newId(): string {
    return ulid(this.options.clock, this.options.random);
  }

  /** What this run and others have saved; some of it may be of the last minute. */
  async #read(): Promise<void> {
    const { clock } = this.options;
    await this.#mutex.run(async () => {
      if (clock.monotonic() - this.#readAtMs < PACE_MS) return;
      this.#readAtMs = clock.monotonic();
      await this.#saved?.refresh();
    });
  }

  #add(checks: UserChecks, through: number): void {
    const line = checksLine(checks, this.options.clock.now());
    this.#saved?.learn(line);
    this.#writer?.add(line, through);
  }

  async #save(isLast = false): Promise<void> {
    const { storage, index, clock, logger } = this.options;
    const writer = this.#writer;
    if (!index || !writer) return;
    this.#savedAtMs = clock.monotonic();
    try {
      await writer.save();
      if (isLast && writer.hasSaved) {
        const newId = (): string => this.#newId();
        await mergeChecks(storage, index, newId, () => clock.now());
      }
    } catch (error) {
      logger.warn(
        { reason: messageOf(error) },
        'cannot save when sessions were checked; they count as not checked',
      );
    }
  }
}
