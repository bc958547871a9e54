/** Decides whose data goes into the pack. Every writer asks it first. */
import { meantOf } from '../base/nearest.js';
import { UsageError } from '../base/usage-error.js';
import type { Scope } from '../completeness/scope-doubts.js';
import type { FoundJobs } from '../search/search-archive.js';

/** Who is in the log, and who has each of the named sessions. */
export interface Known {
  readonly users: ReadonlySet<string>;
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
}

export class Selection {
  private constructor(
    /** In the order in which they came into the log. */
    readonly users: ReadonlySet<string>,
    /** Undefined: all of theirs. */
    readonly sessions: ReadonlySet<string> | undefined,
    /** Undefined: every job of the sessions. */
    readonly found?: FoundJobs,
  ) {}

  /** @throws {UsageError} a user or a session is not in the archive, or they have nothing in common */
  static of(location: string, { users, sessions }: Scope, known: Known): Selection {
    for (const user of users) {
      if (!known.users.has(user)) {
        throw new UsageError(
          `${location} has no user "${user}"; ${meantOf('user', user, known.users)}`,
        );
      }
    }
    const named = new Set(users);
    const isWanted = (user: string): boolean => named.size === 0 || named.has(user);
    const chosen = [...known.users].filter(isWanted);
    if (sessions.length === 0) return new Selection(new Set(chosen), undefined);
    const owners = new Set<string>();
    for (const session of sessions) {
      const having = [...(known.owners.get(session) ?? [])].filter(isWanted);
      if (having.length === 0) {
        const whose = named.size === 0 ? '' : ' of these users';
        throw new UsageError(
          `${location} has no session "${session}"${whose}; ${meantOf('session', session, known.owners.keys())}`,
        );
      }
      having.forEach((user) => owners.add(user));
    }
    const without = users.find((user) => !owners.has(user));
    if (without !== undefined) {
      throw new UsageError(`user "${without}" has none of the sessions named in ${location}`);
    }
    return new Selection(new Set(chosen.filter((user) => owners.has(user))), new Set(sessions));
  }

  /** Only what a search has found, and the named users even where it has found nothing. */
  narrowedTo(found: FoundJobs, named: readonly string[]): Selection {
    const users = [...this.users].filter((user) => named.includes(user) || found.hasUser(user));
    return new Selection(new Set(users), this.sessions, found);
  }

  /** Not everything that the archive has of the users. */
  get isNarrowed(): boolean {
    return this.sessions !== undefined || this.found !== undefined;
  }

  hasUser(user: string): boolean {
    return this.users.has(user);
  }

  has({ user, session }: { readonly user: string; readonly session: string }): boolean {
    return (
      this.users.has(user) &&
      (this.sessions?.has(session) ?? true) &&
      (this.found?.hasSession(user, session) ?? true)
    );
  }

  hasJob(line: { readonly user: string; readonly session: string; readonly job: string }): boolean {
    return this.has(line) && (this.found?.hasJob(line.user, line.session, line.job) ?? true);
  }
}
