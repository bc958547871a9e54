/** The newest full listing of each user: whether it proves the user complete, and the gap that it shows; and users whom several archives of one service have. */
import { readAhead } from '../../../base/concurrently.js';
import type { Archive } from '../../archive.js';
import type { UserEntry } from '../../log/commit.js';
import { newestRead, newestReadOfAll, type UserListing } from '../../log/newest-listings.js';
import { isLive } from '../../state/archived-session.js';
import type { SessionState } from '../../state/user-state.js';
import type { UserId } from '../../../model/ids.js';
import { foldedUser } from '../../../model/user-spelling.js';
import { NamedPlaces } from '../caveats/named-places.js';
import { mayBeHere } from '../requests/erased-and-back.js';
import { NewestSessions, type NewestSession } from '../newest-sessions.js';

/** The receipt of an erasure. It does not name the users. */
interface ErasureReceipt {
  readonly commit: number;
  /** The number of erased sessions. */
  readonly sessions: number;
  /** Whether the log has a digest of each of them, because exports skip them: one that comes back is known by its id. */
  readonly isKnownById: boolean;
}

/** Sessions of a user are missing according to the listing. */
export interface ListingGap {
  /** As the run that listed has called it. */
  readonly status: 'failed' | NonNullable<UserEntry['gap']>;
  readonly reason: string;
}

/** What erasures have taken of a user, as far as counts tell it: receipts name nobody. */
export interface UserErasure {
  /** One text for all spellings of the user; in a copy, which has only digests of them, as it has noted. */
  readonly person: string;
  /** Sessions that were listed and archived, and that the archive has no more. */
  readonly missing: number;
  /** Sessions that the archive has of the user, and the missing ones. */
  readonly all: number;
  /**
   * Where none that was erased since the newest full listing is certainly of this user: how many may be, as far as the
   * listing lacks them and others do not certainly lack them; otherwise 0.
   */
  readonly atMost: number;
  /** Whether nothing else keeps the user from being proven complete. */
  readonly isAll: boolean;
  /** Sessions that the archive has ever erased and that are certainly nobody's: some may be this user's, too. */
  readonly unexplained: number;
  /** How many of these may be archived again. */
  readonly mayBeHere: number;
}

type Unexplained = Pick<UserErasure, 'unexplained' | 'mayBeHere'>;

const ALL_EXPLAINED: Unexplained = { unexplained: 0, mayBeHere: 0 };

/** Sessions that left the archive after they were listed. A receipt names nobody: where counts do not show it, they may be anybody's. */
export class ErasedSessions {
  /** Users of whom sessions are certainly missing. */
  readonly certain = new NamedPlaces();
  /** Users of whom some may be missing. */
  readonly possible = new NamedPlaces();
  readonly #missing = new PersonCounts();
  /** The most that may be missing of any user, since the oldest of the listings. */
  atMost = 0;
  unexplained = 0;
  /** How many of these may be archived again. */
  mayBeHere = 0;

  get missing(): number {
    return this.#missing.sum;
  }

  /** Missing sessions that count for this user, so that the users add up: of several spellings they count for the one of which most are missing. */
  missingOf(user: string): number {
    return this.#missing.countedFor(user);
  }

  /** Whether there may be more: sessions that two spellings of a user list count once. */
  get isAtLeast(): boolean {
    return this.#missing.isAtLeast;
  }

  add(user: string, erasure: UserErasure): void {
    const { missing, all, atMost, unexplained, mayBeHere, person } = erasure;
    this.unexplained = Math.max(this.unexplained, unexplained);
    this.mayBeHere = Math.max(this.mayBeHere, mayBeHere);
    this.atMost = Math.max(this.atMost, atMost);
    if (atMost > 0) this.possible.add({ user });
    if (missing === 0) return;
    this.#missing.add(user, missing, person);
    this.certain.add({ user, note: `${missing} of ${all}` });
  }
}

