/** What is known of where a search looks, from the log alone: the states of all users would take longer than a search. */
import type { Archive } from '../../archive.js';
import { doubtsIn } from '../doubts.js';
import { Reading, type Searched } from './reading.js';
import type { Scope } from '../scope.js';
import { Selection } from '../selection.js';
import { UserListings } from '../users/user-listings.js';

/**
 * As of the newest commit.
 *
 * @param searched what a search in the scope has found
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function readScope(
  archive: Archive,
  scope: Scope,
  signal?: AbortSignal,
): Promise<(searched: Searched) => Reading> {
  await archive.index.refresh();
  const selection = await Selection.of(archive, scope, { signal });
  const listings = selection.isNarrowed ? UserListings.NONE : await UserListings.of(archive);
  const doubts = await doubtsIn(archive, selection, listings, { signal });
  return (searched) => Reading.ofScope(archive, { selection, doubts }, searched);
}
