/** Finds users whom earlier exports of everybody read, and whom nobody lists any more. */
import type { Archive } from '../../archive/archive.js';
import { usersReadBy } from '../../archive/reading/users/users-of-run.js';
import {
  hasListedAll,
  isOfEverybody,
  listedBy,
  newestRuns,
  runsThatTold,
} from '../../archive/state/run-history.js';
import type { RunId, UserId } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';

/**
 * Each is found once: the next run asks about this one, whoever was exported by name in between, and about those before it
 * that died, back to one that could tell somebody. A run whose budget has left users asks about the one before alone: it ends
 * no such row. Who is to be read under another spelling has not left, if the service has that one. None after a run that has
 * saved nothing.
 *
 * @param archive as of the end of the run
 * @param users whom the run was to read, without those of whom nothing was ever seen
 */
export async function usersWhoLeft(
  archive: Archive,
  run: RunId,
  users: readonly UserId[],
): Promise<UserId[]> {
  const { index } = archive;
  const listed = new Set(users.map(foldedUser));
  if (index.users.every((user) => listed.has(foldedUser(user)))) return [];
  const [newest, ...others] = [...newestRuns(index)].filter(isOfEverybody);
  if (newest?.run !== run) return [];
  // one whose list was refused has read nobody
  const before = others.filter((other) => listedBy(other) > 0);
  const told = runsThatTold(index);
  const end = hasListedAll(newest) ? before.findIndex((other) => told.has(other.run)) : 0;
  const left = new Set<UserId>();
  for (const asked of before.slice(0, Math.max(0, end) + 1)) {
    for (const user of await usersReadBy(archive, asked, (one) => !listed.has(foldedUser(one)))) {
      left.add(user);
    }
  }
  return [...left];
}
