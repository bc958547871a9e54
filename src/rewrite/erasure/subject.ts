/** Who is to be erased, and how that is told from everybody else: in the log and in rows. */
import { heldForm } from '../../archive/holds.js';
import type { SessionKey } from '../../archive/log/commit-conflict-error.js';
import type { Commit, HoldEntry } from '../../archive/log/commit.js';
import type { HoldRecord } from '../../archive/log/hold-history.js';
import { asUserId, sessionKey, type UserId } from '../../model/ids.js';

export interface Erasable {
  /** With everything that is theirs. */
  readonly users: readonly string[];
  /** Whoever has them. */
  readonly sessions: readonly string[];
}

export class Subject {
  /** Whose state, lease and sessions it concerns; grows with what the log tells. */
  readonly owners = new Set<UserId>();
  /** Ids that must not be found any more. */
  readonly ids: Set<string>;
  /** Numbers of the commits that tell of any of it. */
  readonly commits = new Set<number>();
  /** Which of the users asked for the log knows. */
  readonly foundUsers = new Set<string>();
  /** Which of the sessions asked for the log knows. */
  readonly foundSessions = new Set<string>();
  readonly #users: ReadonlySet<string>;
  readonly #sessions: ReadonlySet<string>;
  /** In rows, unlike in the log, a lone surrogate is U+FFFD. */
  readonly #rowUsers: ReadonlySet<string>;
  readonly #rowSessions: ReadonlySet<string>;
  /** Ids of holds on any of it, which were released. */
  readonly #holds = new Set<string>();
  readonly #keys = new Map<string, SessionKey>();

  constructor(readonly asked: Erasable) {
    this.#users = new Set(asked.users);
    this.#sessions = new Set(asked.sessions);
    this.#rowUsers = new Set(asked.users.map((id) => id.toWellFormed()));
    this.#rowSessions = new Set(asked.sessions.map((id) => id.toWellFormed()));
    this.ids = new Set([...asked.users, ...asked.sessions]);
  }

  /** Distinct sessions that the log has told of. */
  get sessionCount(): number {
    return this.#keys.size;
  }

  /** Every session that the log has told of. */
  get sessionKeys(): Iterable<SessionKey> {
    return this.#keys.values();
  }

  get isInLog(): boolean {
    return this.foundUsers.size + this.foundSessions.size > 0;
  }

  /** Of whom there may be traces that the log does not know of. */
  get allOwners(): ReadonlySet<UserId> {
    return new Set([...this.owners, ...this.asked.users.map(asUserId)]);
  }

  has({ user, session }: SessionKey): boolean {
    return this.#users.has(user) || this.#sessions.has(session);
  }

  hasUser(user: string): boolean {
    return this.#users.has(user);
  }

  hasRow(user: unknown, session: unknown): boolean {
    return this.#rowUsers.has(String(user)) || this.#rowSessions.has(String(session));
  }

  hasHold({ id }: HoldEntry): boolean {
    return this.#holds.has(id);
  }

  /**
   * After the commits: which sessions are a user's the log may tell after a hold on them. A hold is theirs
   * as it binds: it may spell the id in another way.
   */
  learnHolds(records: Iterable<HoldRecord>): void {
    const users = new Set([...this.#users].map(heldForm));
    const keyed = [...this.#keys.values()].map(({ session }) => session);
    const sessions = new Set([...this.#sessions, ...keyed].map(heldForm));
    for (const { id, user, session, commit, release } of records) {
      const isOurs =
        (user !== null && users.has(heldForm(user))) ||
        (session !== null && sessions.has(heldForm(session)));
      if (!isOurs) continue;
      this.#holds.add(id);
      this.commits.add(commit);
      if (release) this.commits.add(release.commit);
    }
  }

  /** Learns what a commit tells of any of it. */
  learn(commit: Commit): void {
    let isTold = false;
    for (const key of [...commit.sessions, ...commit.deletions]) {
      if (!this.has(key)) continue;
      isTold = true;
      this.owners.add(key.user);
      this.ids.add(key.session);
      const { user, session } = key;
      this.#keys.set(sessionKey(user, session), { user, session });
      if (this.#users.has(key.user)) this.foundUsers.add(key.user);
      if (this.#sessions.has(key.session)) this.foundSessions.add(key.session);
    }
    for (const { user } of commit.users) {
      if (!this.#users.has(user)) continue;
      isTold = true;
      this.owners.add(user);
      this.foundUsers.add(user);
    }
    if (isTold) this.commits.add(commit.number);
  }
}
