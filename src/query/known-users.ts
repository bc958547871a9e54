/** Who is in the archive, and when exports have read them first and last. */
import type { Archive } from '../archive/archive.js';
import type { CommitFacts } from '../archive/log/log-view.js';
import type { Spellings } from '../archive/reading/users/listed-again.js';
import { listingsRead } from '../archive/reading/users/user-listings.js';
import { beginOf } from '../archive/state/run-history.js';

/** What the log says of a user. Times are ISO 8601. */
export interface KnownUser {
  readonly user: string;
  /** The spelling of the user that an export has listed last. */
  readonly person: string;
  readonly firstSeenAt: string | null;
  readonly lastSeenAt: string | null;
}

/** @param index up to date @throws {IntegrityError} a users manifest is damaged */
export async function knownUsers(
  { index, identity }: Archive,
  spellings: Spellings,
): Promise<KnownUser[]> {
  const listings = await index.listings();
  const read = await listingsRead(index);
  const users = await index.allUsers();
  return users.map((user) => {
    const listing = listings.get(user);
    const commits = index.commitsTouching(user);
    const first = listing?.since ?? commits[0] ?? 0;
    const last = listing
      ? read(user).last?.entry.listed_at
      : index.commit(commits.at(-1) ?? 0)?.counts.at;
    return {
      user,
      person: spellings.personOf(user),
      // the log of a copy begins when it was made
      firstSeenAt: identity.pseudonymised ? null : beginOfCommit(index.commit(first)),
      lastSeenAt: last ?? null,
    };
  });
}

function beginOfCommit(commit: CommitFacts | undefined): string | null {
  return commit ? beginOf(commit) : null;
}
