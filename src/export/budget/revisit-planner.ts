/**
 * Decides which sessions a run with a budget checks. All sessions of all users are sorted by priority; those
 * above a cutoff are checked. The cutoff moves with what the run finds and spends. Pure.
 */
import type { UserChecks } from '../../archive/state/user-checks.js';
import type { UserId } from '../../model/ids.js';
import { dueAge, usualInterval, factsOf, isWarm, priorityOf } from './revisit-order.js';

export interface PlannerOptions {
  readonly nowMs: number;
  readonly maxStalenessMs: number;
  /** Requests that the run may make in total. */
  readonly requests: number;
  /** Sessions per page of a listing. */
  readonly pageSize: number;
}

/** Decides which of a user's sessions are checked. */
export interface Choice {
  /** Sessions of a lower priority wait for a later run; new ones do not. */
  readonly cutoff: number;
  /** The number of sessions checked whose priority equals the cutoff. */
  readonly ties: number;
  /** From this age on `maxStaleness` requires a session to be checked in this run. */
  readonly dueAgeMs: number;
  /** The start of the run; ages of all users are counted up to it. */
  readonly nowMs: number;
}

/** Requests per check until the run has its own average: some sessions have more than one new page. */
const REQUESTS_PER_CHECK = 1.05;
/** Checks after which the run's own average counts. */
const TELLING_CHECKS = 100;
/** The cutoff is computed again each time a tenth of the remaining users have begun. */
const STAYS = 0.9;
/** Lower than every priority: the session's user has begun. */
const BEGUN = -1;
const KINDS = ['new', 'incomplete', 'known'] as const;
const DAY_MS = 86_400_000;

export class RevisitPlanner {
  readonly options: PlannerOptions;
  // one number per known session: there may be a million
  readonly #agesMs: number[] = [];
  readonly #idlesMs: number[] = [];
  /** Indexes of `KINDS`. */
  readonly #kinds: number[] = [];
  /** The ranges in these lists of the sessions of remaining users. */
  readonly #places = new Map<UserId, readonly [number, number]>();
  readonly #intervalsMs: number[] = [];
  /** Made when the first user begins; until then not all sessions are known. */
  #priorities: Float64Array | undefined;
  #dueAgeMs = Infinity;
  #cutoff = Infinity;
  #ties = 0;
  /** The number of remaining users at which the cutoff is computed again. */
  #moveAt = Infinity;
  /** Expected pages of listings that are not counted as spent yet. */
  #listings = 0;
  /** Users whose listing is under way: the expected checks, and pages after the first. */
  readonly #begun = new Map<UserId, { readonly checks: number; readonly pagesLeft: number }>();
  /** Chosen checks that are not counted as spent yet. */
  #chosen = 0;
  /** Checks that are counted as spent. */
  #checks = 0;
  #pagesDone = 0;

  constructor(options: PlannerOptions) {
    this.options = options;
  }

  /** Adds the known sessions of a user; all users are added before the first `begin`. */
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
   * @param left requests that are left, and made so far; the user's first page is counted already
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

  /** The user's listing is done or has failed: replaces the expected numbers. */
  listed(user: UserId, found: { readonly checks: number; readonly listed: number }): void {
    const expected = this.#begun.get(user);
    if (!expected) return;
    this.#begun.delete(user);
    this.#listings -= expected.pagesLeft;
    this.#pagesDone += this.#pagesOf(found.listed);
    this.#chosen += found.checks - expected.checks;
  }

  /** A chosen check counts as spent from now on, or was left out. */
  checked(isTaken: boolean): void {
    this.#chosen--;
    if (isTaken) this.#checks++;
  }

  /** Ages, at the start of the run, of the sessions of a user who was not begun. */
  agesOf(user: UserId): number[] {
    return this.#agesMs.slice(...(this.#places.get(user) ?? [0, 0]));
  }

  #pagesOf(sessions: number): number {
    return Math.max(1, Math.ceil(sessions / this.options.pageSize));
  }

  /** Computes the cutoff: as many sessions of remaining users as the run can still check. */
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
    // recently changed sessions come before those that `maxStaleness` will require, unless there was no room
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
