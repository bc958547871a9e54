/** The newest listing of all sessions of each user: what it shows to be missing, and whether it proves that nothing is. */
import type { Archive } from '../archive/archive.js';
import type { UserListing } from '../archive/log/log-view.js';

/** The receipt of an erasure. It does not say whose sessions were erased. */
interface ErasureReceipt {
  readonly commit: number;
  /** How many were erased. */
  readonly sessions: number;
}

/** Sessions of a user that are missing, as far as the listing tells. */
export interface ListingGap {
  /** `failed`: no session could be listed. */
  readonly status: 'failed' | 'incomplete';
  readonly reason: string;
}

export class UserListings {
  readonly #listings: ReadonlyMap<string, UserListing | undefined>;
  /** The receipts since the oldest of the listings. */
  readonly #erasures: readonly ErasureReceipt[];

  private constructor(
    listings: ReadonlyMap<string, UserListing | undefined>,
    erasures: readonly ErasureReceipt[],
  ) {
    this.#listings = listings;
    this.#erasures = erasures;
  }

  /** As of now: what is committed later changes nothing here. @param archive whose index is up to date */
  static async of(archive: Archive): Promise<UserListings> {
    const { index } = archive;
    const listings = new Map(index.allUsers.map((user) => [user, index.user(user)?.lastOfAll]));
    return new UserListings(listings, await receiptsSince(archive, listings.values()));
  }

  get(user: string): UserListing | undefined {
    return this.#listings.get(user);
  }

  /** How many sessions of any user were erased after the listing; null of a user who was never listed as a whole. */
  erasedSince(user: string): number | null {
    const listing = this.get(user);
    if (!listing) return null;
    return this.#erasures
      .filter(({ commit }) => commit > listing.commit)
      .reduce((sum, { sessions }) => sum + sessions, 0);
  }

  /** At most one gap of each user. @param archived how many sessions of the user the archive knows */
  gapOf(user: string, archived: number): ListingGap | undefined {
    const entry = this.get(user)?.entry;
    if (!entry) return undefined;
    const { error, complete, listed, total_items: total } = entry;
    if (error !== null) return { status: 'failed', reason: error };
    const missing = (reason: string): ListingGap => ({ status: 'incomplete', reason });
    if (!complete && (total === null || listed < total)) {
      return missing(
        `${listed} sessions were listed, and the service spoke of ${total ?? 'no number'}`,
      );
    }
    const erased = this.erasedSince(user) ?? 0;
    if (listed - archived <= erased) return undefined;
    const since = erased === 0 ? '' : `; of those missing ${erased} at most were erased since`;
    return missing(`${listed} sessions were listed, and the archive knows ${archived}${since}`);
  }

  /**
   * Whether all sessions of the user were listed and archived. The numbers alone prove nothing: gone
   * sessions may make up for sessions that were not archived.
   */
  isProven(user: string): boolean {
    return this.get(user)?.entry.complete === true && this.erasedSince(user) === 0;
  }
}

async function receiptsSince(
  { index, log }: Archive,
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
