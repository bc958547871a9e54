/** The holds that bind, as the report shows them. */
import { heldForm } from '../archive/holds.js';
import { foldedUser } from '../model/user-spelling.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import { groupBy } from '../base/group-by.js';
import type { HoldLine } from './page-data.js';

export class ShownHolds {
  readonly #users: ReadonlyMap<string, readonly HoldRecord[]>;
  readonly #sessions: ReadonlyMap<string, readonly HoldRecord[]>;

  /** @param records every hold of the archive */
  constructor(records: readonly HoldRecord[]) {
    const binding = records.filter(({ release }) => release === null);
    this.#users = groupBy(binding, ({ user }) => foldedUser(user ?? ''));
    this.#sessions = groupBy(binding, ({ session }) => heldForm(session ?? ''));
  }

  /** Those on the user as a whole. */
  ofUser(user: string): HoldLine[] {
    return linesOf(this.#users.get(foldedUser(user)));
  }

  /** Those on the session and on its user. */
  ofSession(user: string, session: string): HoldLine[] {
    return [...linesOf(this.#sessions.get(heldForm(session))), ...this.ofUser(user)];
  }
}

function linesOf(records: readonly HoldRecord[] = []): HoldLine[] {
  return records.map(({ user, reason, by, since }) => ({
    of: user === null ? 'session' : 'user',
    reason,
    by,
    since: Date.parse(since),
  }));
}
