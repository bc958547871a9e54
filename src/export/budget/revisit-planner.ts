/**
 * Decides which sessions a run with a budget checks. All sessions of all users are sorted by priority; those
 * above a cutoff are checked. What the run finds and spends moves the cutoff. Pure.
 */
import type { UserChecks } from '../../archive/state/user-checks.js';
import type { UserId } from '../../model/ids.js';
import { dueAge, usualInterval } from './due-age.js';
import { factsOf, isWarm, priorityOf } from './revisit-order.js';

export interface PlannerOptions {
  readonly nowMs: number;
  readonly maxStalenessMs: number;
  /** Requests that the run may make, all in all. */
  readonly requests: number;
  /** Sessions a page of a listing. */
  readonly pageSize: number;
}

/** What decides which of a user's sessions are checked. */
export interface Choice {
  /** Sessions of a lower priority wait for a later run; new ones do not. */
  readonly cutoff: number;
  /** So many of those whose priority equals the cutoff are checked. */
  readonly ties: number;
  /** From this age on the promise needs a session to be checked in this run. */
  readonly dueAgeMs: number;
  /** When the run began: what ages are counted up to, for all users alike. */
  readonly nowMs: number;
}

/** Before a run has learned better: some sessions have more than a page that is new. */
const REQUESTS_PER_CHECK = 1.05;
/** Looks after which the run's own experience counts. */
const TELLING_CHECKS = 100;
/** The cutoff is found again each time a tenth of the users to come have begun: later ones feel it more. */
const STAYS = 0.9;
/** Below every priority: the user has been begun. */
const BEGUN = -1;
const KINDS = ['new', 'incomplete', 'known'] as const;
const DAY_MS = 86_400_000;

export class RevisitPlanner {
  readonly options: PlannerOptions;
  // of all sessions that are known, a number each: there may be a million
  readonly #agesMs: number[] = [];
  readonly #idlesMs: number[] = [];
  /** Places in `KINDS`. */
  readonly #kinds: number[] = [];
  /** Where the sessions of users to come stand in the lists above. */
  readonly #places = new Map<UserId, readonly [number, number]>();
  readonly #intervalsMs: number[] = [];
  /** Made when the first user begins: until then not all are known. */
  #priorities: Float64Array | undefined;
  #dueAgeMs = Infinity;
  #cutoff = Infinity;
  #ties = 0;
  /** Users to come when the cutoff is to be found again. */
  #moveAt = Infinity;
  /** Pages of listings that are to come, and are not counted as spent yet. */
  #listings = 0;
  /** Users who are being listed: the checks that they are expected to need, and the pages after the first. */
  readonly #begun = new Map<UserId, { readonly checks: number; readonly pagesLeft: number }>();
  /** Looks that were chosen, and are not counted as spent yet. */
  #chosen = 0;
  /** Looks that are counted as spent. */
  #checks = 0;
  #pagesDone = 0;

  constructor(options: PlannerOptions) {
    this.options = options;
  }

  /** Takes in what is known of a user; all of them come before the first `begin`. */
  add({ user, listingsMs, sessions }: UserChecks): void {
    const { nowMs } = this.options;
    const start = this.#agesMs.length;
    for (const check of sessions.values()) {
      const { ageMs, idleMs, kind } = factsOf(check, nowMs);
      this.#agesMs.push(ageMs);
      this.#idlesMs.push(idleMs);
      this.#kinds.push(KINDS.indexOf(kind));
    }
    this.#places.set(user, [start, this.#agesMs.length]);
    if (sessions.size > 0) this.#listings += this.#pagesOf(sessions.size);
    const intervalMs = usualInterval(listingsMs, nowMs);
    if (intervalMs !== undefined) this.#intervalsMs.push(intervalMs);
  }

