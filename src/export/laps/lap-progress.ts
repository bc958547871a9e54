/** How far a run has come on its way round its users. The lap goes on at the first place, in this order, of which something is left. */
import {
  distance,
  lapAfter,
  placeOfSession,
  placeOfUser,
  SESSIONS,
  userAt,
  type Lap,
} from '../../archive/laps.js';
import type { UserId } from '../../model/ids.js';
import type { UserVisit } from './user-visit.js';

export class LapProgress {
  /** Users in the order of the lap, from where it goes on. */
  readonly round: readonly UserId[];
  readonly #begun: Lap;
  readonly #nextBeganAtMs: () => number;
  /** The lap behind the last place: begun when one of its users is visited, or all of the lap before are done. */
  #next: Lap | undefined;
  /** How many of the round are of the lap that was under way when the run began. */
  readonly #ofBegun: number;
  /** How many at the beginning of the round are done. */
  #passed = 0;
  /** Of users who were visited: where the lap goes on, or undefined where nothing is left. */
  readonly #stops = new Map<UserId, number | undefined>();

  /** @param nextBeganAtMs asked when the next lap begins */
  constructor(begun: Lap, users: Iterable<UserId>, nextBeganAtMs: () => number) {
    const from = userAt(begun.place);
    const placed = [...users].map((user) => ({ user, at: distance(from, placeOfUser(user)) }));
    placed.sort((a, b) => a.at - b.at);
    this.round = placed.map(({ user }) => user);
    this.#begun = begun;
    this.#nextBeganAtMs = nextBeganAtMs;
    const isOfNext = ({ user }: { readonly user: UserId }) => placeOfUser(user) < from;
    const firstOfNext = placed.findIndex(isOfNext);
    this.#ofBegun = firstOfNext < 0 ? placed.length : firstOfNext;
  }

  /** The lap as of now. */
  get lap(): Lap {
    const { round } = this;
    for (; this.#passed < round.length; this.#passed++) {
      const user = round[this.#passed] as UserId;
      if (!this.#stops.has(user) || this.#stops.get(user) !== undefined) break;
    }
    const user = round[this.#passed];
    if (user === undefined) {
      // all before the place where the run began are done in the next lap, too
      const place = this.#ofBegun < round.length ? userAt(this.#begun.place) : 0;
      return round.length === 0 ? this.#begun : { ...this.#nextLap(), place };
    }
    const lap = this.#passed < this.#ofBegun ? this.#begun : this.#nextLap();
    return { ...lap, place: this.#stops.get(user) ?? this.#placeOf(user) };
  }

  /** The lap in which the user is visited. */
  lapOf(user: UserId): Lap {
    return placeOfUser(user) < userAt(this.#begun.place) ? this.#nextLap() : this.#begun;
  }

  /** Whether the lap has read the session already. */
  isPassed(user: UserId, session: string): boolean {
    return placeOfSession(user, session) < this.#placeOf(user);
  }

  /** The share of the user's sessions that the lap has not read yet, by their places. */
  shareOf(user: UserId): number {
    return 1 - (this.#placeOf(user) - placeOfUser(user)) / SESSIONS;
  }

  /** Whether a user comes before another on the way round. */
  isBefore(user: UserId, other: UserId): boolean {
    const from = userAt(this.#begun.place);
    return distance(from, placeOfUser(user)) < distance(from, placeOfUser(other));
  }

  /** Sorts sessions of a user: the next first. */
  fromPlace<Session extends { readonly value: { readonly id: string } }>(
    user: UserId,
    sessions: readonly Session[],
  ): Session[] {
    const from = this.#placeOf(user);
    const placed = sessions.map((session) => {
      return { session, at: distance(from, placeOfSession(user, session.value.id)) };
    });
    return placed.sort((a, b) => a.at - b.at).map(({ session }) => session);
  }

  /** The user was visited, and what of it is to stay has been committed. */
  visited(user: UserId, { left, hasLeftFirst }: Pick<UserVisit, 'left' | 'hasLeftFirst'>): void {
    const from = this.#placeOf(user);
    const ahead = hasLeftFirst ? [from] : left.map((session) => placeOfSession(user, session));
    // sessions before the place where the lap went on are done in it
    const places = ahead.filter((place) => place >= from);
    this.#stops.set(user, places.length === 0 ? undefined : Math.min(...places));
  }

  /** Where the user's sessions begin, or go on. */
  #placeOf(user: UserId): number {
    const place = placeOfUser(user);
    return place === userAt(this.#begun.place) ? this.#begun.place : place;
  }

  #nextLap(): Lap {
    this.#next ??= lapAfter(this.#begun, this.#nextBeganAtMs());
    return this.#next;
  }
}
