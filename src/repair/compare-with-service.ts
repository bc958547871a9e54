/** Lists the differences between the service and the archive: by ids, content hashes, and the files of changed URLs. */
import type { Archive } from '../archive/archive.js';
import { FileComparison, type FileVerdict } from '../artifacts/file-comparison.js';
import { Spellings } from '../archive/reading/users/listed-again.js';
import { concurrently } from '../base/concurrently.js';
import { groupBy } from '../base/group-by.js';
import type { SessionState, UserState } from '../archive/state/user-state.js';
import { JobvaultError, messageOf, UsageError } from '../base/error.js';
import { didYouMean } from '../base/text/short-texts.js';
import { redactText } from '../base/text/redact.js';
import { contentHash } from '../flatten/content-hash.js';
import { differingParameters, urlTraces } from '../flatten/url-traces.js';
import {
  asJobId,
  asSessionId,
  asUserId,
  sessionKey,
  type SessionId,
  type UserId,
} from '../model/ids.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import { foldedUser, otherSpellings } from '../model/user-spelling.js';
import { readAll } from '../service/read-all.js';
import { Listings } from '../service/page-reader.js';
import { withRepairService, type ServiceAccess, type ServiceChoices } from './service-access.js';
import type { Comparison, Difference } from './difference.js';

/** Options of `compare` of an open archive. */
export interface CompareChoices extends ServiceChoices {
  /** Default: all users of the archive. The service has no list of its users. */
  readonly users?: readonly string[] | undefined;
  /** Histories read at a time. Default 8. */
  readonly concurrency?: number | undefined;
}

const DEFAULT_CONCURRENCY = 8;

/** @throws {UsageError} it is another service than the archive's, or nobody has one of the users @throws as `compareWithService` */
export async function compareArchive(
  archive: Archive,
  choices: CompareChoices,
  signal: AbortSignal,
): Promise<Comparison> {
  return withRepairService(archive, choices, signal, (access) =>
    compareWithService(archive, choices, access),
  );
}

/**
 * Reads every page of every history. A history that cannot be read is also a difference.
 *
 * @throws {UsageError} neither the archive nor the service has one of the users
 * @throws {ServiceError} the service refuses the key, or cannot be reached
 * @throws {IntegrityError} the log is damaged
 */
async function compareWithService(
  archive: Archive,
  choices: CompareChoices,
  access: ServiceAccess,
): Promise<Comparison> {
  const comparer = new Comparer(archive, access, choices.concurrency ?? DEFAULT_CONCURRENCY);
  await archive.index.refresh();
  const users = [...new Set(choices.users?.map(asUserId) ?? archive.index.users)];
  if (choices.users) await comparer.assertKnown(users);
  const spellings = await Spellings.in(archive);
  for (const spelt of groupBy(users, foldedUser).values()) {
    await comparer.compareSpellings(spelt, spellings);
  }
  const { sessions, equalJobs, differences } = comparer;
  const people = new Set(users.map((user) => spellings.personOf(user)));
  return { users: people.size, sessions, equalJobs, differences: differences.sort(inOrder) };
}

class Comparer {
  readonly differences: Difference[] = [];
  sessions = 0;
  equalJobs = 0;
  readonly #listings: Listings;
  readonly #archive: Archive;
  readonly #access: ServiceAccess;
  readonly #concurrency: number;

  constructor(archive: Archive, access: ServiceAccess, concurrency: number) {
    this.#archive = archive;
    this.#access = access;
    this.#concurrency = concurrency;
    this.#listings = new Listings(access);
  }

