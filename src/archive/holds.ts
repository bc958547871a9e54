/** What must neither be deleted nor erased: users, sessions, and sessions of one user. In doubt, a hold applies. */
import { UsageError } from '../base/usage-error.js';
import { sessionKey } from '../model/ids.js';
import type { Archive } from './archive.js';
import type { HoldRecord } from './log/hold-history.js';

/** `id` matches a user and a session alike; `user` and `session` together match that session of that user. */
export interface HoldTarget {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
}

export interface Hold {
  /** All meanings of the entry: each of them is held. */
  readonly readings: readonly HoldTarget[];
  /** Where it was read, for messages: `--hold-file holds.txt, line 3 ("a1")`. */
  readonly source: string;
  /** Whether it may match nothing: a line that is probably a heading. */
  readonly isOptional?: boolean | undefined;
}

/** The form in which ids are compared: without white space around them, accented letters normalised. */
export function heldForm(id: string): string {
  return id.trim().normalize('NFC');
}

export class Holds {
  static readonly none = new Holds([]);
  readonly #ids = new Set<string>();
  readonly #users = new Set<string>();
  readonly #sessions = new Set<string>();
  readonly #pairs = new Set<string>();

  constructor(readonly entries: readonly Hold[]) {
    for (const target of entries.flatMap(({ readings }) => readings)) this.#add(target);
  }

  /** @param ids of users and sessions */
  static of(ids: Iterable<string>): Holds {
    return new Holds([...ids].map((id) => ({ readings: [{ id }], source: `the hold "${id}"` })));
  }

  /** Holds in force, as of the newest commit that the index knows. */
  static inLog({ index }: Pick<Archive, 'index'>): Holds {
    return Holds.inForce(index.holds);
  }

  /** Those that were not released. */
  static inForce(holds: readonly HoldRecord[]): Holds {
    const binding = holds.filter(({ release }) => release === null);
    return new Holds(
      binding.map(({ user, session, since }) => ({
        readings: [user === null ? { session: session ?? '' } : { user }],
        source: `the hold of ${since}`,
        isOptional: true,
      })),
    );
  }

  with(others: Holds): Holds {
    return new Holds([...this.entries, ...others.entries]);
  }

  /** Each once. */
  get targets(): readonly HoldTarget[] {
    const all = this.entries.flatMap(({ readings }) => readings);
    return [...new Map(all.map((target) => [JSON.stringify(target), target])).values()];
  }

  holdsUser(user: string): boolean {
    const id = heldForm(user);
    return this.#ids.has(id) || this.#users.has(id);
  }

  /** Why the session is held, as a sentence; undefined if it is not held. */
  reasonFor(user: string, session: string): string | undefined {
    const id = heldForm(session);
    const isHeld =
      this.#ids.has(id) ||
      this.#sessions.has(id) ||
      this.#pairs.has(sessionKey(heldForm(user), id));
    if (isHeld) return 'the session is on hold';
    return this.holdsUser(user) ? 'its user is on hold' : undefined;
  }

  #add({ id, user, session }: HoldTarget): void {
    if (id !== undefined) this.#ids.add(heldForm(id));
    else if (user === undefined) this.#sessions.add(heldForm(session ?? ''));
    else if (session === undefined) this.#users.add(heldForm(user));
    else this.#pairs.add(sessionKey(heldForm(user), heldForm(session)));
  }
}

/**
 * The holds of a user and of sessions, those that were released among them, in the order in which they were set.
 *
 * @param sessions of the user
 */
export function holdsOn(
  holds: readonly HoldRecord[],
  user: string,
  sessions: Iterable<string>,
): HoldRecord[] {
  const ids = new Set(Array.from(sessions, heldForm));
  return holds.filter(
    (hold) =>
      (hold.user !== null && heldForm(hold.user) === heldForm(user)) ||
      (hold.session !== null && ids.has(heldForm(hold.session))),
  );
}

/**
 * Checks that every hold matches something: a misspelt one would protect nobody.
 *
 * @throws {UsageError} a hold matches no user and no session that the archive has ever had
 */
export async function assertHoldsKnown(archive: Archive, holds: Holds): Promise<void> {
  let open = holds.entries.filter(({ isOptional }) => isOptional !== true);
  await archive.index.refresh();
  for (const user of archive.index.users) {
    if (open.length === 0) return;
    const { sessions } = await archive.states.load(user);
    open = open.filter((hold) => !isSeen(new Holds([hold]), user, sessions.keys()));
  }
  const [first] = open;
  if (!first) return;
  const others = open.length === 1 ? '' : `, and ${open.length - 1} more`;
  throw new UsageError(
    `${first.source} matches no user and no session of ${archive.storage.location}${others}; correct it, or pass --allow-unknown-holds`,
  );
}

function isSeen(hold: Holds, user: string, sessions: Iterable<string>): boolean {
  if (hold.holdsUser(user)) return true;
  for (const session of sessions) if (hold.reasonFor(user, session) !== undefined) return true;
  return false;
}
