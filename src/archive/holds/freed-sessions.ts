/** Says what a release of holds frees: sessions that no other hold of the log keeps. */
import type { SessionKey } from '../archive-errors.js';
import type { Archive } from '../archive.js';
import { openRequestsAbout } from '../notes/change-requests.js';
import { HeldSessions } from './held-sessions.js';
import { Holds } from './holds.js';
import type { HoldRecord } from '../log/notes.js';
import { type Counted, countedOnce } from '../reading/users/listed-again.js';

export interface FreedSession extends Counted<SessionKey> {
  readonly jobs: number;
  /** Whether it was erased, and an export has archived it again because of a hold: exports skip it no more. */
  readonly was_erased: boolean;
}

/** What somebody agrees to who releases holds. */
export interface ReleasePlan {
  readonly holds: readonly HoldRecord[];
  /** What may be deleted and erased then, unless a hold file keeps it. */
  readonly freed: readonly FreedSession[];
  /** Names of open requests that are about any of it. */
  readonly open_requests: readonly string[];
}

/** @param archive its index must be up to date @throws {IntegrityError} */
export async function planRelease(
  archive: Archive,
  holds: readonly HoldRecord[],
): Promise<ReleasePlan> {
  const { index, states } = archive;
  const released = new Set(holds.map(({ id }) => id));
  const before = await new HeldSessions(archive, Holds.none).now();
  const after = await new HeldSessions(archive, Holds.none, released).now();
  const found: Omit<FreedSession, keyof Counted<object>>[] = [];
  for (const user of index.users) {
    const { sessions } = await states.loadAsOf(user, index.through);
    for (const [session, { jobs }] of sessions) {
      const isHeld = before.reasonFor(user, session) !== undefined;
      if (!isHeld || after.reasonFor(user, session) !== undefined) continue;
      const was_erased = index.suppressions.wasErased(session);
      found.push({ user, session, jobs: jobs.size, was_erased });
    }
  }
  const freed = await countedOnce(archive, found);
  const users = [...freed, ...holds].flatMap(({ user }) => user ?? []);
  const sessions = [...freed, ...holds].flatMap(({ session }) => session ?? []);
  const requests = openRequestsAbout(archive, { users, sessions });
  return { holds, freed, open_requests: requests.map(({ name }) => name) };
}
