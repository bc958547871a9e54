/** The users whose oldest conversations the service soon forgets, as far as the log knows. */
import { isAtTheCap } from '../../../model/session-cap.js';
import type { UserId } from '../../../model/ids.js';
import { foldedUser } from '../../../model/user-spelling.js';
import type { Archive } from '../../archive.js';
import { Spellings } from './listed-again.js';
import { listingsRead } from './user-listings.js';

/**
 * Counts what the newest listing of all sessions had that was read to its end, without what jobvault has deleted since: a
 * night in which it failed makes no room.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError}
 */
export async function isNowAtTheCap({ index, log }: Archive, user: UserId): Promise<boolean> {
  const { ofAll: listing } = (await listingsRead(index))(user);
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
 * Whoever has so many, also who has left the list of users since; each once of
 * several spellings.
 *
 * @param named only these; default: all of the archive
 * @throws {IntegrityError}
 */
export async function usersNowAtTheCap(
  archive: Archive,
  named?: Iterable<string>,
): Promise<UserId[]> {
  await archive.index.refresh();
  const asked = named && new Set(Array.from(named, foldedUser));
  const capped: UserId[] = [];
  for (const user of (await archive.index.listings()).keys()) {
    if (asked && !asked.has(foldedUser(user))) continue;
    if (await isNowAtTheCap(archive, user)) capped.push(user);
  }
  if (capped.length === 0) return capped;
  const spellings = await Spellings.in(archive);
  return capped.filter((user) => spellings.personOf(user) === user);
}