  /**
   * Checks that either side knows the users: of a misspelt one nothing would differ.
   *
   * @throws {UsageError} neither side has ever had a session of one of them
   */
  async assertKnown(users: readonly UserId[]): Promise<void> {
    const { index, storage } = this.#archive;
    const archived = await index.allUsers();
    for (const user of users) {
      if (archived.includes(user)) continue;
      const listed: unknown[] = [];
      const isRead = await this.#tolerant(user, null, async () => {
        const step = await readAll(this.#listings.sessionsOf(user)).next();
        if (!step.done) listed.push(...step.value.items);
        return undefined;
      });
      if (!isRead || listed.length > 0) continue;
      throw new UsageError(
        `neither ${storage.location} nor the service has a session of user "${user}"; ${didYouMean('user', user, archived)}`,
      );
    }
  }

  /**
   * A session that several spellings of a user have is compared once, with what is archived of it where it counts.
   *
   * @param named spellings of one user; the others that are archived are asked for what the service does not list of these
   */
  async compareSpellings(named: readonly UserId[], { listedAgain }: Spellings): Promise<void> {
    const { states, index } = this.#archive;
    const others = otherSpellings(named, [...index.users]);
    const archived = new Map<UserId, UserState['sessions']>();
    for (const user of [...named, ...others]) {
      archived.set(user, (await states.load(user)).sessions);
    }
    const again = new Map<string, UserId>();
    for (const { user, session, countsFor } of listedAgain) {
      if (archived.has(user)) again.set(sessionKey(user, session), countsFor);
    }
    const countedFor = (session: SessionId): UserId | undefined => {
      const first = [...archived].find(([, sessions]) => sessions.has(session))?.[0];
      return first && (again.get(sessionKey(first, session)) ?? first);
    };
    const asked = new Set(named.flatMap((user) => [...(archived.get(user)?.keys() ?? [])]));
    /** By session: the spelling under which it is read. */
    const listed = new Map<SessionId, UserId>();
    let isWhole = true;
    for (const user of [...named, ...others]) {
      const isNamed = named.includes(user);
      if (!isNamed && [...asked].every((session) => listed.has(session))) break;
      const { sessions, isRead } = await this.#listedOf(user);
      isWhole &&= isRead;
      for (const session of sessions) {
        if (!isNamed && !asked.has(session)) continue;
        if (!listed.has(session) || countedFor(session) === user) listed.set(session, user);
      }
    }
    const archivedOf = (session: SessionId): SessionState | undefined =>
      archived.get(countedFor(session) ?? asUserId(''))?.get(session);
    await concurrently(listed.entries(), this.#concurrency, ([session, user]) =>
      this.#compareSession(user, session, archivedOf(session)),
    );
    this.sessions += listed.size;
    if (!isWhole) return;
    for (const session of asked) {
      const [user, state] = [countedFor(session), archivedOf(session)];
      if (user && state && !listed.has(session)) this.#addUnlisted(user, session, state);
    }
  }

  /** @returns the sessions that the service lists of a user, and whether the list was read to its end */
  async #listedOf(
    user: UserId,
  ): Promise<{ readonly sessions: ReadonlySet<SessionId>; readonly isRead: boolean }> {
    const sessions = new Set<SessionId>();
    const isRead = await this.#tolerant(user, null, async () => {
      const found = readAll(this.#listings.sessionsOf(user));
      for (;;) {
        const step = await found.next();
        if (step.done) return step.value.gap;
        for (const { id } of step.value.items) sessions.add(asSessionId(id));
      }
    });
    return { sessions, isRead };
  }

  async #compareSession(
    user: UserId,
    session: SessionId,
    known: SessionState | undefined,
  ): Promise<void> {
    if (!known) this.#add('service_only', { user, session, note: 'the archive lacks the session' });
    const seen = new Set<string>();
    /** Content hashes. */
    const equal = new Map<string, string>();
    const isWhole = await this.#tolerant(user, session, async () => {
      const { fetcher, clock, signal } = this.#access;
      const reader = this.#listings.historyOf(user, session);
      const comparison = new FileComparison({ fetcher, reader, clock, signal });
      const found = readAll(reader);
      for (;;) {
        const step = await found.next();
        if (step.done) return step.value.gap;
        const page = step.value;
        const compared = page.items.map(async (item) => {
          seen.add(item.id);
          const filesOf = (files: string | null) => comparison.compare(item, files);
          const at = { user, session, job: item.id };
          const isEqual = await this.#compareJob(at, item.record, { known, filesOf });
          if (isEqual) equal.set(item.id, contentHash(item.record));
        });
        await Promise.all(compared);
        for (const { id, record } of page.again) {
          if (!equal.has(id) || equal.get(id) === contentHash(record)) continue;
          equal.delete(id);
          const note = 'its content changed while it was compared';
          this.#add('changed', { user, session, job: id, note });
        }
      }
    });
    this.equalJobs += equal.size;
    if (!isWhole) return;
    for (const job of known?.jobs.keys() ?? []) {
      const note = 'the service no longer has the job';
      if (!seen.has(job)) this.#add('archive_only', { user, session, job, note });
    }
  }

  /** Adds the job's difference, if any. @returns whether the job equals the archived one */
  async #compareJob(
    at: { readonly user: UserId; readonly session: SessionId; readonly job: string },
    record: Verbatim<JobRecord>,
    has: {
      readonly known: SessionState | undefined;
      readonly filesOf: (archived: string | null) => Promise<FileVerdict>;
    },
  ): Promise<boolean> {
    const archived = has.known?.jobs.get(asJobId(at.job));
    if (!archived) {
      this.#add('service_only', { ...at, note: 'the archive lacks the job' });
      return false;
    }
    if (archived.hash !== contentHash(record)) {
      this.#add('changed', { ...at, note: 'its content has changed' });
      return false;
    }
    if (differingParameters(archived.urls, urlTraces(record)).length > 0) {
      // a URL has changed: compare the bytes
      const verdict = await has.filesOf(archived.files);
      if (verdict.kind === 'other') {
        this.#add('changed', { ...at, note: 'one of its files has changed' });
        return false;
      }
      if (verdict.kind === 'unknown') {
        this.#add('unread', {
          ...at,
          note: `its files could not be compared: ${verdict.reason}`,
        });
        return false;
      }
    }
    return true;
  }

  #addUnlisted(user: UserId, session: SessionId, { deleted, goneAt }: SessionState): void {
    this.sessions++;
    const since = goneAt === null ? '' : `, as an export found at ${goneAt}`;
    const note = deleted
      ? 'deleted from the service after it was archived'
      : `the service no longer lists it${since}`;
    this.#add('archive_only', { user, session, note });
  }

  /** Adds a failure as a difference, so that the others are still read. @returns whether it was read to the end */
  async #tolerant(
    user: UserId,
    session: SessionId | null,
    read: () => Promise<Error | undefined>,
  ): Promise<boolean> {
    let failure: unknown;
    try {
      failure = await read();
    } catch (error) {
      if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
      failure = error;
    }
    if (failure === undefined) return true;
    this.#add('unread', { user, session, note: redactText(messageOf(failure)) });
    return false;
  }

  #add(
    kind: Difference['kind'],
    details: Pick<Difference, 'user' | 'note'> & Partial<Pick<Difference, 'session' | 'job'>>,
  ): void {
    this.differences.push({ kind, session: null, job: null, ...details });
  }
}

function inOrder(a: Difference, b: Difference): number {
  for (const key of ['user', 'session', 'job'] as const) {
    const [first, second] = [a[key] ?? '', b[key] ?? ''];
    if (first !== second) return first < second ? -1 : 1;
  }
  return 0;
}
