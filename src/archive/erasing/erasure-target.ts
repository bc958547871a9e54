/** The users and sessions to erase, and which commits and rows are theirs. */
import type { Archive } from '../archive.js';
import { heldForm } from '../holds/holds.js';
import { type SessionKey } from '../archive-errors.js';
import { isRewrite } from '../log/commit-kinds.js';
import type { Commit, FileEntry, HoldEntry, RequestEntry } from '../log/commit.js';
import type { ListingsOfUser } from '../log/newest-listings.js';
import type { HoldRecord } from '../log/notes.js';
import { asUserId, sessionKey, type UserId } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';

/** What an erasure is asked for. Unlike a `Scope`, an empty list means none, and users and sessions add up. */
export interface ErasureRequest {
  /** With all their sessions. */
  readonly users: readonly string[];
  /** Sessions of any user. */
  readonly sessions: readonly string[];
}

export class ErasureTarget {
  /** Users who have any of it, or a session in doubt that names it; grows with each commit learned. */
  readonly owners = new Set<UserId>();
  /** Ids that must not be left anywhere. */
  readonly ids: Set<string>;
  /** Numbers of the commits with rows of any of it. */
  readonly commits = new Set<number>();
  /** The newest commit that was learned. */
  through = 0;
  /** Requested users that the log has. */
  readonly foundUsers = new Set<string>();
  /** Requested sessions that the log has. */
  readonly foundSessions = new Set<string>();
  readonly #users: ReadonlySet<string>;
  readonly #sessions: ReadonlySet<string>;
  /** Ids as rows have them: there, unlike in the log, a lone surrogate is U+FFFD. */
  readonly #rowUsers: ReadonlySet<string>;
  readonly #rowSessions: ReadonlySet<string>;
  /** Released holds on any of it: how each spells its subject, by the hold's id. */
  readonly #holds = new Map<string, string>();
  /** Ids of requests that name any of it. */
  readonly #requests = new Set<string>();
  readonly #keys = new Map<string, SessionKey>();
  /** Every request of the log. */
  readonly #asked: Extract<RequestEntry, { action: 'new' }>[] = [];
  /** Users with a session in doubt, each with the other session that the doubt names. */
  readonly #doubts: { readonly user: UserId; readonly other: string }[] = [];

  constructor(readonly asked: ErasureRequest) {
    this.#users = new Set(asked.users);
    this.#sessions = new Set(asked.sessions);
    this.#rowUsers = new Set(asked.users.map((id) => id.toWellFormed()));
    this.#rowSessions = new Set(asked.sessions.map((id) => id.toWellFormed()));
    this.ids = new Set([...asked.users, ...asked.sessions]);
  }

  /** Distinct sessions found in the log; one that two spellings of a user list is one. */
  get sessionCount(): number {
    const keys = Array.from(this.#keys.values(), ({ user, session }) =>
      sessionKey(foldedUser(user), session),
    );
    return new Set(keys).size;
  }

  /** Every session found in the log. */
  get sessionKeys(): Iterable<SessionKey> {
    return this.#keys.values();
  }

  get isInLog(): boolean {
    return this.foundUsers.size + this.foundSessions.size > 0;
  }

  /** Users of whom there may be traces outside the log. */
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

  hasHold({ id }: Pick<HoldEntry, 'id'>): boolean {
    return this.#holds.has(id);
  }

  /** What the texts of a hold must not name: all ids, and that of the hold's own subject as the hold spells it. */
  idsFor({ id }: Pick<HoldEntry, 'id'>): ReadonlySet<string> {
    const spelling = this.#holds.get(id);
    return spelling === undefined ? this.ids : new Set([...this.ids, spelling]);
  }

  /** Whether an entry belongs to a request that names any of the users or sessions. */
  isRequestAbout({ id }: RequestEntry): boolean {
    return this.#requests.has(id);
  }

