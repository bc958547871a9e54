/** Finds in the log what is to be erased, and checks that it is there. */
import type { Archive } from '../archive/archive.js';
import { noSuchSession, noSuchUser } from '../archive/reading/scope.js';
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
  const user = users.find((id) => !target.foundUsers.has(id));
  if (user !== undefined) {
    throw noSuchUser(archive.storage.location, user, archive.index.allUsers);
  }
  const session = sessions.find((id) => !target.foundSessions.has(id));
  if (session !== undefined) throw await noSuchSession(archive, session);
}
