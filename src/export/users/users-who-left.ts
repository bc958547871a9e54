/** Finds users whom the export of everybody before this one read, and whom nobody lists any more. */
import type { Archive } from '../../archive/archive.js';
import { newestRuns } from '../../archive/state/run-history.js';
import type { RunId, UserId } from '../../model/ids.js';

/**
 * Each is found once: the next run asks about this one. None after a run that has saved nothing.
 *
 * @param archive as of the end of the run
 * @param users whom the run was to read
 */
export async function usersWhoLeft(
  { index }: Pick<Archive, 'index'>,
  run: RunId,
  users: readonly UserId[],
): Promise<UserId[]> {
  const listed = new Set(users);
  if (index.users.every((user) => listed.has(user))) return [];
  const [newest, ...others] = [...newestRuns(index)].filter(
    ({ kind, scope, users_to_read: toRead }) =>
      kind === 'export' && scope === 'all' && toRead !== null,
  );
  // one whose list was refused has read nobody
  const before = others.find(({ users: read }) => read > 0);
  if (newest?.run !== run || !before) return [];
  const goneUsers: UserId[] = [];
  for (const [user, { lastOfAll }] of await index.listings()) {
    const wasRead = lastOfAll !== undefined && lastOfAll.commit >= before.commits[0];
    if (wasRead && !listed.has(user)) goneUsers.push(user);
  }
  return goneUsers;
}
