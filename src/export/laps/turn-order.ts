/**
 * Says whom a run with a budget visits next, and whether it reads more of a user than the sessions that come first. Those who
 * are not in the lap's part of the budget are visited first, whoever has waited longest before the others; then the users
 * of that part, in the order of the lap.
 */
import type { UserId } from '../../model/ids.js';

export interface TurnOrderOptions {
  /** Users in the order of the lap. */
  readonly round: readonly UserId[];
  /** Users who come before all others: whom nobody has listed yet, or of whom the last run has left something. */
  readonly first: readonly UserId[];
  /** Users in the order in which they were last listed. */
  readonly longestWaiting: readonly UserId[];
  /** How many sessions a user had when last listed. */
  readonly sessionsOf: (user: UserId) => number;
}

export interface Means {
  /** Requests that are left. */
  readonly requests: number;
  /** How many a user takes whose first sessions alone are read. */
  readonly perUser: number;
  /** Those of them that are the lap's in any case. */
  readonly ofLap: number;
}

export interface Turn {
  readonly user: UserId;
  /** Whether all sessions are read, as far as the budget goes. */
  readonly isWhole: boolean;
}

export class TurnOrder {
  readonly #options: TurnOrderOptions;
  readonly #waiting: Set<UserId>;
  readonly #indexes: ReadonlyMap<UserId, number>;
  readonly #first: Iterator<UserId>;
  readonly #longestWaiting: Iterator<UserId>;
  /** The lap's part is between these places of the round; some in it may have had their turn. */
  #begin = 0;
  #end = 0;
  /** How many users of it wait, and how many sessions they have. */
  #users = 0;
  #sessions = 0;

  constructor(options: TurnOrderOptions) {
    this.#options = options;
    this.#waiting = new Set(options.round);
    this.#indexes = new Map(options.round.map((user, index) => [user, index]));
    this.#first = options.first.values();
    this.#longestWaiting = options.longestWaiting.values();
  }

  next(means: Means): Turn | undefined {
    const first = this.#nextOf(this.#first, () => true);
    if (first !== undefined) return this.#turnOf(first, true);
    this.#move(means);
    const isOut = (user: UserId): boolean => !this.#isInPart(user);
    const hasOthers = this.#users < this.#waiting.size && means.requests > means.ofLap;
    const other = hasOthers ? this.#nextOf(this.#longestWaiting, isOut) : undefined;
    if (other !== undefined) return this.#turnOf(other, false);
    const next = this.#options.round[this.#begin];
    return next === undefined ? undefined : this.#turnOf(next, this.#isInPart(next));
  }

  /** Fits the lap's part to the means: the next user at least, and the last one in part. */
  #move({ requests, perUser, ofLap }: Means): void {
    const { round } = this.#options;
    while (this.#begin < round.length && !this.#waits(this.#begin)) this.#begin++;
    if (this.#end < this.#begin) this.#end = this.#begin;
    const forSessions = Math.max(requests - this.#waiting.size * perUser, ofLap);
    while (
      this.#end > this.#begin + 1 &&
      this.#sessions - this.#sessionsAt(this.#end - 1) >= forSessions
    ) {
      this.#count(--this.#end, -1);
    }
    while (this.#end < round.length && (this.#users === 0 || this.#sessions < forSessions)) {
      this.#count(this.#end++, 1);
    }
  }

  #turnOf(user: UserId, isWhole: boolean): Turn {
    if (this.#isInPart(user)) this.#count(this.#indexes.get(user) ?? 0, -1);
    this.#waiting.delete(user);
    return { user, isWhole };
  }

  #count(index: number, sign: 1 | -1): void {
    if (!this.#waits(index)) return;
    this.#users += sign;
    this.#sessions += sign * this.#sessionsAt(index);
  }

  #isInPart(user: UserId): boolean {
    const index = this.#indexes.get(user) ?? -1;
    return index >= this.#begin && index < this.#end;
  }

  #waits(index: number): boolean {
    const user = this.#options.round[index];
    return user !== undefined && this.#waiting.has(user);
  }

  #sessionsAt(index: number): number {
    const user = this.#options.round[index];
    return user !== undefined && this.#waiting.has(user) ? this.#options.sessionsOf(user) : 0;
  }

  #nextOf(order: Iterator<UserId>, isWanted: (user: UserId) => boolean): UserId | undefined {
    for (let step = order.next(); step.done !== true; step = order.next()) {
      if (this.#waiting.has(step.value) && isWanted(step.value)) return step.value;
    }
    return undefined;
  }
}
