/** Keeps the times of checks of sessions that stay: an erasure deletes them with the user's caches, so they are written again. */
import type { Archive } from '../../archive/archive.js';
import { loadChecks, saveChecks, type UserChecks } from '../../archive/state/user-checks.js';
import { asSessionId } from '../../model/ids.js';
import type { ErasureTarget } from './erasure-target.js';

/** The times of checks without the erased sessions, for users with other sessions. */
export async function checksLeft(
  { storage }: Archive,
  target: ErasureTarget,
): Promise<UserChecks[]> {
  const left: UserChecks[] = [];
  for (const user of target.owners) {
    const checks = target.hasUser(user) ? undefined : await loadChecks(storage, user);
    if (!checks) continue;
    const sessions = [...checks.sessions].filter(
      ([session]) => !target.has({ user, session: asSessionId(session) }),
    );
    left.push({ ...checks, sessions: new Map(sessions) });
  }
  return left;
}

/** Writes the times after the erasure, unless an export has written newer ones. */
export async function saveChecksLeft(
  { storage, index }: Archive,
  left: readonly UserChecks[],
): Promise<void> {
  const { through } = index;
  for (const checks of left) {
    if (await loadChecks(storage, checks.user)) continue;
    await saveChecks(storage, checks, { index, through });
  }
}
