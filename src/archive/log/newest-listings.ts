/** The newest listing of each user, from the users manifests. These are read when somebody asks, each once. */
import { Mutex, readAhead } from '../../base/concurrently.js';
import type { UserId } from '../../model/ids.js';
import type { Commit, UserEntry } from './commit.js';
import { listedIn, type LinesSource } from './manifest.js';

/** What the commit of a run says about a user that it has listed. */
export interface UserListing {
  readonly entry: UserEntry;
  /** Number of that commit. */
  readonly commit: number;
}

export interface ListingsOfUser {
  /** Number of the first commit that lists the user. */
  readonly since: number;
  /** From the newest run that has finished the user. */
  readonly last: UserListing;
  /** The newest listing by a run that exported all sessions; undefined if none has. */
  readonly lastOfAll: UserListing | undefined;
  /** The newest one that was read to its end; only where `last` was not, and another was. */
  readonly lastRead?: UserListing | undefined;
  /** The newest listing of all sessions that was read to its end; only where `lastOfAll` was not, and another was. */
  readonly lastReadOfAll?: UserListing | undefined;
}

/** The newest listing that was read to its end: one that failed says nothing of what the service has. */
export function newestRead({ last, lastRead }: ListingsOfUser): UserListing | undefined {
  return isRead(last) ? last : lastRead;
}

/** The newest listing of all sessions that was read to its end; undefined if none was. */
export function newestReadOfAll(listings: ListingsOfUser): UserListing | undefined {
  const { lastOfAll, lastReadOfAll } = listings;
  return lastOfAll && isRead(lastOfAll) ? lastOfAll : lastReadOfAll;
}

function isRead({ entry }: UserListing): boolean {
  return entry.error === null;
}

/** The part of a commit that is needed to read its listings. */
type ListingCommit = Pick<Commit, 'number' | 'base' | 'users'> & {
  readonly isNarrowed: boolean;
};

/** Manifests read at a time. */
const READ_AHEAD = 8;

export class NewestListings {
  readonly #byUser = new Map<UserId, ListingsOfUser>();
  /** In order, not yet read. */
  #unread: ListingCommit[] = [];
  readonly #mutex = new Mutex();
  readonly #counts = new SharedCounts();

  constructor(byUser: Iterable<readonly [UserId, ListingsOfUser]> = []) {
    for (const [user, listings] of byUser) this.#byUser.set(user, this.#kept(listings, user));
  }

  /** Commits are added in order. Their manifests are not read yet. */
  add(commit: Commit): void {
    const { number, base, users } = commit;
    if (users) this.#unread.push({ number, base, users, isNarrowed: isNarrowed(commit) });
  }

  /**
   * Users in the order in which they were first listed, as of the newest commit that was added.
   *
   * @throws {IntegrityError} a users manifest is missing or damaged
   */
  async read(source: LinesSource): Promise<ReadonlyMap<UserId, ListingsOfUser>> {
    await this.#mutex.run(async () => {
      const read = async (commit: ListingCommit) => {
        return { commit, listed: await listedIn(source, commit) };
      };
      for await (const { commit, listed } of readAhead([...this.#unread], READ_AHEAD, read)) {
        for (const entry of listed) this.#learn(commit, entry);
        this.#unread.shift();
      }
    });
    return this.#byUser;
  }

  /** The newest listing is mostly that of all sessions, too; then it is there once: a commit lists a user once. */
  #kept(listings: ListingsOfUser, user: UserId): ListingsOfUser {
    const { last, lastOfAll } = listings;
    const newest = this.#shared(last, user);
    const ofAll = lastOfAll?.commit === last.commit ? newest : lastOfAll;
    return { ...listings, last: newest, lastOfAll: ofAll };
  }

  /** Many users have the same counts: each of these is there once, and the user's id as well. */
  #shared({ entry, commit }: UserListing, user: UserId): UserListing {
    const { listed_at, listed, total_items, complete, gaps, error, gap } = entry;
    const { erased, suppressed, by_decision: isDecided, left } = entry;
    const sessions = this.#counts.shared(entry.sessions);
    const jobs = this.#counts.shared(entry.jobs);
    // field by field, in the order of the manifest: a copy of all of them is larger
    return {
      entry: {
        user,
        listed_at,
        listed,
        total_items,
        complete,
        sessions,
        jobs,
        gaps,
        error,
        ...(gap !== undefined && { gap }),
        ...(erased !== undefined && { erased }),
        ...(suppressed !== undefined && { suppressed }),
        ...(isDecided && { by_decision: isDecided }),
        ...(left !== undefined && { left }),
      },
      commit,
    };
  }

  #learn({ number, base, isNarrowed }: ListingCommit, entry: UserEntry): void {
    const known = this.#byUser.get(entry.user);
    const listing = this.#shared({ entry, commit: number }, known?.last.entry.user ?? entry.user);
    const ofAll = isNarrowed ? undefined : listing;
    const newer = (one: UserListing | undefined, other: UserListing | undefined) =>
      other ? newerOf(one, other, base) : one;
    const readIn = (one: UserListing | undefined) => (one && isRead(one) ? one : undefined);
    this.#byUser.set(
      entry.user,
      listingsOf(known?.since ?? number, {
        last: newerOf(known?.last, listing, base),
        lastOfAll: newer(known?.lastOfAll, ofAll),
        read: newer(known && newestRead(known), readIn(listing)),
        readOfAll: newer(known && newestReadOfAll(known), readIn(ofAll)),
      }),
    );
  }
}

function listingsOf(
  since: number,
  newest: Pick<ListingsOfUser, 'last' | 'lastOfAll'> & {
    readonly read: UserListing | undefined;
    readonly readOfAll: UserListing | undefined;
  },
): ListingsOfUser {
  const { last, lastOfAll, read, readOfAll } = newest;
  return {
    since,
    last,
    lastOfAll,
    ...(read && !isRead(last) && { lastRead: read }),
    ...(readOfAll && lastOfAll && !isRead(lastOfAll) && { lastReadOfAll: readOfAll }),
  };
}

/**
 * A run commits what it has listed at its end, so a commit may have an older listing than one of another run before it. Clocks
 * decide only between two such runs: one that is wrong must not win for ever.
 *
 * @param base what the run of `listing` knew of the log
 */
function newerOf(known: UserListing | undefined, listing: UserListing, base: number): UserListing {
  if (!known || known.commit <= base) return listing;
  const isOlder = Date.parse(listing.entry.listed_at) < Date.parse(known.entry.listed_at);
  return isOlder ? known : listing;
}

/** Whether the run exported only some sessions: it says nothing about the others. */
function isNarrowed({ scope }: Commit): boolean {
  const { sessions, search } = scope;
  return (Array.isArray(sessions) && sessions.length > 0) || typeof search === 'string';
}

/** Most that are shared: they are common, or sharing them saves nothing. */
const MOST_SHARED = 1000;

/** Equal objects of numbers, each kept once. */
class SharedCounts {
  readonly #known = new Map<string, unknown>();

  shared<Counts extends object>(counts: Counts): Counts {
    const key = JSON.stringify(counts);
    const known = this.#known.get(key);
    if (known !== undefined) return known as Counts;
    if (this.#known.size < MOST_SHARED) this.#known.set(key, counts);
    return counts;
  }
}
