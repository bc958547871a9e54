/** How old the listings are from which users are known to be complete. */
import type { UserListing } from '../archive/log/newest-listings.js';
import type { RunStatus } from '../archive/state/run-history.js';

interface ListedUser {
  readonly user: string;
  readonly at: string;
  readonly commit: number;
}

export class ListingAges {
  /** Of each person the newest listing: an id that was corrected is not listed any more, and nobody is missed. */
  readonly #newest = new Map<string, ListedUser>();

  constructor(readonly lastExport: RunStatus | null) {}

  /**
   * @param user of whom the service has listed something, or something is archived: an id that was a mistake has no age
   * @param person the spelling under which the user counts
   */
  add(user: string, person: string, listing: UserListing | undefined): void {
    if (!listing) return;
    const { commit, entry } = listing;
    const known = this.#newest.get(person);
    if (known && known.commit > commit) return;
    this.#newest.set(person, { user, at: entry.listed_at, commit });
  }

  get before(): number {
    const began = this.lastExport?.commits[0] ?? 0;
    return [...this.#newest.values()].filter(({ commit }) => commit < began).length;
  }

  get oldest(): { readonly user: string; readonly at: string } | null {
    let oldest: ListedUser | undefined;
    for (const listed of this.#newest.values()) {
      if (oldest === undefined || listed.at < oldest.at) oldest = listed;
    }
    return oldest ? { user: oldest.user, at: oldest.at } : null;
  }
}
