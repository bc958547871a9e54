/** The holds that bind users and sessions of a product, as whoever gets it may see them. */
import { foldedUser } from '../model/user-spelling.js';
import type { HoldLine } from './hold-line.js';
import { boundAsText, heldAs, heldForm, type BindingHold } from '../archive/holds/holds.js';
import { otherHoldsText, type ShownHolds } from '../archive/reading/requests/shown-holds.js';
import { groupBy } from '../base/group-by.js';

export class BindingHolds {
  readonly #told: BySubject;
  readonly #others: BySubject;

  constructor({ told, others }: ShownHolds) {
    this.#told = bySubject(told);
    this.#others = bySubject(others);
  }

  /** The holds on the user as a whole. */
  ofUser(user: string): HoldLine[] {
    const others = otherHoldsText(ofUser(this.#others, user), 'the user');
    return [
      ...linesOf(ofUser(this.#told, user), user),
      ...others.map((withheld) => ({ withheld })),
    ];
  }

  /** The holds on the session and on its user. */
  ofSession(user: string, session: string): HoldLine[] {
    const key = heldForm(session);
    const others = otherHoldsText(this.#others.sessions.get(key) ?? [], 'the session');
    return [
      ...linesOf(this.#told.sessions.get(key) ?? [], user),
      ...others.map((withheld) => ({ withheld })),
      ...this.ofUser(user),
    ];
  }
}

interface BySubject {
  readonly users: ReadonlyMap<string, readonly BindingHold[]>;
  /** Who is the same person as a user on hold, by the id itself. */
  readonly samePersons: ReadonlyMap<string, readonly BindingHold[]>;
  readonly sessions: ReadonlyMap<string, readonly BindingHold[]>;
}

function bySubject(records: readonly BindingHold[]): BySubject {
  const binding = records.filter(({ release }) => release === null);
  const same = binding.flatMap((hold) => [...hold.samePersons].map((user) => ({ user, hold })));
  const bySame = groupBy(same, ({ user }) => user);
  return {
    samePersons: new Map([...bySame].map(([user, all]) => [user, all.map(({ hold }) => hold)])),
    users: groupBy(binding, ({ user }) => foldedUser(user ?? '')),
    sessions: groupBy(binding, ({ session }) => heldForm(session ?? '')),
  };
}

function ofUser({ users, samePersons }: BySubject, user: string): readonly BindingHold[] {
  return [...(users.get(foldedUser(user)) ?? []), ...(samePersons.get(user) ?? [])];
}

function linesOf(holds: readonly BindingHold[], user: string): HoldLine[] {
  return holds.map((hold) => ({
    subject: hold.user === null ? 'session' : 'user',
    user: heldAs(hold, user),
    reason: `${hold.reason}${boundAsText(hold, user)}`,
    by: hold.by,
    since: Date.parse(hold.since),
  }));
}
