/** Finds in the log what is to be erased, and checks that it is there. */
import type { Archive } from '../archive/archive.js';
import { meantOf } from '../base/nearest.js';
import { UsageError } from '../base/usage-error.js';
import type { ErasureTarget } from './erasure/erasure-target.js';

/** Reads the log up to the newest commit that the archive's index knows. */
export async function learnFromLog({ index }: Archive, target: ErasureTarget): Promise<void> {
  for await (const commit of index.walk({ through: index.through })) target.learn(commit);
  target.learnHolds(index.holds, index.allUsers);
}

/**
 * @param target after `learnFromLog`
 * @throws {UsageError} the log does not have one of the named users or sessions; the message suggests similar ids
 */
export async function assertAllKnown(archive: Archive, target: ErasureTarget): Promise<void> {
  const { users, sessions } = target.asked;
  const place = archive.storage.location;
  const user = users.find((id) => !target.foundUsers.has(id));
  if (user !== undefined) {
    const meant = meantOf('user', user, archive.index.allUsers);
    throw new UsageError(`${place} has no user "${user}"; ${meant}`);
  }
  const session = sessions.find((id) => !target.foundSessions.has(id));
  if (session !== undefined) {
    const meant = meantOf('session', session, await sessionsIn(archive));
    throw new UsageError(`${place} has no session "${session}"; ${meant}`);
  }
}

async function sessionsIn({ index }: Archive): Promise<Set<string>> {
  const sessions = new Set<string>();
  for await (const commit of index.walk({ through: index.through })) {
    for (const { session } of commit.sessions) sessions.add(session);
  }
  return sessions;
}
