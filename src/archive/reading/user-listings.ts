/** The newest full listing of each user: whether it proves the user complete, and the gap that it shows; and users whom several archives of one service have. */
import type { Archive } from '../archive.js';
import { asUserId, type RunId } from '../../model/ids.js';
import type { UserEntry } from '../log/commit.js';
import type { UserListing } from '../log/newest-listings.js';
import { listedIn } from '../log/manifest.js';
import { NamedPlaces } from './named-places.js';

/** The receipt of an erasure. It does not name the users. */
interface ErasureReceipt {
  readonly commit: number;
  /** The number of erased sessions. */
  readonly sessions: number;
}

/** Sessions of a user are missing according to the listing. */
export interface ListingGap {
  /** `failed`: the listing failed. */
  readonly status: 'failed' | 'incomplete';
  readonly reason: string;
}

/** What erasures have taken of a user, as far as counts tell it: receipts name nobody. */
export interface UserErasure {
  /** Sessions that were listed and archived, and that the archive has no more. */
  readonly missing: number;
  /** Those that the archive has of the user, and the missing ones. */
  readonly all: number;
  /** Sessions of any user that were erased since the newest full listing, where some may be of this one and none is certainly; otherwise 0. */
  readonly atMost: number;
  /** Whether nothing else keeps the user from being proven complete. */
  readonly isAll: boolean;
}

/** Sessions that left the archive after they were listed. A receipt names nobody: where counts do not show it, they may be anybody's. */
export class ErasedSessions {
  /** Users of whom sessions are certainly missing. */
  readonly certain = new NamedPlaces();
  /** Users of whom some may be missing. */
  readonly possible = new NamedPlaces();
  missing = 0;
  /** The most that may be missing of any user, since the oldest of the listings. */
  atMost = 0;

  add(user: string, { missing, all, atMost }: UserErasure): void {
    this.atMost = Math.max(this.atMost, atMost);
    if (atMost > 0) this.possible.add({ user });
    if (missing === 0) return;
    this.missing += missing;
    this.certain.add({ user, note: `${missing} of ${all}` });
  }
}

/** Why a listing failed: perhaps the id is wrong. */
export const NEVER_LISTED =
  'the service has never listed a session of this user: check the id, or pass --allow-unknown-users';

export class UserListings {
  readonly #listings: ReadonlyMap<string, UserListing | undefined>;
  /** Erasures since the oldest of the listings. */
  readonly #erasures: readonly ErasureReceipt[];

  /** Number of the newest commit that changes sessions of a user. */
  readonly #changed: (user: string) => number;

  private constructor(
    listings: ReadonlyMap<string, UserListing | undefined>,
    erasures: readonly ErasureReceipt[],
    changed: (user: string) => number,
  ) {
    this.#listings = listings;
    this.#erasures = erasures;
    this.#changed = changed;
  }

  /** Where nothing rests on listings: none is read. */
  static readonly NONE = new UserListings(new Map(), [], () => 0);

  /** A snapshot: later commits are not included. @param archive its index must be up to date */
  static async of(archive: Archive): Promise<UserListings> {
    const { index } = archive;
    const newest = await index.listings();
    const listings = new Map([...newest].map(([user, { lastOfAll }]) => [user, lastOfAll]));
    const changed = (user: string): number => index.commitsTouching(asUserId(user)).at(-1) ?? 0;
    return new UserListings(listings, await receiptsSince(archive, listings.values()), changed);
  }

  get(user: string): UserListing | undefined {
    return this.#listings.get(user);
  }

  /** Sessions of any user that were erased after the user's listing; null if the user has no full listing. */
  erasedSince(user: string): number | null {
    const listing = this.get(user);
    if (!listing) return null;
    return this.#erasures
      .filter(({ commit }) => commit > listing.commit)
      .reduce((sum, { sessions }) => sum + sessions, 0);
  }

