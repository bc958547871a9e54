/**
 * Spreads a run's requests over the sessions of all its users, wherever they stand in line: pure. What
 * is known beforehand sets the threshold; what the run finds and spends on the way moves it.
 */
import type { UserChecks } from '../../archive/state/user-checks.js';
import type { UserId } from '../../model/ids.js';
import { Demand, type Share } from './demand.js';
import { dueAge } from './due-age.js';
import { factsOf, isWarm, priorityOf } from './look-order.js';
import { GrowingNumbers } from './growing-numbers.js';
import { usualInterval } from './usual-interval.js';

export interface PlannerOptions {
  readonly nowMs: number;
  readonly maxStalenessMs: number;
  /** Requests that the run may make, all in all. */
  readonly requests: number;
  /** Sessions a page of a listing. */
  readonly pageSize: number;
}

/** What decides which of a user's sessions get a look. */
export interface Choice {
  /** Sessions that it leaves out wait for a later run. */
  readonly share: Share;
  /** From this age on the promise needs a session's look in this run. */
  readonly dueAgeMs: number;
  /** When the run began: what ages are counted up to, for all users alike. */
  readonly nowMs: number;
}

/** Before a run has learned better: some sessions have more than a page that is new. */
const REQUESTS_PER_LOOK = 1.05;
/** Looks after which the run's own experience counts. */
const TELLING_LOOKS = 100;

export class LookPlanner {
  readonly #ages = new GrowingNumbers();
  readonly #idles = new GrowingNumbers();
  /** 0 new, 1 incomplete, 2 known. */
  readonly #kinds = new GrowingNumbers();
  /** Where a user's sessions stand in the lists above. */
  readonly #places = new Map<UserId, readonly [number, number]>();
  readonly #gapsMs: number[] = [];
  #demand: Demand | undefined;
  #dueAgeMs = Infinity;
  /** Pages of listings that are to come, and are not counted as spent yet. */
  #listings = 0;
  /** Users who are being listed: the looks that they will want as far as is known, and the pages after the first. */
  readonly #begun = new Map<UserId, { readonly looks: number; readonly pagesLeft: number }>();
  /** Looks that were chosen, and are not counted as spent yet. */
  #chosen = 0;
  /** Looks that are counted as spent. */
  #looks = 0;
  #pagesDone = 0;

  constructor(readonly options: PlannerOptions) {}

  /** Takes in what is known of a user; all of them come before the first `begin`. */
  add({ user, listingsMs, sessions }: UserChecks): void {
    const { nowMs } = this.options;
    const start = this.#ages.length;
    for (const look of sessions.values()) {
      const { ageMs, idleMs, kind } = factsOf(look, nowMs);
      this.#ages.push(ageMs);
      this.#idles.push(idleMs);
      this.#kinds.push(KINDS.indexOf(kind));
    }
    this.#places.set(user, [start, this.#ages.length]);
    if (sessions.size > 0) this.#listings += this.#pagesOf(sessions.size);
    const gapMs = usualInterval(listingsMs, nowMs);
    if (gapMs !== undefined) this.#gapsMs.push(gapMs);
  }

  #pagesOf(sessions: number): number {
    return Math.max(1, Math.ceil(sessions / this.options.pageSize));
  }

  /**
   * Which of the user's sessions get a look, as things stand.
   *
   * @param left requests that the run has left, and has made so far: the user's first page counts already
   */
  begin(user: UserId, left: { readonly requests: number; readonly spent: number }): Choice {
    const demand = this.#prepare();
    const perLook = this.#requestsPerLook(left.spent);
    const [start, end] = this.#places.get(user) ?? [0, 0];
    this.#places.delete(user);
    const pages = end > start ? this.#pagesOf(end - start) : 0;
    if (pages > 0) this.#listings--;
    const free = left.requests - this.#listings - this.#chosen * perLook;
    const share = demand.share(free / perLook);
    let looks = 0;
    let perhaps = 0;
    for (let at = start; at < end; at++) {
      const priority = this.#priorityAt(at);
      demand.remove(priority);
      if (priority >= share.surely) looks++;
      else if (priority >= share.perhaps) perhaps++;
    }
    looks += Math.min(perhaps, share.room);
    this.#chosen += looks;
    this.#begun.set(user, { looks, pagesLeft: Math.max(0, pages - 1) });
    return { share, dueAgeMs: this.#dueAgeMs, nowMs: this.options.nowMs };
  }

  /** The user is listed, or failed to be: what was expected is known now. */
  takenIn(user: UserId, found: { readonly looks: number; readonly listed: number }): void {
    const expected = this.#begun.get(user);
    if (!expected) return;
    this.#begun.delete(user);
    this.#listings -= expected.pagesLeft;
    this.#pagesDone += this.#pagesOf(found.listed);
    this.#chosen += found.looks - expected.looks;
  }

  /** One of them counts as spent from now on, or will not be. */
  came(isTaken: boolean): void {
    this.#chosen--;
    if (isTaken) this.#looks++;
  }

  /** How long each session of a user who was not begun had gone without a look when the run began. */
  agesOf(user: UserId): Float64Array {
    const [start, end] = this.#places.get(user) ?? [0, 0];
    return this.#ages.toArray(start, end);
  }

  #requestsPerLook(spent: number): number {
    if (this.#looks < TELLING_LOOKS) return REQUESTS_PER_LOOK;
    return Math.max(1, (spent - this.#pagesDone) / this.#looks);
  }

  #prepare(): Demand {
    if (this.#demand) return this.#demand;
    const { requests, maxStalenessMs } = this.options;
    const intervalMs = this.#gapsMs.toSorted((a, b) => a - b)[this.#gapsMs.length >> 1];
    const looks = (requests - this.#listings) / REQUESTS_PER_LOOK;
    const promised = new GrowingNumbers();
    let first = 0;
    for (let at = 0; at < this.#ages.length; at++) {
      const facts = this.#factsAt(at);
      // what has changed lately comes before the promise is at stake, unless there was no room for it
      const comesFirst = facts.kind !== 'known' || isWarm(facts);
      if (comesFirst && facts.ageMs < maxStalenessMs / 2) first++;
      else promised.push(facts.ageMs);
    }
    this.#dueAgeMs = dueAge({
      agesMs: promised.toArray(),
      maxStalenessMs,
      intervalMs: Math.min(intervalMs ?? DAY_MS, maxStalenessMs),
      looksPerRun: Math.max(0, looks - first),
    });
    const priorities = new Float64Array(this.#ages.length);
    for (let at = 0; at < priorities.length; at++) priorities[at] = this.#priorityAt(at);
    this.#demand = new Demand(priorities);
    return this.#demand;
  }

  #priorityAt(at: number): number {
    return priorityOf(this.#factsAt(at), this.#dueAgeMs);
  }

  #factsAt(at: number) {
    const kind = KINDS[this.#kinds.at(at)] ?? 'known';
    return { ageMs: this.#ages.at(at), idleMs: this.#idles.at(at), kind };
  }
}

const DAY_MS = 86_400_000;
const KINDS = ['new', 'incomplete', 'known'] as const;
