/** When the sessions that stay were last checked: the note goes with its user's other caches, and is written again without the erased. */
import type { Archive } from '../../archive/archive.js';
import { loadChecks, saveChecks, type UserChecks } from '../../archive/state/user-checks.js';
import { asSessionId } from '../../model/ids.js';
import type { Subject } from './subject.js';

/** Of users who have sessions left. */
export async function checksLeft({ storage }: Archive, subject: Subject): Promise<UserChecks[]> {
  const left: UserChecks[] = [];
  for (const user of subject.owners) {
    const checks = subject.hasUser(user) ? undefined : await loadChecks(storage, user);
    if (!checks) continue;
    const sessions = [...checks.sessions].filter(
      ([session]) => !subject.has({ user, session: asSessionId(session) }),
    );
    left.push({ ...checks, sessions: new Map(sessions) });
  }
  return left;
}

/** Once the erasure is done. What an export has noted since is newer, and stays. */
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