  /**
   * Decides which of the user's sessions are checked.
   *
   * @param left requests that the run has left, and has made so far: the user's first page counts already
   */
  begin(user: UserId, left: { readonly requests: number; readonly spent: number }): Choice {
    const priorities = (this.#priorities ??= this.#prioritise());
    const [start, end] = this.#places.get(user) ?? [0, 0];
    this.#places.delete(user);
    const pages = end > start ? this.#pagesOf(end - start) : 0;
    if (pages > 0) this.#listings--;
    if (this.#places.size <= this.#moveAt) {
      this.#moveCutoff(left, priorities);
      this.#moveAt = Math.floor(this.#places.size * STAYS);
    }
    const own = priorities.subarray(start, end);
    const cutoff = this.#cutoff;
    const ties = Math.min(this.#ties, own.filter((priority) => priority === cutoff).length);
    const checks = ties + own.filter((priority) => priority > cutoff).length;
    this.#ties -= ties;
    priorities.fill(BEGUN, start, end);
    this.#chosen += checks;
    this.#begun.set(user, { checks, pagesLeft: Math.max(0, pages - 1) });
    return { cutoff, ties, dueAgeMs: this.#dueAgeMs, nowMs: this.options.nowMs };
  }

  /** The user is listed, or failed to be: what was expected is known now. */
  listed(user: UserId, found: { readonly checks: number; readonly listed: number }): void {
    const expected = this.#begun.get(user);
    if (!expected) return;
    this.#begun.delete(user);
    this.#listings -= expected.pagesLeft;
    this.#pagesDone += this.#pagesOf(found.listed);
    this.#chosen += found.checks - expected.checks;
  }

  /** One of them counts as spent from now on, or will not be. */
  checked(isTaken: boolean): void {
    this.#chosen--;
    if (isTaken) this.#checks++;
  }

  /** How long each session of a user who was not begun had gone unchecked when the run began. */
  agesOf(user: UserId): number[] {
    return this.#agesMs.slice(...(this.#places.get(user) ?? [0, 0]));
  }

  #pagesOf(sessions: number): number {
    return Math.max(1, Math.ceil(sessions / this.options.pageSize));
  }

  /** Leaves as many sessions of users to come as the run can still check. */
  #moveCutoff(
    { requests, spent }: { readonly requests: number; readonly spent: number },
    priorities: Float64Array,
  ): void {
    const requestsPerCheck =
      this.#checks < TELLING_CHECKS
        ? REQUESTS_PER_CHECK
        : Math.max(1, (spent - this.#pagesDone) / this.#checks);
    const checks = Math.round((requests - this.#listings) / requestsPerCheck - this.#chosen);
    const left = priorities.filter((priority) => priority !== BEGUN).sort();
    const cutoff = checks > 0 ? (left[left.length - checks - 1] ?? BEGUN) : Infinity;
    this.#cutoff = cutoff;
    this.#ties = Math.max(0, checks - left.filter((priority) => priority > cutoff).length);
  }

  #prioritise(): Float64Array {
    const { requests, maxStalenessMs } = this.options;
    const facts = this.#agesMs.map((ageMs, at) => ({
      ageMs,
      idleMs: this.#idlesMs[at] ?? 0,
      kind: KINDS[this.#kinds[at] ?? 2] ?? 'known',
    }));
    // what has changed lately comes before the promise is at stake, unless there was no room for it
    const waits = facts.filter(
      (known) => (known.kind === 'known' && !isWarm(known)) || known.ageMs >= maxStalenessMs / 2,
    );
    const checks = (requests - this.#listings) / REQUESTS_PER_CHECK;
    const intervalMs = this.#intervalsMs.toSorted((a, b) => a - b)[this.#intervalsMs.length >> 1];
    this.#dueAgeMs = dueAge({
      agesMs: Float64Array.from(waits, ({ ageMs }) => ageMs),
      maxStalenessMs,
      intervalMs: Math.min(intervalMs ?? DAY_MS, maxStalenessMs),
      checksPerRun: Math.max(0, checks - (facts.length - waits.length)),
    });
    return Float64Array.from(facts, (known) => priorityOf(known, this.#dueAgeMs));
  }
}
