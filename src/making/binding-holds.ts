/** The holds that bind users and sessions of a product, as whoever gets it may see them. */
import { foldedUser } from '../model/user-spelling.js';
import type { HoldLine } from './hold-line.js';
import { heldForm } from '../archive/holds.js';
import type { HoldRecord } from '../archive/log/notes.js';
import { otherHoldsText, type ShownHolds } from '../archive/reading/shown-holds.js';
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
    const key = foldedUser(user);
    const others = otherHoldsText(this.#others.users.get(key) ?? [], 'the user');
    return [...linesOf(this.#told.users.get(key)), ...others.map((withheld) => ({ withheld }))];
  }

  /** The holds on the session and on its user. */
  ofSession(user: string, session: string): HoldLine[] {
    const key = heldForm(session);
    const others = otherHoldsText(this.#others.sessions.get(key) ?? [], 'the session');
    return [
      ...linesOf(this.#told.sessions.get(key)),
      ...others.map((withheld) => ({ withheld })),
      ...this.ofUser(user),
    ];
  }
}

interface BySubject {
  readonly users: ReadonlyMap<string, readonly HoldRecord[]>;
  readonly sessions: ReadonlyMap<string, readonly HoldRecord[]>;
}

function bySubject(records: readonly HoldRecord[]): BySubject {
  const binding = records.filter(({ release }) => release === null);
  return {
    users: groupBy(binding, ({ user }) => foldedUser(user ?? '')),
    sessions: groupBy(binding, ({ session }) => heldForm(session ?? '')),
  };
}

function linesOf(records: readonly HoldRecord[] = []): HoldLine[] {
  return records.map(({ user, reason, by, since }) => ({
    subject: user === null ? 'session' : 'user',
    reason,
    by,
    since: Date.parse(since),
  }));
}