  /**
   * Call after `learn` for every commit: a hold may come before the commit that says whose the session is.
   * A hold matches as it binds: it may spell the id in another way, unless that is an id of a user in the log.
   *
   * @param known every user in the log
   */
  learnHolds(records: Iterable<HoldRecord>, known: Iterable<string>): void {
    const users = new Set([...this.#users].map(heldForm));
    const spellings = new Set([...this.#users].map(foldedUser));
    const others = new Set(Array.from(known, heldForm));
    const isOurUser = (id: string): boolean =>
      users.has(heldForm(id)) || (spellings.has(foldedUser(id)) && !others.has(heldForm(id)));
    const keyed = [...this.#keys.values()].map(({ session }) => session);
    const sessions = new Set([...this.#sessions, ...keyed].map(heldForm));
    for (const { id, user, session } of records) {
      const isOurs =
        (user !== null && isOurUser(user)) || (session !== null && sessions.has(heldForm(session)));
      if (isOurs) this.#holds.set(id, user ?? session ?? '');
    }
  }

  /** Call after `learn` for every commit. @param listed every user that was ever listed */
  learnOwners(listed: ReadonlyMap<UserId, unknown>): void {
    for (const { user, other } of this.#doubts) if (this.ids.has(other)) this.owners.add(user);
    for (const { id, users, sessions } of this.#asked) {
      const isUser = users.some((user) => this.#users.has(user));
      if (isUser || sessions.some((session) => this.ids.has(session))) this.#requests.add(id);
    }
    for (const user of [...this.#users].map(asUserId)) {
      if (!listed.has(user)) continue;
      this.owners.add(user);
      this.foundUsers.add(user);
    }
  }

  /** Notes which of the requested users and sessions a commit names. */
  learn(commit: Commit): void {
    for (const key of [...commit.sessions, ...commit.deletions]) {
      if (!this.has(key)) continue;
      this.commits.add(commit.number);
      this.owners.add(key.user);
      this.ids.add(key.session);
      const { user, session } = key;
      this.#keys.set(sessionKey(user, session), { user, session });
      if (this.#users.has(key.user)) this.foundUsers.add(key.user);
      if (this.#sessions.has(key.session)) this.foundSessions.add(key.session);
    }
    for (const { user, gaps } of commit.sessions) {
      for (const { shared_with: other } of gaps) {
        if (other !== undefined) this.#doubts.push({ user, other });
      }
    }
    for (const entry of commit.requests ?? []) {
      if (entry.action === 'new') this.#asked.push(entry);
    }
  }
}

/**
 * Reads the log up to the newest commit that the archive's index knows; of what was learned before, only what came since,
 * unless an erasure has redacted it.
 */
export async function learnFromLog(archive: Archive, target: ErasureTarget): Promise<void> {
  const { index } = archive;
  const { through } = index;
  const from = index.lastErasure > target.through ? 1 : target.through + 1;
  for await (const commit of index.walk({ from, through })) target.learn(commit);
  target.through = through;
  target.learnOwners(await listingsFor(archive, target));
  if (index.holds.length > 0) target.learnHolds(index.holds, await index.allUsers());
}

/** Number of the first commit that lists one of the erased users, as far as the index knows the log: none before it does. */
export async function firstListing(archive: Archive, target: ErasureTarget): Promise<number> {
  const listings = await listingsFor(archive, target);
  const { users } = target.asked;
  const since = users.map((user) => listings.get(asUserId(user))?.since ?? Infinity);
  return Math.min(archive.index.through + 1, ...since);
}

/** None where no user is erased as a whole: sessions have no listing, and no users manifest is read for them. */
async function listingsFor(
  { index }: Archive,
  { asked }: ErasureTarget,
): Promise<ReadonlyMap<UserId, ListingsOfUser>> {
  return asked.users.length > 0 ? index.listings() : new Map<UserId, ListingsOfUser>();
}

/** Part files of commits about the erased, as `learnFromLog` finds them, and of rewrites. */
export function filesWithRows({ index }: Archive, target: ErasureTarget): FileEntry[] {
  const { files } = index.contents;
  const paths = [...index.commits].flatMap((commit) =>
    target.commits.has(commit.number) || isRewrite(commit) ? commit.files : [],
  );
  const found = [...new Set(paths)].flatMap((path) => files.get(path) ?? []);
  return found.filter(({ table }) => table !== 'datasets');
}
