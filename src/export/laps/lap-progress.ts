/** How far a run has come on its way round its users. The lap goes on at the first place, in this order, of which something is left. */
import {
  distance,
  lapAfter,
  placeOfSession,
  placeOfUser,
  userAt,
  type Lap,
} from '../../archive/laps.js';
import type { UserId } from '../../model/ids.js';
import type { UserVisit } from './user-visit.js';

export interface LapProgressOptions {
  /** Asked when the next lap begins. */
  readonly nextBeganAtMs: () => number;
  /** Decides with which session of a user a lap begins that knows users alone. */
  readonly seed?: string | undefined;
}

export class LapProgress {
  /** Users in the order of the lap, from where it goes on. */
  readonly round: readonly UserId[];
  readonly #begun: Lap;
  readonly #options: LapProgressOptions;
  /** The lap behind the last place: begun when one of its users is visited, or all of the lap before are done. */
  #next: Lap | undefined;
  /** How many of the round are of the lap that was under way when the run began. */
  readonly #ofBegun: number;
  /** How many at the beginning of the round are done. */
  #passed = 0;
  /** Where the lap goes on with each visited user, or undefined where nothing is left. */
  readonly #stops = new Map<UserId, number | undefined>();

  constructor(begun: Lap, users: Iterable<UserId>, options: LapProgressOptions) {
    const from = userAt(begun.place);
    const placed = [...users].map((user) => ({ user, at: distance(from, placeOfUser(user)) }));
    placed.sort((a, b) => a.at - b.at);
    this.round = placed.map(({ user }) => user);
    this.#begun = begun;
    this.#options = options;
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

  /** Whether the last run has left the session, and the lap goes on at it. */
  isNext(user: UserId, session: string): boolean {
    return (
      this.#begun.place > placeOfUser(user) && this.#begun.place === placeOfSession(user, session)
    );
  }

  /** Whether the lap has read the session already. */
  isPassed(user: UserId, session: string): boolean {
    return this.#options.seed === undefined && placeOfSession(user, session) < this.#placeOf(user);
  }

  /** Sorts sessions of a user: the next first. */
  fromPlace<Session extends { readonly value: { readonly id: string } }>(
    user: UserId,
    sessions: readonly Session[],
  ): Session[] {
    const { seed } = this.#options;
    const from = seed === undefined ? this.#placeOf(user) : placeOfSession(user, seed);
    const placed = sessions.map((session) => {
      return { session, at: distance(from, placeOfSession(user, session.value.id)) };
    });
    return placed.sort((a, b) => a.at - b.at).map(({ session }) => session);
  }

  /**
   * The user was visited, and what of it is to stay has been committed. A session that was begun with all of the budget
   * and not finished would end every lap: it is passed.
   */
  visited(
    user: UserId,
    { postponed, brokenOff }: Pick<UserVisit, 'postponed' | 'brokenOff'>,
  ): void {
    const from = this.#placeOf(user);
    const places = postponed.flatMap((session) => {
      const place = placeOfSession(user, session);
      const isAhead = brokenOff.has(session) ? place > from : place >= from;
      return isAhead ? [place] : [];
    });
    this.#stops.set(user, places.length === 0 ? undefined : Math.min(...places));
  }

  /** Where the user's sessions begin, or go on. */
  #placeOf(user: UserId): number {
    const place = placeOfUser(user);
    return place === userAt(this.#begun.place) ? this.#begun.place : place;
  }

  #nextLap(): Lap {
    this.#next ??= lapAfter(this.#begun, this.#options.nextBeganAtMs());
    return this.#next;
  }
}
