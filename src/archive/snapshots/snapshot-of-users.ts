/** Makes the users of a snapshot from the log: a pure function of its commits. */
import type { SessionId, UserId } from '../../model/ids.js';
import { wasFoundGone, type Commit } from '../log/commit.js';
import type { LogView, UserInLog } from '../log/log-view.js';
import type { ListingsOfUser } from '../log/newest-listings.js';
import { summaryOf } from '../state/session-summary.js';
import type { SnapshotSession, SnapshotSessions, SnapshotUsers } from './snapshot-users.js';
import type { UserState } from '../state/user-state.js';
import type { KnownSnapshot } from './snapshot.js';

interface Marks {
  commits: readonly number[];
  deletedAt: string | null;
}

/** What a state does not have of its sessions: the commits that change each, and when its deletion was recorded. */
export class SessionMarks {
  /** The users that were added. */
  readonly #users = new Map<UserId, Map<SessionId, Marks>>();
  readonly #before: SnapshotUsers | undefined;

  /** @param before as of the commit before the first one that is added; default: nothing */
  constructor(before?: KnownSnapshot) {
    this.#before = before?.users;
  }

  /** Commits are added in order. */
  add({ number, sessions, deletions }: Pick<Commit, 'number' | 'sessions' | 'deletions'>): void {
    for (const { user, session, gone_at: goneAt } of sessions) {
      const { deletedAt } = this.#mark(user, session, number);
      this.#set(user, session, { deletedAt: goneAt === null ? null : deletedAt });
    }
    for (const deletion of deletions) {
      const { user, session, deleted_at: deletedAt } = deletion;
      this.#mark(user, session, number);
      if (!wasFoundGone(deletion)) this.#set(user, session, { deletedAt });
    }
  }

  marksOf(user: UserId, session: SessionId): Marks {
    return (
      this.#users.get(user)?.get(session) ??
      this.#before?.get(user)?.sessions.get(session) ?? { commits: [], deletedAt: null }
    );
  }

  #mark(user: UserId, session: SessionId, number: number): Marks {
    const known = this.marksOf(user, session);
    if (known.commits.at(-1) === number) return known;
    return this.#set(user, session, { commits: [...known.commits, number] });
  }

  #set(user: UserId, session: SessionId, changed: Partial<Marks>): Marks {
    const sessions = this.#users.get(user) ?? new Map<SessionId, Marks>();
    const { commits, deletedAt } = { ...this.marksOf(user, session), ...changed };
    const marks = { commits, deletedAt };
    this.#users.set(user, sessions.set(session, marks));
    return marks;
  }
}

/** Users as a snapshot has them: in the order of their first change, then those who have none. */
export function usersIn(
  { users }: LogView,
  listings: ReadonlyMap<UserId, ListingsOfUser>,
): ReadonlySet<UserId> {
  const all = new Set(users.keys());
  for (const user of listings.keys()) all.add(user);
  return all;
}

export function userInLog(
  user: UserId,
  { users }: LogView,
  listings: ReadonlyMap<UserId, ListingsOfUser>,
): UserInLog {
  return { user, commits: [...(users.get(user) ?? [])], listings: listings.get(user) };
}

/** The sessions of a user, ordered by id. */
export function sessionFacts({ user, sessions }: UserState, marks: SessionMarks): SnapshotSessions {
  const ordered = [...sessions].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    ordered.map(([session, state]): [SessionId, SnapshotSession] => {
      const { commits, deletedAt } = marks.marksOf(user, session);
      return [session, { summary: summaryOf(state), commits, deletedAt }];
    }),
  );
}
