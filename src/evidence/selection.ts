/** Decides whose data goes into the pack. Every writer asks it first. */
import type { Archive } from '../archive/archive.js';
import { traceScope, type Scope } from '../archive/reading/scope.js';
import type { FoundJobs } from '../search/search-archive.js';

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
  static async of(archive: Archive, scope: Scope): Promise<Selection> {
    const { users, sessions } = scope;
    const traces = await traceScope(archive, scope);
    const named = new Set(users);
    const chosen = (await archive.index.allUsers()).filter(
      (user) => named.size === 0 || named.has(user),
    );
    if (sessions.length === 0) return new Selection(new Set(chosen), undefined);
    const owners = new Set<string>([...traces.values()].flatMap((trace) => [...trace.users]));
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