  /** The gap of the user's listing, if any. @param archived number of the user's sessions in the archive */
  gapOf(user: string, archived: number): ListingGap | undefined {
    const entry = this.get(user)?.entry;
    if (!entry) return undefined;
    const { error, complete, listed, total_items: total } = entry;
    if (error !== null) return { status: 'failed', reason: error };
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
   * Whether all sessions of the user were listed and archived, and none of them was erased since: nobody was, or as many
   * as were listed are there, and nothing of the user has come since.
   *
   * @param present how many sessions of the user the archive has that were neither gone nor deleted: gone ones may
   * compensate for erased ones
   */
  isProven(user: string, present: number): boolean {
    const listing = this.get(user);
    if (listing?.entry.complete !== true) return false;
    if (this.erasedSince(user) === 0) return true;
    return present === listing.entry.listed && this.#changed(user) <= listing.commit;
  }

  /**
   * Undefined of a user who was never listed, or of whom nothing shows that sessions were erased.
   *
   * @param archived number of the user's sessions in the archive
   * @param present as that of `isProven`
   */
  erasureOf(user: string, archived: number, present: number): UserErasure | undefined {
    const listing = this.get(user)?.entry;
    if (!listing) return undefined;
    const { complete: isAll, erased = 0 } = listing;
    const ofAnybody = this.isProven(user, present) ? 0 : (this.erasedSince(user) ?? 0);
    const since = certainlyErased(listing, archived, ofAnybody);
    const atMost = since > 0 ? 0 : ofAnybody;
    const missing = erased + since;
    if (missing + atMost === 0) return undefined;
    return { missing, all: archived + missing, atMost, isAll };
  }
}

/** Sessions that were listed, and are not archived any more. @param atMost sessions of anybody that were erased since */
function certainlyErased(
  { complete, listed }: UserEntry,
  archived: number,
  atMost: number,
): number {
  return complete ? Math.max(0, Math.min(listed - archived, atMost)) : 0;
}

/**
 * Sessions of a user that erasures have certainly taken, for the next listing to keep: it lists them no more. Those that
 * the service still has are listed and archived again: then nothing is missing.
 *
 * @param listing the newest full one
 * @param archived number of the user's sessions in the archive
 */
export async function erasedBefore(
  archive: Pick<Archive, 'index' | 'log'>,
  listing: UserListing,
  archived: number,
): Promise<{ readonly told: number; readonly since: number }> {
  const receipts = await receiptsSince(archive, [listing]);
  const atMost = receipts.reduce((sum, { sessions }) => sum + sessions, 0);
  const { entry } = listing;
  return { told: entry.erased ?? 0, since: certainlyErased(entry, archived, atMost) };
}

/** Sessions of users who were erased as a whole since the newest export: who of them comes back looks like somebody new. */
export async function erasedWithUsers({
  index,
  log,
}: Pick<Archive, 'index' | 'log'>): Promise<number> {
  const exports = [...index.commits].filter(({ kind }) => kind === 'export');
  const newest = exports.at(-1)?.number ?? 0;
  let sessions = 0;
  for (const commit of index.erasures.filter((number) => number > newest)) {
    const { erasure } = await log.read(commit);
    if (erasure?.stage === 'begun' && erasure.asked.users > 0) sessions += erasure.erased.sessions;
  }
  return sessions;
}

async function receiptsSince(
  { index, log }: Pick<Archive, 'index' | 'log'>,
  listings: Iterable<UserListing | undefined>,
): Promise<ErasureReceipt[]> {
  let oldest = Infinity;
  for (const listing of listings) oldest = Math.min(oldest, listing?.commit ?? Infinity);
  const receipts: ErasureReceipt[] = [];
  for (const commit of index.erasures.filter((number) => number > oldest)) {
    const { erasure } = await log.read(commit);
    if (erasure?.stage === 'begun') receipts.push({ commit, sessions: erasure.erased.sessions });
  }
  return receipts;
}

/** Which users a run left incomplete: with gaps, or without any, where its budget was spent. */
interface IncompleteUsers {
  readonly withGaps: number;
  /** Users who were not read to their end, and have no gap. */
  readonly partly: number;
}

/** Reads the users manifests of the run. @param archive its index must be up to date @throws {IntegrityError} one is damaged */
export async function incompleteUsers(
  archive: Pick<Archive, 'index' | 'log' | 'storage'>,
  run: RunId,
): Promise<IncompleteUsers> {
  const users = new Map<string, { readonly isComplete: boolean; readonly hasGap: boolean }>();
  for (const facts of archive.index.commits) {
    if (facts.run !== run || facts.counts.users === 0) continue;
    const listed = await listedIn(archive, await archive.log.read(facts.number));
    for (const { user, complete: isComplete, gaps, error } of listed) {
      // doubted later in the run: the doubt is a gap
      const hasGap = gaps > 0 || error !== null || users.get(user)?.hasGap === true;
      users.set(user, { isComplete, hasGap });
    }
  }
  const left = [...users.values()].filter(({ isComplete }) => !isComplete);
  const withGaps = left.filter(({ hasGap }) => hasGap).length;
  return { withGaps, partly: left.length - withGaps };
}
