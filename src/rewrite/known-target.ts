/** Finds in the log what is to be erased, and checks that it is there. */
import type { Archive } from '../archive/archive.js';
import type { Commit } from '../archive/log/commit.js';
import { listedIn } from '../archive/log/manifest.js';
import { noSuchSession, noSuchUser } from '../archive/reading/scope.js';
import { readAhead } from '../base/read-ahead.js';
import type { ErasureTarget } from './erasure/erasure-target.js';

/** Users manifests read at a time. */
const READ_AHEAD = 8;

/** Reads the log up to the newest commit that the archive's index knows. */
export async function learnFromLog(archive: Archive, target: ErasureTarget): Promise<void> {
  const { index } = archive;
  const read = async (commit: Commit) => ({ commit, listed: await listedIn(archive, commit) });
  const walk = index.walk({ through: index.through });
  for await (const { commit, listed } of readAhead(walk, READ_AHEAD, read)) {
    target.learn(commit, listed);
  }
  target.learnHolds(index.holds, await index.allUsers());
}

/**
 * @param target after `learnFromLog`
 * @throws {UsageError} the log does not have one of the named users or sessions; the message suggests similar ids
 */
export async function assertAllKnown(archive: Archive, target: ErasureTarget): Promise<void> {
  const { users, sessions } = target.asked;
  const user = users.find((id) => !target.foundUsers.has(id));
  if (user !== undefined) {
    throw noSuchUser(archive.storage.location, user, await archive.index.allUsers());
  }
  const session = sessions.find((id) => !target.foundSessions.has(id));
  if (session !== undefined) throw await noSuchSession(archive, session);
}
