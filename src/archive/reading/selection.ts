/** What is asked for (users, sessions, a period), the part of an archive that is selected by it, and the refusal of those that are not in it. */
import { UsageError } from '../../base/error.js';
import type { ChosenJobs } from './chosen-jobs.js';
import { Decisions } from './requests/decisions.js';
import { rowId, sessionKey, type SessionId, type UserId } from '../../model/ids.js';
import { erasureCounts, type ErasureCounts } from '../erasing/erasures.js';
import type { LogIndex } from '../log/log-index.js';
import { sinceWhat } from '../log/suppressions.js';
import { groupBy } from '../../base/group-by.js';
import { didYouMean } from '../../base/text/short-texts.js';
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/mask-secrets.js';
import type { WantedRows } from '../../formats/format.js';
import type { Archive } from '../archive.js';
import { Spellings, type ListedAgain, type OtherSpelling } from './users/listed-again.js';
import { assertPeriodKnown } from './users/read-until.js';
import { NewestSessions } from './newest-sessions.js';
import type { Scope } from './scope.js';
import { unreadUsers, type UnreadUsers } from '../state/run-history.js';

interface SessionTrace {
  /** Users who have it in the archive: normally one. */
  readonly users: ReadonlySet<UserId>;
  /** Numbers of the commits that change it. */
  readonly commits: ReadonlySet<number>;
}

/**
 * Walks the log once, however many sessions are asked for. A session that is not in it has no trace.
 *
 * @param index up to date
 * @param sessions ids as the log has them, or as rows have them
 * @returns by id, as the log has it
 * @throws {IntegrityError}
 */
