/** How a caveat names what it is about, and to whom. */
import { MOST_NAMED, type NamedPlace, type NamedPlaces, placeLine } from './named-places.js';
import type { Reading } from './reading.js';

/** What a caveat names. */
export interface CaveatNames {
  /** The first of them by name, a line each, with names and texts of the archive. */
  readonly named: readonly string[];
  /** How many are not named. */
  readonly unnamed: number;
}

/**
 * `operator`: whoever runs the command has the archive. `recipient`: whoever gets what is made learns nothing of people
 * whom it is not about, and has no command to run.
 */
export type Audience = 'operator' | 'recipient';

export class Naming {
  readonly isForOthers: boolean;
  readonly #reading: Reading;

  constructor(reading: Reading, audience: Audience) {
    this.#reading = reading;
    this.isForOthers = audience === 'recipient';
  }

  /** Names a place with the title of its session, as far as somebody has read it. */
  line(place: NamedPlace): string {
    const { user, session, sessionName } = place;
    if (sessionName !== undefined || user === undefined || session == null) return placeLine(place);
    return placeLine({ ...place, sessionName: this.#reading.titleOf(user, session) });
  }

  /** Places of others are counted, and not named. */
  names({ places, count }: Pick<NamedPlaces, 'places' | 'count'>): CaveatNames {
    const named = places.filter((place) => this.#isTold(place)).map((place) => this.line(place));
    return { named, unnamed: count - named.length };
  }

  /** A conversation counts as its questions, and is named once. */
  namesOnce(places: NamedPlaces): CaveatNames {
    return { named: this.names(places).named, unnamed: 0 };
  }

  /** @param count how many there are: a search with a limit lists the first; default: those that are given */
  first<T>(
    all: readonly T[],
    placeOf: (element: T) => NamedPlace,
    count = all.length,
  ): CaveatNames {
    const named = all.slice(0, MOST_NAMED).map((element) => this.line(placeOf(element)));
    return { named, unnamed: count - named.length };
  }

  #isTold({ user }: NamedPlace): boolean {
    return !this.isForOthers || user === undefined || this.#reading.isAbout(user);
  }
}
