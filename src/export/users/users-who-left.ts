/** Finds users whom the export of everybody before this one read, and whom nobody lists any more. */
import type { Archive } from '../../archive/archive.js';
import { usersReadBy } from '../../archive/reading/users-of-run.js';
import { isOfEverybody, listedBy, newestRuns } from '../../archive/state/run-history.js';
import type { RunId, UserId } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';

/**
 * Each is found once: the next run asks about this one, whoever was exported by name in between. Who is to be read under
 * another spelling has not left, if the service has that one. None after a run that has saved nothing.
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
  // one whose list was refused has read nobody
  const before = others.find((run) => listedBy(run) > 0);
  if (newest?.run !== run || !before) return [];
  return [...(await usersReadBy(archive, before, (user) => !listed.has(foldedUser(user))))];
}
