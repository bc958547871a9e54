/** One run's way through one user's sessions: who is looked at, in which order, and what is known afterwards. */
import type { SessionLook, UserLooks } from '../../archive/user-looks.js';
import type { UserState } from '../../archive/user-state.js';
import type { Clock } from '../../base/clock.js';
import { asSessionId } from '../../model/ids.js';
import { lastChangeMs } from './last-change.js';
import { factsOf, priorityOf } from './look-order.js';
import { KEPT_LISTINGS } from './usual-interval.js';

export interface VisitPlan {
  readonly clock: Clock;
  /** Sessions below this priority are left to a later run. */
  readonly threshold: number;
  readonly dueAgeMs: number;
  readonly isExhausted: () => boolean;
  /** Told how many looks were taken in, of how many sessions that were listed. */
  readonly onTakenIn: (looks: number, listed: number) => void;
  /** Told after each look that was taken in. */
  readonly onDone: () => void;
}

export class UserVisit {
  #listing: { readonly atMs: number; readonly ids: readonly string[] } | undefined;
  readonly #lookedAtMs = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #left = new Set<string>();

  constructor(
    readonly known: UserLooks,
    readonly plan: VisitPlan,
  ) {}

  /** Sessions that were looked at. */
  get looked(): number {
    return this.#lookedAtMs.size;
  }

  /** Sessions that were not, for want of budget. */
  get left(): ReadonlySet<string> {
    return this.#left;
  }

  /** Nothing that the user has can be missing here. */
  listed(ids: readonly string[]): void {
    this.#listing = { atMs: this.plan.clock.now(), ids };
  }

  /** Those of the sessions that are to be looked at, the most urgent first. */
  chosen<T>(sessions: readonly T[], idOf: (session: T) => string): T[] {
    const { clock, threshold, dueAgeMs, onTakenIn } = this.plan;
    const nowMs = clock.now();
    const chosen: { readonly session: T; readonly priority: number }[] = [];
    for (const session of sessions) {
      const id = idOf(session);
      const facts = factsOf(this.known.sessions.get(id), nowMs);
      const priority = priorityOf(facts, dueAgeMs);
      if (facts.kind === 'new' || priority >= threshold) chosen.push({ session, priority });
      else this.#left.add(id);
    }
    onTakenIn(chosen.length, sessions.length);
    return chosen.sort((a, b) => b.priority - a.priority).map(({ session }) => session);
  }

  /** Undefined where the budget is spent by now. */
  async look<T extends { readonly kind: string }>(
    id: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, isExhausted, onDone } = this.plan;
    try {
      if (isExhausted()) {
        this.#left.add(id);
        return undefined;
      }
      const atMs = clock.now();
      const outcome = await work();
      if (outcome.kind !== 'failed') this.#lookedAtMs.set(id, atMs);
      if (outcome.kind !== 'unchanged') this.#changed.add(id);
      return outcome;
    } finally {
      onDone();
    }
  }

  /** @param state as the log has it now */
  looksAfter(state: UserState | undefined): UserLooks {
    const { user, sinceMs, listingsMs, sessions } = this.known;
    const listing = this.#listing;
    // what a whole listing does not show is gone, and waits for no look
    const ids = listing?.ids ?? new Set([...sessions.keys(), ...this.#lookedAtMs.keys()]);
    const listings = listing ? [...listingsMs, listing.atMs].slice(-KEPT_LISTINGS) : listingsMs;
    return {
      ...{ user, sinceMs, listingsMs: listings },
      sessions: new Map([...ids].map((id) => [id, this.#lookAfter(id, state)])),
    };
  }

  #lookAfter(id: string, state: UserState | undefined): SessionLook {
    const { sinceMs, sessions } = this.known;
    const before = sessions.get(id);
    const lookedAtMs = this.#lookedAtMs.get(id) ?? before?.lookedAtMs ?? null;
    const listedAtMs = before?.listedAtMs ?? this.#listing?.atMs ?? lookedAtMs ?? sinceMs;
    const archived = state?.sessions.get(asSessionId(id));
    const isNews = this.#changed.has(id) || before?.lookedAtMs == null;
    const changedAtMs =
      isNews && archived ? lastChangeMs(archived, sinceMs) : (before?.changedAtMs ?? null);
    const isIncomplete = archived ? !archived.complete : (before?.isIncomplete ?? false);
    return { lookedAtMs, listedAtMs, changedAtMs, isIncomplete };
  }
}
