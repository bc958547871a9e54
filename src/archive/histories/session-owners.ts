/** Finds sessions that two users list. Session ids are unique in a project, so it is one session. */
import { isSameUser } from '../../model/user-spelling.js';
import { KeyTable } from './key-table.js';

export interface SharedSessions {
  /** As they were asked for; sorted. */
  readonly users: readonly [string, string];
  /** How many sessions both list. */
  readonly sessions: number;
  /** Whether the two are spellings of one user: equal after NFC, trimming and case folding. */
  readonly spellings: boolean;
}

/** Bounded in memory: 150 MB for 6 million sessions. Those that come after them are compared only with these. */
export class SessionOwners {
  readonly #table = new KeyTable();
  /** A user may occur more than once. */
  readonly #users: string[] = [];
  /** By the first and then the second user. */
  readonly #pairs = new Map<string, Map<string, number>>();

  /** Called once for each user. */
  add(user: string, sessions: Iterable<string>): void {
    const number = this.#users.push(user) - 1;
    for (const session of sessions) {
      const first = this.#users[this.#table.getOrSet(session, number) ?? number] ?? user;
      if (first !== user) this.#count(first, user);
    }
  }

  shared(): SharedSessions[] {
    const pairs = [...this.#pairs].flatMap(([first, others]) =>
      [...others].map(([second, sessions]) => ({ users: [first, second] as const, sessions })),
    );
    return pairs
      .sort((a, b) => (a.users.join('\n') < b.users.join('\n') ? -1 : 1))
      .map((pair) => ({ ...pair, spellings: isSameUser(...pair.users) }));
  }

  #count(one: string, other: string): void {
    const [first, second] = one < other ? [one, other] : [other, one];
    const others = this.#pairs.get(first) ?? new Map<string, number>();
    this.#pairs.set(first, others.set(second, (others.get(second) ?? 0) + 1));
  }
}
