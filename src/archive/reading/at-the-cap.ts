/** Of whom the service soon forgets the oldest conversations, as far as the log knows. */
import { isAtTheCap } from '../../model/session-cap.js';
import type { UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import type { UserListing } from '../log/newest-listings.js';
import { Spellings } from './listed-again.js';

/**
 * Counts what the newest listing had, without what jobvault has deleted since.
 *
 * @throws {IntegrityError}
 */
export async function isNowAtTheCap(
  { index, log }: Archive,
  user: UserId,
  listing: UserListing | undefined,
): Promise<boolean> {
  if (!listing) return false;
  const { listed, suppressed = 0 } = listing.entry;
  const had = listed + suppressed;
  if (!isAtTheCap(had)) return false;
  const deleted = new Set<string>();
  for (const number of index.commitsTouching(user)) {
    if (number <= listing.commit || index.commit(number)?.kind !== 'prune') continue;
    for (const entry of (await log.read(number)).deletions) {
      if (entry.user === user) deleted.add(entry.session);
    }
  }
  return isAtTheCap(had - deleted.size);
}

/**
 * All of them, each once of several spellings, as status counts them.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError}
 */
export async function usersNowAtTheCap(archive: Archive): Promise<UserId[]> {
  const capped: UserId[] = [];
  for (const [user, { lastOfAll }] of await archive.index.listings()) {
    if (await isNowAtTheCap(archive, user, lastOfAll)) capped.push(user);
  }
  if (capped.length === 0) return capped;
  const spellings = await Spellings.in(archive);
  return capped.filter((user) => spellings.personOf(user) === user);
}
