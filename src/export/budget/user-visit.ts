/** A run's visit to one user: which sessions are checked, in which order, and when each was last checked. */
import type { SessionCheck, UserChecks } from '../../archive/state/user-checks.js';
import type { UserState, SessionState } from '../../archive/state/user-state.js';
import type { Clock } from '../../base/runtime.js';
import { asSessionId } from '../../model/ids.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import type { SessionRecord, Verbatim } from '../../model/records.js';
import { factsOf, priorityOf, KEPT_LISTINGS, type Choice } from './revisit-planner.js';
import { createdAtOf } from '../../model/created-at.js';

export interface VisitPlan {
  readonly clock: Clock;
  /** Undefined: all are checked, in the order of the listing. */
  readonly choice: Choice | undefined;
  /** Whether the budget allows for one more check. */
  readonly tryTake: () => boolean;
  /** Called with the number of sessions to check and the number listed. */
  readonly onTakenIn: (checks: number, listed: number) => void;
  /** Called for each of them in turn, with whether the budget allowed it. */
  readonly onTurn: (isTaken: boolean) => void;
}

export class UserVisit {
  #listing: { readonly atMs: number; readonly ids: readonly string[] } | undefined;
  readonly #checkedAtMs = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #skipped = new Set<string>();
  #hasBrokenOff = false;

  constructor(
    readonly known: UserChecks,
    readonly plan: VisitPlan,
  ) {}

  /** Sessions that were checked. */
  get checked(): number {
    return this.#checkedAtMs.size;
  }

  /** Sessions that were not checked because the budget was spent. */
  get left(): ReadonlySet<string> {
    return this.#skipped;
  }

  /** Whether a session was begun and not finished: the archive's version of it may be out of date. */
  get hasBrokenOff(): boolean {
    return this.#hasBrokenOff;
  }

  /** Whether all of the user's sessions are here. */
  listed(ids: readonly string[]): void {
    this.#listing = { atMs: this.plan.clock.now(), ids };
  }

  /** The sessions to check, the most urgent first. */
  chosen(sessions: readonly Verbatim<SessionRecord>[]): Verbatim<SessionRecord>[] {
    const { choice, onTakenIn } = this.plan;
    if (!choice) return [...sessions];
    const { cutoff, dueAgeMs, nowMs } = choice;
    let { ties } = choice;
    const ranked = sessions
      .map((session) => {
        const facts = factsOf(this.known.sessions.get(session.value.id), nowMs);
        return { session, facts, priority: priorityOf(facts, dueAgeMs) };
      })
      .sort((a, b) => b.priority - a.priority);
    const chosen = ranked.filter(({ session, facts, priority }) => {
      if (facts.kind === 'new' || priority > cutoff) return true;
      if (priority === cutoff && ties-- > 0) return true;
      this.#skipped.add(session.value.id);
      return false;
    });
    onTakenIn(chosen.length, sessions.length);
    return chosen.map(({ session }) => session);
  }

  /** Undefined if the budget is spent before the work begins or ends. */
  async check<T extends { readonly kind: string }>(
    id: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, tryTake, onTurn } = this.plan;
    const isTaken = tryTake();
    onTurn(isTaken);
    if (!isTaken) {
      this.#skipped.add(id);
      return undefined;
    }
    const atMs = clock.now();
    const outcome = await work().catch((error: unknown) => {
      if (!(error instanceof BudgetSpentError)) throw error;
      return undefined;
    });
    if (!outcome) {
      this.#skipped.add(id);
      this.#hasBrokenOff = true;
      return undefined;
    }
    if (outcome.kind !== 'failed') this.#checkedAtMs.set(id, atMs);
    if (outcome.kind !== 'unchanged') this.#changed.add(id);
    return outcome;
  }

  /** @param state the state from the log as it is now */
  checksAfter(state: UserState | undefined): UserChecks {
    const { user, sinceMs, firstListingMs, listingsMs, sessions } = this.known;
    const listing = this.#listing;
    // a session that a complete listing lacks is gone, and needs no check
    const ids = listing?.ids ?? new Set([...sessions.keys(), ...this.#checkedAtMs.keys()]);
    const listings = listing ? [...listingsMs, listing.atMs].slice(-KEPT_LISTINGS) : listingsMs;
    return {
      user,
      sinceMs,
      firstListingMs: firstListingMs ?? listing?.atMs ?? null,
      listingsMs: listings,
      sessions: new Map([...ids].map((id) => [id, this.#checkAfter(id, state)])),
    };
  }

  #checkAfter(id: string, state: UserState | undefined): SessionCheck {
    const { sinceMs, firstListingMs, sessions } = this.known;
    const before = sessions.get(id);
    const checkedAtMs = this.#checkedAtMs.get(id) ?? before?.checkedAtMs ?? null;
    const listedAtMs = before?.listedAtMs ?? this.#listing?.atMs ?? checkedAtMs ?? sinceMs;
    const archived = state?.sessions.get(asSessionId(id));
    const bornMs = firstListingMs !== null && listedAtMs > firstListingMs ? listedAtMs : undefined;
    const isNews = this.#changed.has(id) || before?.checkedAtMs == null;
    const changedAtMs =
      isNews && archived ? lastChangeMs(archived, bornMs) : (before?.changedAtMs ?? null);
    const isIncomplete = archived ? !archived.complete : (before?.isIncomplete ?? false);
    return { checkedAtMs, listedAtMs, changedAtMs, isIncomplete };
  }
}

/** When a session last changed, as far as the archive knows. */

/** A job found by the first check may be years old: it is new to the archive only. */
const FIRST_CHECK_MS = 3_600_000;

/**
 * The newest of: when a job was first seen or seen to have changed, except on the first check; when a job was
 * made, if its id has a time; when the session was made. Null if none is known.
 *
 * @param bornMs when the session was first listed, if an earlier listing did not have it
 */
export function lastChangeMs({ jobs }: SessionState, bornMs: number | undefined): number | null {
  const seen = [...jobs.values()].map(({ seen_at }) => Date.parse(seen_at));
  const firstCheckMs = seen.reduce((a, b) => Math.min(a, b), Infinity);
  let newest = bornMs ?? -Infinity;
  for (const [id, { version, seen_at, settled }] of jobs) {
    const seenAtMs = Date.parse(seen_at);
    const wasThere = version === 1 && seenAtMs <= firstCheckMs + FIRST_CHECK_MS;
    const made = createdAtOf(id);
    if (!wasThere) newest = Math.max(newest, seenAtMs);
    else if (made) newest = Math.max(newest, Number(made.micros / 1000n));
    else if (!settled) newest = Math.max(newest, seenAtMs);
  }
  return newest === -Infinity ? null : newest;
}