export async function traceSessions(
  index: LogIndex,
  sessions: Iterable<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, SessionTrace>> {
  const ids = new Set<string>(sessions);
  const traces = new Map<SessionId, { users: Set<UserId>; commits: Set<number> }>();
  if (ids.size === 0) return traces;
  for (const { user, session, commits } of await NewestSessions.of(index, { signal })) {
    if (!ids.has(session) && !ids.has(rowId(session))) continue;
    const trace = traces.get(session) ?? { users: new Set(), commits: new Set() };
    traces.set(session, trace);
    trace.users.add(user);
    for (const commit of commits) trace.commits.add(commit);
  }
  return traces;
}

export interface SelectionOptions {
  /** Whether users of whom nothing is archived are in scope, which takes reading listings. Default true. */
  readonly hasListed?: boolean | undefined;
  /** Whether a session is in scope under each spelling of its user that lists it: for work on the archive. Default false. */
  readonly eachSpelling?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is in scope. Ids may be given as the log has them, or as rows have them. */
export class Selection {
  readonly #users: ReadonlySet<string>;
  /** Undefined: all sessions. */
  readonly #sessions: ReadonlySet<string> | undefined;
  readonly #again: ReadonlySet<string>;

  private constructor(
    /** In the order in which they came into the log. */
    readonly users: readonly UserId[],
    readonly scope: Scope,
    /** The commits that touch the named sessions; undefined where none are named. */
    readonly commits: ReadonlySet<number> | undefined,
    readonly spellings: Spellings,
    /** Users who are spellings of one that the scope names, and whom it does not name: nothing of them is in scope. */
    readonly otherSpellings: readonly OtherSpelling[],
    /** Sessions that several spellings in scope list, under those for which they do not count: in scope they are once. */
    readonly listedAgain: readonly ListedAgain[],
    /** Where everybody is in scope: users whom the newest export was to read, and has not. */
    readonly unreadUsers: UnreadUsers | undefined,
    readonly chosen?: ChosenJobs,
    /** What is withheld is not in scope. */
    readonly decisions = Decisions.NONE,
  ) {
    this.#again = new Set(listedAgain.map(({ user, session }) => rowKey(user, session)));
    this.#users = new Set(users.map(rowId));
    this.#sessions = scope.sessions.length > 0 ? new Set(scope.sessions.map(rowId)) : undefined;
  }

  /**
   * @param archive its index must be up to date
   * @throws {UsageError} as `traceScope`, or a copy of days cannot judge the period
   * @throws {IntegrityError} the log is damaged
   */
  static async of(
    archive: Archive,
    scope: Scope,
    { signal, hasListed = true, eachSpelling = false }: SelectionOptions = {},
  ): Promise<Selection> {
    assertPeriodKnown(scope.period, archive.identity.pseudonymised);
    const traces = await traceScope(archive, scope, signal);
    const named = new Set(scope.users.map(rowId));
    const isNamed = (user: UserId): boolean => named.size === 0 || named.has(rowId(user));
    const isOfSessions = scope.sessions.length > 0;
    // who has a session was not only listed
    const { index } = archive;
    const known = isOfSessions || !hasListed ? index.users : await index.allUsers();
    const spellings = await Spellings.in(archive);
    const others = spellings.othersOf(scope.users, known);
    const twice = spellings.listedAgain.filter(
      ({ user, countsFor, session }) =>
        !eachSpelling &&
        isNamed(user) &&
        isNamed(countsFor) &&
        (!isOfSessions || traces.has(session)),
    );
    const elsewhere = new Set(twice.map(({ user, session }) => sessionKey(user, session)));
    const owners = new Set<UserId>();
    for (const [session, trace] of traces) {
      for (const user of trace.users) {
        if (!elsewhere.has(sessionKey(user, session))) owners.add(user);
      }
    }
    const users = known.filter((user) => isNamed(user) && (!isOfSessions || owners.has(user)));
    const commits = new Set([...traces.values()].flatMap((trace) => [...trace.commits]));
    const isOfEverybody = hasListed && named.size === 0 && !isOfSessions;
    const unread = isOfEverybody ? unreadUsers(index, known.length) : undefined;
    return new Selection(
      users,
      scope,
      isOfSessions ? commits : undefined,
      spellings,
      others,
      twice,
      unread,
    );
  }

  /** Only these jobs. A user whom the scope names stays, even without any: to have found nothing is an answer. */
  narrowedTo(chosen: ChosenJobs): Selection {
    const named = new Set(this.scope.users.map(rowId));
    const users = this.users.filter((user) => named.has(rowId(user)) || chosen.hasUser(user));
    return this.#with(users, chosen, this.decisions);
  }

  /** Without what is withheld; what is redacted stays in scope. */
  withDecisions(decisions: Decisions): Selection {
    return decisions.isEmpty ? this : this.#with(this.users, this.chosen, decisions);
  }

  #with(users: readonly UserId[], chosen: ChosenJobs | undefined, decisions: Decisions): Selection {
    const { scope, commits, spellings, otherSpellings: others, listedAgain } = this;
    const unread = this.unreadUsers;
    return new Selection(
      users,
      scope,
      commits,
      spellings,
      others,
      listedAgain,
      unread,
      chosen,
      decisions,
    );
  }

  /** Whether it may lack something that the archive has of its users. */
  get isNarrowed(): boolean {
    return this.#sessions !== undefined || this.chosen !== undefined;
  }

  /** Which rows a reader of part files need not make; undefined where all users are in scope with all they have. */
  get wanted(): WantedRows | undefined {
    const isAll = this.scope.users.length === 0 && this.listedAgain.length === 0;
    if (isAll && !this.isNarrowed) return undefined;
    return (user, session) => this.hasSession(user, session);
  }

  hasUser(user: string): boolean {
    return this.#users.has(rowId(user));
  }

  hasSession(user: string, session: string): boolean {
    return this.couldHaveSession(user, session) && !this.decisions.withholdsSession(session);
  }

  /** Whether the session is in scope, or would be if it were not withheld. */
  couldHaveSession(user: string, session: string): boolean {
    return (
      this.hasUser(user) &&
      (this.#sessions?.has(rowId(session)) ?? true) &&
      !this.#isAgain(user, session) &&
      (this.chosen?.hasSession(user, session) ?? true)
    );
  }

  /** Whether it counts for another spelling of the user. */
  #isAgain(user: string, session: string): boolean {
    // keys are made only where there are some: there may be a million sessions
    return this.#again.size > 0 && this.#again.has(rowKey(user, session));
  }

  hasJob(user: string, session: string, job: string): boolean {
    return (
      this.hasSession(user, session) &&
      (this.chosen?.hasJob(user, session, job) ?? true) &&
      !this.decisions.withholds(session, job)
    );
  }

  /** Whether a row of any table is of a session in scope, and of a job in scope if it is of a job. */
  hasRow(row: Row): boolean {
    const [user, session, job] = ['user_id', 'session_id', 'job_id'].map((id) => textIn(row, id));
    if (user == null || session == null) return false;
    return job == null ? this.hasSession(user, session) : this.hasJob(user, session, job);
  }
}

function rowKey(user: string, session: string): string {
  return sessionKey(rowId(user), rowId(session));
}

/**
 * Checks that users are known; those are known, too, of whom nothing could be archived.
 *
 * @param archive its index must be up to date
 * @param users as the log has them
 * @throws {UsageError} a user is not in the archive; the message suggests similar ids
 * @throws {IntegrityError} a users manifest is damaged
 */
export async function assertUsersKnown(archive: Archive, users: readonly string[]): Promise<void> {
  const { index } = archive;
  const archived = new Set<string>(index.users);
  if (users.every((user) => archived.has(user))) return; // no listing need be read
  const known = new Set<string>(await index.allUsers());
  const unknown = users.find((user) => !known.has(user));
  if (unknown !== undefined)
    throw noSuchUser(placeWithout(archive, 'user', unknown), unknown, known);
}

/**
 * Finds the named sessions in the log: who has each, and in which commits. Walks it only if sessions are named.
 *
 * @param archive its index must be up to date
 * @param scope ids as the log has them, or as rows have them
 * @returns by id, as the log has it
 * @throws {UsageError} a user is not in the archive, or a session is not, or none of the named users has it, or one of them has none of the sessions
 * @throws {IntegrityError} the log is damaged
 */
export async function traceScope(
  archive: Archive,
  { users, sessions }: Scope,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, SessionTrace>> {
  if (users.length + sessions.length === 0) return new Map();
  const { index, storage } = archive;
  const named = new Set(await resolveUsers(archive, users));
  const traces = await traceSessions(index, sessions.map(rowId), signal);
  const owners = new Map<string, Set<UserId>>();
  for (const [id, trace] of traces) {
    const all = owners.get(rowId(id)) ?? new Set();
    owners.set(rowId(id), new Set([...all, ...trace.users]));
  }
  for (const session of sessions) {
    const sessionOwners = [...(owners.get(rowId(session)) ?? [])];
    const isThere =
      users.length === 0 ? sessionOwners.length > 0 : sessionOwners.some((user) => named.has(user));
    if (!isThere) throw await noSuchSession(archive, session, users);
  }
  const all = new Set([...owners.values()].flatMap((some) => [...some]).map(rowId));
  const without = sessions.length === 0 ? undefined : users.find((user) => !all.has(rowId(user)));
  if (without !== undefined) {
    throw new UsageError(`user "${without}" has none of the sessions named in ${storage.location}`);
  }
  return traces;
}

/** @param users ids as the log has them, or as rows have them @throws {UsageError} one is not in the archive */
async function resolveUsers(archive: Archive, users: readonly string[]): Promise<UserId[]> {
  if (users.length === 0) return [];
  const { index } = archive;
  const wanted = new Set(users.map(rowId));
  // no listing need be read of those who have sessions
  let known = index.users.filter((user) => wanted.has(rowId(user)));
  if (new Set(known.map(rowId)).size < wanted.size) known = await index.allUsers();
  const byRowId = groupBy(known, rowId);
  return users.flatMap((user) => {
    const resolved = byRowId.get(rowId(user));
    if (!resolved) throw noSuchUser(placeWithout(archive, 'user', user), user, known);
    return resolved;
  });
}

/** Those of whom the archive knows something, be it that nothing of them could be archived. @param users as those of `resolveUsers` */
export async function knownUsers({ index }: Archive, users: readonly string[]): Promise<string[]> {
  await index.refresh();
  const known = new Set((await index.allUsers()).map(rowId));
  return users.filter((user) => known.has(rowId(user)));
}

/** What a sentence about somebody unknown says of the archive, or of several. */
interface Place {
  readonly location: string;
  readonly erasures: ErasureCounts;
  /** Why exports skip whom is asked for; null where they do not. */
  readonly skipped: string | null;
}

/** @param known all users of the place */
export function noSuchUser(place: Place, user: string, known: Iterable<string>): UsageError {
  const hint = didYouMean('user', user, known);
  return new UsageError(`${place.location} has no user "${user}"; ${erasedHint(hint, place)}`);
}

/** A receipt names nobody: one of the erasures may have been of what is asked for, unless exports skip it. */
function erasedHint(hint: string, { erasures: { count, last }, skipped }: Place): string {
  const names = 'receipts name nobody (jobvault erase --list)';
  const sentence = `${hint}${hint.endsWith('?') ? '' : '.'}`;
  if (skipped !== null) return `${sentence} ${skipped}; ${names}`;
  if (count === 0 || last === null) return hint;
  const times = count === 1 ? '1 erasure, of' : `${count} erasures, the last of`;
  return `${sentence} It may have been erased: there ${count === 1 ? 'is' : 'are'} ${times} ${last.slice(0, 10)}; ${names}`;
}

/** Why exports skip a user or a session, in a sentence; null where they do not. @param archive its index must be up to date */
export function whySkipped(
  { index: { suppressions } }: Archive,
  subject: 'user' | 'session',
  id: string,
): string | null {
  const record = subject === 'user' ? suppressions.ofUser(id) : suppressions.ofSession(id);
  return record ? `Exports skip this ${subject} ${sinceWhat(record)}` : null;
}

/** The archive, where it does not have whom is asked for. */
export function placeWithout(archive: Archive, subject: 'user' | 'session', id: string): Place {
  const { index, storage } = archive;
  const skipped = whySkipped(archive, subject, id);
  return { location: storage.location, erasures: erasureCounts(index), skipped };
}

/**
 * Walks the log for ids that may be meant.
 *
 * @param users of whom the session was to be; empty: of anybody
 */
export async function noSuchSession(
  archive: Archive,
  session: string,
  users: readonly string[] = [],
): Promise<UsageError> {
  const known = new Set<string>();
  const isNamed = (user: string): boolean => users.length === 0 || users.includes(user);
  for (const { user, session: sessionId, version } of await NewestSessions.of(archive.index)) {
    if (isNamed(user) && version > 0) known.add(sessionId);
  }
  // it may be of another user, or the caller may know a reason why it does not count
  known.delete(session);
  const whose = users.length === 0 ? '' : ' of these users';
  const hint = didYouMean('session', session, known);
  const place = placeWithout(archive, 'session', session);
  return new UsageError(
    `${place.location} has no session "${session}"${whose}; ${erasedHint(hint, place)}`,
  );
}