/** Counts of sessions, in which a session counts once that several spellings of a user list: nobody knows which are the same. */
export class PersonCounts {
  /** The most of any spelling, and the first that has so many, by what they have in common. */
  readonly #most = new Map<string, { readonly user: string; readonly sessions: number }>();
  #isAtLeast = false;

  /** Whether several spellings of a user have any. */
  get isAtLeast(): boolean {
    return this.#isAtLeast;
  }

  /** @param person the same for all spellings of the user */
  add(user: string, sessions: number, person = foldedUser(user)): void {
    const known = this.#most.get(person)?.sessions ?? 0;
    if (sessions > 0 && known > 0) this.#isAtLeast = true;
    if (sessions > known) this.#most.set(person, { user, sessions });
  }

  of(user: string): number {
    return this.#most.get(foldedUser(user))?.sessions ?? 0;
  }

  /** The count of the person, for one of the spellings. */
  countedFor(user: string): number {
    const most = this.#most.get(foldedUser(user));
    return most?.user === user ? most.sessions : 0;
  }

  merge(other: PersonCounts): void {
    for (const [person, { user, sessions }] of other.#most) this.add(user, sessions, person);
    this.#isAtLeast ||= other.#isAtLeast;
  }

  /** At least so many. */
  get sum(): number {
    let sum = 0;
    for (const { sessions } of this.#most.values()) sum += sessions;
    return sum;
  }
}

/** Why a listing failed: perhaps the id is wrong. */
export const NEVER_LISTED =
  'the service lists no session of this user, and none is archived: check the id, or pass --allow-unknown-users';

/** How many sessions of a user the archive has. */
interface SessionsHere {
  readonly archived: number;
  /** How many of them were neither gone nor deleted when the service was asked last. */
  readonly present: number;
}

/** How many sessions of a user the archive has, and how many of them the newest full listing of the user had for certain. */
interface SessionsListed extends SessionsHere {
  readonly listed: number;
}

const NONE_HERE: SessionsListed = { archived: 0, present: 0, listed: 0 };

/** Sessions that erasures have certainly taken of a user since the listing of this commit. */
interface CertainErasure {
  readonly commit: number;
  readonly sessions: number;
}

type Index = Pick<Archive['index'], 'commit' | 'commitsTouching'>;

export class UserListings {
  readonly #listings: ReadonlyMap<string, UserListing | undefined>;
  /** Erasures since the oldest of the listings. */
  readonly #erasures: readonly ErasureReceipt[];
  /** By user. */
  readonly #certain: ReadonlyMap<string, CertainErasure>;
  /** By user; empty where nothing was erased since. */
  readonly #here: ReadonlyMap<string, SessionsListed>;
  /** By commit of a listing: many users have the same. */
  readonly #sums = new Map<number, PersonCounts>();
  readonly #unexplained: Unexplained;
  /** In a copy: spellings of somebody who has conversations, perhaps all of them under another one; by each the first of them. */
  readonly #spelt: ReadonlyMap<string, string>;
  readonly #index: Index;

  private constructor({
    listings,
    erasures,
    certain,
    here,
    unexplained,
    spelt,
    index,
  }: {
    readonly listings: ReadonlyMap<string, UserListing | undefined>;
    readonly erasures: readonly ErasureReceipt[];
    readonly certain: ReadonlyMap<string, CertainErasure>;
    readonly here: ReadonlyMap<string, SessionsListed>;
    readonly unexplained: Unexplained;
    readonly spelt: ReadonlyMap<string, string>;
    readonly index: Index;
  }) {
    this.#listings = listings;
    this.#erasures = erasures;
    this.#certain = certain;
    this.#here = here;
    this.#unexplained = unexplained;
    this.#spelt = spelt;
    this.#index = index;
  }

  /** Where nothing rests on listings: none is read. */
  static readonly NONE = new UserListings({
    listings: new Map(),
    erasures: [],
    certain: new Map(),
    here: new Map(),
    unexplained: ALL_EXPLAINED,
    spelt: new Map(),
    index: { commit: () => undefined, commitsTouching: () => [] },
  });

  /** A snapshot: later commits are not included. @param archive its index must be up to date */
  static async of(archive: Archive): Promise<UserListings> {
    const { index, identity } = archive;
    const people = identity.pseudonymised?.people ?? [];
    const spelt = new Map(people.flatMap((ids) => ids.map((id) => [id, ids[0] ?? id] as const)));
    const newest = await index.listings();
    const listings = new Map([...newest].map(([user, { lastOfAll }]) => [user, lastOfAll]));
    const certain = new Map<string, CertainErasure>();
    if (index.erasures.length === 0) {
      const here = new Map<string, SessionsListed>();
      const none = { erasures: [], unexplained: ALL_EXPLAINED };
      return new UserListings({ listings, ...none, certain, here, spelt, index });
    }
    const erasures = await receiptsSince(archive, listings.values());
    const here =
      erasures.length === 0
        ? new Map<string, SessionsListed>()
        : await sessionsHere(index, listings);
    for (const [user, listing] of erasures.length === 0 ? [] : listings) {
      if (!listing) continue;
      const { commit } = listing;
      const ofUser = here.get(user) ?? NONE_HERE;
      const sessions = certainlyErased(index, listing, ofUser, erasedAfter(erasures, commit));
      if (sessions > 0) certain.set(user, { commit, sessions });
    }
    const unexplained = await unexplainedErasures(archive, { listings, certain });
    return new UserListings({ listings, erasures, certain, here, unexplained, spelt, index });
  }

  /** Sessions that the archive has ever erased and that are certainly nobody's: what is told of users is less than that was. */
  get unexplained(): number {
    return this.#unexplained.unexplained;
  }

  get(user: string): UserListing | undefined {
    return this.#listings.get(user);
  }

  /** Whether the service has listed no session of the user, and none is archived: the id may be wrong. @param archived number of the user's sessions in the archive */
  isNeverSeen(user: string, archived: number): boolean {
    const entry = this.get(user)?.entry;
    if (!entry || archived > 0 || (entry.erased ?? 0) + (entry.suppressed ?? 0) > 0) return false;
    // in a copy, what is not of its request, or counts for another spelling, is not listed, but was read
    const isRead = readIn(entry) > 0 || this.#spelt.has(user);
    return entry.complete && entry.listed === 0 && !isRead;
  }

  /** Sessions of any user that were erased after the user's listing; null if the user has no full listing. */
  erasedSince(user: string): number | null {
    const listing = this.get(user);
    return listing ? erasedAfter(this.#erasures, listing.commit) : null;
  }

  /** The gap of the user's listing, if any. @param archived number of the user's sessions in the archive */
  gapOf(user: string, archived: number): ListingGap | undefined {
    const entry = this.get(user)?.entry;
    if (!entry) return undefined;
    const { error, gap: status = 'failed', complete, listed, total_items: total } = entry;
    if (error !== null) return { status, reason: error };
    const missing = (reason: string): ListingGap => ({ status: 'incomplete', reason });
    if (!complete && (total === null || listed < total)) {
      return missing(
        total === null
          ? `${listed} sessions were listed, and the service sent no total`
          : `${listed} sessions were listed, and the service's total is ${total}`,
      );
    }
    const erased = this.erasedSince(user) ?? 0;
    if (listed - archived <= erased) return undefined;
    const since = erased === 0 ? '' : `; at most ${erased} of the missing ones were erased since`;
    return missing(`${listed} sessions were listed, and the archive has ${archived}${since}`);
  }

  /**
   * Whether all sessions of the user were listed and archived, and none of them was erased since: nobody was, or others
   * certainly were, or the archive has as many as were listed.
   */
  isProven(user: string): boolean {
    const listing = this.get(user);
    return listing?.entry.complete === true && this.#mostErased(listing) === 0;
  }

  /** Why a user is not proven complete, as far as the log tells. */
  whyUnproven(user: string): string {
    const entry = this.get(user)?.entry;
    if (!entry) return 'never listed as a whole';
    if (entry.error !== null) return 'the last listing failed';
    return entry.complete
      ? 'something of the last listing may have been erased since'
      : 'not all that was listed last was archived';
  }

  /**
   * Undefined of a user who was never listed, or of whom nothing shows that sessions were erased.
   *
   * @param archived number of the user's sessions in the archive
   */
  erasureOf(user: string, archived: number): UserErasure | undefined {
    const listing = this.get(user);
    if (!listing) return undefined;
    const { complete, erased = 0 } = listing.entry;
    const isAll = complete || isReadWhole(listing.entry);
    const most = this.#mostErased(listing);
    const here = this.#here.get(user) ?? NONE_HERE;
    const since = most > 0 ? certainlyErased(this.#index, listing, here, most) : 0;
    const missing = erased + since;
    const atMost = since > 0 ? 0 : most;
    if (missing + atMost === 0) return undefined;
    const all = archived + missing;
    const person = this.#spelt.get(user) ?? foldedUser(user);
    return { person, missing, all, atMost, isAll, ...this.#unexplained };
  }

  /** The most sessions of the listing that were erased since: no more than it lacks, and none that is certainly of others. */
  #mostErased(listing: UserListing): number {
    const { entry, commit } = listing;
    const erased = erasedAfter(this.#erasures, commit);
    if (erased === 0) return 0;
    const ofUser = this.#certain.get(entry.user)?.sessions ?? 0;
    const since = this.#certainSince(commit);
    const ofOthers = since.sum - since.of(entry.user);
    return Math.min(Math.max(ofUser, erased - ofOthers), this.#lackedBy(listing));
  }

  /** Sessions that are certainly of users whose listing is not older: they were erased after it, too. */
  #certainSince(listing: number): PersonCounts {
    const known = this.#sums.get(listing);
    if (known) return known;
    const counts = new PersonCounts();
    for (const [user, { commit, sessions }] of this.#certain) {
      if (commit >= listing) counts.add(user, sessions);
    }
    this.#sums.set(listing, counts);
    return counts;
  }

  /** The most sessions of the listing that the archive may not have. */
  #lackedBy({ entry }: UserListing): number {
    const { error, listed, total_items: total, user } = entry;
    if (error !== null || total === null) return Infinity;
    const all = Math.max(listed, total);
    const here = (this.#here.get(user) ?? NONE_HERE).listed;
    return here > all ? all : all - here;
  }
}

/**
 * The newest listing of a user that was read to its end: of any run, and of one that exported all sessions.
 *
 * @throws {IntegrityError} a users manifest is damaged
 */
export async function listingsRead(index: Pick<Archive['index'], 'listings'>): Promise<
  (user: UserId) => {
    readonly last: UserListing | undefined;
    readonly ofAll: UserListing | undefined;
  }
> {
  const listings = await index.listings();
  return (user) => {
    const ofUser = listings.get(user);
    return {
      last: ofUser && newestRead(ofUser),
      ofAll: ofUser && newestReadOfAll(ofUser),
    };
  };
}

function erasedAfter(erasures: readonly ErasureReceipt[], listing: number): number {
  return erasures
    .filter(({ commit }) => commit > listing)
    .reduce((sum, { sessions }) => sum + sessions, 0);
}

/** Whether the service has listed as many sessions as it says that there are. */
export function isListedWhole({ error, listed, total_items: total }: UserEntry): boolean {
  return error === null && total !== null && listed >= total;
}

/** Whether all sessions were listed and read: what it lacks are gaps of them, as of a file. */
function isReadWhole(entry: UserEntry): boolean {
  return isListedWhole(entry) && areSessionsRead(entry);
}

/** Whether a listing is whole and each of its sessions was tried: one that could not be read is a gap of that session. */
export function isTriedWhole(entry: UserEntry): boolean {
  return isListedWhole(entry) && readIn(entry) === entry.listed;
}

function areSessionsRead(entry: UserEntry): boolean {
  return entry.sessions.failed === 0 && readIn(entry) === entry.listed;
}

/** How many sessions the run has read, or tried to. */
function readIn({ sessions }: UserEntry): number {
  return sessions.new + sessions.changed + sessions.unchanged + sessions.failed;
}

/** How many sessions the archive has, by user. */
async function sessionsHere(
  index: Archive['index'],
  listings: ReadonlyMap<string, UserListing | undefined>,
): Promise<ReadonlyMap<string, SessionsListed>> {
  const ofUsers = new Map<string, SessionsListed>();
  for (const session of await NewestSessions.of(index)) {
    const { user, version, goneAt, deletedAt } = session;
    if (version === 0) continue;
    const { archived, present, listed } = ofUsers.get(user) ?? NONE_HERE;
    const isThere = goneAt === null && deletedAt === null;
    const listing = listings.get(user);
    ofUsers.set(user, {
      archived: archived + 1,
      present: present + (isThere ? 1 : 0),
      listed: listed + (listing && wasListed(index, session, listing.commit) ? 1 : 0),
    });
  }
  return ofUsers;
}

/**
 * Whether the listing of this commit had the session: it was archived by then, and neither gone nor deleted. What
 * another run has exported since may have come, or come back, after the listing; what was deleted since was listed.
 */
export function wasListed(
  index: Index,
  { commits, goneAt, deletedAt }: NewestSession,
  listing: number,
): boolean {
  const { run, atMs = Infinity } = index.commit(listing) ?? {};
  const since = commits.filter((number) => number > listing).map((number) => index.commit(number));
  if (since.some((commit) => commit?.kind === 'export' && commit.run !== run)) return false;
  const isPruned = since.some((commit) => commit?.kind === 'prune');
  // prune may have found it gone
  if (goneAt !== null) return isPruned && Date.parse(goneAt) > atMs;
  return deletedAt === null || isPruned;
}

/**
 * Sessions that were listed and archived, and are not archived any more. What could not be archived of their files, no
 * listing counts.
 *
 * @param erased sessions of anybody that were erased since
 */
function certainlyErased(
  index: Index,
  { entry, commit }: UserListing,
  { archived, present }: SessionsHere,
  erased: number,
): number {
  const { complete, listed, user } = entry;
  const isRead = areSessionsRead(entry);
  if (!complete && !isReadWhole(entry)) return 0;
  const began = index.commit(commit)?.runBegan ?? 0;
  // whose deletion may have come after the listing may be one that was listed
  const mayBeDeletedSince = index.commitsTouching(user).some((number) => {
    const facts = index.commit(number);
    if (facts?.kind !== 'prune') return false;
    return number >= began || facts.atMs >= Date.parse(entry.listed_at);
  });
  const here = isRead && !mayBeDeletedSince ? present : archived;
  return Math.max(0, Math.min(listed - here, erased));
}

/** Sessions of a user that erasures have certainly taken. */
export interface ErasedBefore {
  /** As the last full listing says. */
  readonly told: number;
  /** Since that listing. */
  readonly since: number;
  /** How many of `since` may be among new ones: of the others the log would know the id. */
  readonly mayBeBack: number;
}

/**
 * Sessions of a user that erasures have certainly taken, for the next listing to keep: it lists them no more. Those that
 * the service still has are listed and archived again: then nothing is missing.
 *
 * @param listing the newest full one
 * @param sessions those of the user in the archive
 */
export async function erasedBefore(
  archive: Archive,
  listing: UserListing,
  sessions: ReadonlyMap<unknown, Pick<SessionState, 'deleted' | 'goneAt'>>,
): Promise<ErasedBefore> {
  const receipts = await receiptsSince(archive, [listing]);
  const present = [...sessions.values()].filter(isLive).length;
  const here = { archived: sessions.size, present };
  const erased = erasedAfter(receipts, listing.commit);
  const since = certainlyErased(archive.index, listing, here, erased);
  const ofUnknown = receipts.filter(({ isKnownById }) => !isKnownById);
  const mayBeBack = Math.min(since, erasedAfter(ofUnknown, listing.commit));
  return { told: listing.entry.erased ?? 0, since, mayBeBack };
}

/**
 * How many sessions an export may archive again of a user who was suppressed, and is no more, at most: of a receipt those that
 * the service still had. Who was suppressed without one was erased before.
 */
export async function awaitedOf({ index, log }: Archive, user: string): Promise<number> {
  let sessions = 0;
  for (const { commit } of index.suppressions.awaited(user)) {
    const { erasure } = await log.read(commit);
    sessions += erasure?.stage === 'begun' ? (erasure.at_service ?? 0) : Infinity;
  }
  return sessions;
}

/** Sessions of users who were erased as a whole since the newest export, unless the log knows what comes back of them: who of them comes back looks like somebody new. */
export async function erasedWithUsers({ index, log }: Archive): Promise<number> {
  const exports = [...index.commits].filter(({ kind }) => kind === 'export');
  const newest = exports.at(-1)?.number ?? 0;
  const erasures = index.erasures.filter((number) => number > newest);
  if (erasures.length === 0) return 0;
  const known = index.suppressions.withKnownReturns;
  let sessions = 0;
  for (const commit of erasures) {
    const { erasure } = await log.read(commit);
    if (erasure?.stage !== 'begun' || erasure.asked.users === 0) continue;
    if (known.has(commit)) continue;
    sessions += erasure.erased.sessions;
  }
  return sessions;
}

async function receiptsSince(
  archive: Archive,
  listings: Iterable<UserListing | undefined>,
): Promise<ErasureReceipt[]> {
  let oldest = Infinity;
  for (const listing of listings) oldest = Math.min(oldest, listing?.commit ?? Infinity);
  return receiptsAfter(archive, oldest);
}

/** Receipts read at a time. */
const READ_AHEAD = 8;

async function receiptsAfter({ index, log }: Archive, after: number): Promise<ErasureReceipt[]> {
  const receipts: ErasureReceipt[] = [];
  const numbers = index.erasures.filter((number) => number > after);
  for await (const { number, erasure } of readAhead(numbers, READ_AHEAD, (commitNumber) =>
    log.read(commitNumber),
  )) {
    if (erasure?.stage !== 'begun') continue;
    const { erased, suppressed } = erasure;
    receipts.push({
      commit: number,
      sessions: erased.sessions,
      isKnownById: suppressed?.users === 0 && suppressed.sessions >= erased.sessions,
    });
  }
  return receipts;
}

/**
 * Erased sessions that counts of listings show to be nobody's, and of which the log does not know that they are archived
 * again. Only where some are shown to be somebody's, all receipts are read.
 */
async function unexplainedErasures(
  archive: Archive,
  {
    listings,
    certain,
  }: {
    readonly listings: ReadonlyMap<string, UserListing | undefined>;
    readonly certain: ReadonlyMap<string, CertainErasure>;
  },
): Promise<Unexplained> {
  const counts = new PersonCounts();
  for (const [user, listing] of listings) {
    counts.add(user, (listing?.entry.erased ?? 0) + (certain.get(user)?.sessions ?? 0));
  }
  const explained = counts.sum;
  if (explained === 0) return ALL_EXPLAINED;
  const all = (await receiptsAfter(archive, 0)).reduce((sum, { sessions }) => sum + sessions, 0);
  const unexplained = Math.max(0, all - explained - archive.index.suppressions.returns);
  const here = unexplained === 0 ? 0 : await mayBeHere(archive);
  return { unexplained, mayBeHere: Math.min(unexplained, here) };
}
