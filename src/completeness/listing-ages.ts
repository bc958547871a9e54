/** How old the listings are from which users are known to be complete. */
import type { UserListing } from '../archive/log/newest-listings.js';
import { PersonCounts } from '../archive/reading/users/user-listings.js';
import { isInShardOf } from '../model/shard.js';
import type { ViewedUser } from '../archive/reading/archive-view.js';
import type { RunStatus } from '../archive/state/run-history.js';
import { nameOne } from './users-counted.js';

export class ListingAges {
  before = 0;
  /** The first few of these. */
  readonly beforeNamed: string[] = [];
  /** Sessions that the last export skipped: what two spellings of a user list is skipped once. */
  readonly suppressed = new PersonCounts();
  oldest: { readonly user: string; readonly at: string } | null = null;

  constructor(readonly lastExport: RunStatus | null) {}

  /** @param listing the newest of all sessions that was read to its end @param user of whom the service has listed something, or something is archived: an id that was a mistake has no age */
  add(
    { user, isReadNoMore }: Pick<ViewedUser, 'user' | 'isReadNoMore'>,
    listing: UserListing | undefined,
  ): void {
    if (!listing) return;
    const { commit, entry } = listing;
    const { listed_at: at } = entry;
    const last = this.lastExport;
    if (last && commit < last.commits[0] && isInShardOf(last.shard, user)) {
      this.before++;
      nameOne(this.beforeNamed, user);
    }
    // nothing makes that of somebody younger whom no export reads
    if (isReadNoMore) return;
    if (this.oldest === null || at < this.oldest.at) this.oldest = { user, at };
  }

  /** @param listing of any spelling of a user */
  addSuppressed(user: string, listing: UserListing | undefined): void {
    const [first, newest] = this.lastExport?.commits ?? [Infinity, 0];
    if (!listing || listing.commit < first || listing.commit > newest) return;
    this.suppressed.add(user, listing.entry.suppressed ?? 0);
  }
}
