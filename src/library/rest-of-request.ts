/** What an erasure around holds has left of a request, as of now: holds may have been released, and the rest erased since. */
import type { Archive } from '../archive/archive.js';
import { HeldSessions } from '../archive/held-sessions.js';
import { Holds } from '../archive/holds.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { lostOfRequest } from '../archive/notes/change-requests.js';

/**
 * @returns `held`: something of whom the request is about is on hold; `free`: something is archived, and nothing of it on
 *   hold; null: its last erasure has left nothing, or nothing is archived any more, or it is closed
 * @throws {IntegrityError} the log is damaged
 */
export async function restOfRequest(
  archive: Archive,
  request: RequestRecord,
): Promise<'held' | 'free' | null> {
  const { held, suppressed } = request.erasures?.at(-1) ?? {};
  const isLeft = (held?.sessions ?? 0) + (suppressed?.users_held ?? 0) > 0;
  if (!isLeft || request.closed !== null || lostOfRequest(request) !== null) return null;
  const { index, states } = archive;
  await index.refresh();
  const holds = await new HeldSessions(archive, Holds.none).now();
  const [users, named] = [new Set<string>(request.users), new Set<string>(request.sessions)];
  let rest: 'free' | null = null;
  for (const user of index.users) {
    const { sessions } = await states.loadAsOf(user, index.through);
    const isAll = users.has(user) || users.size + named.size === 0;
    for (const session of sessions.keys()) {
      if (!isAll && !named.has(session)) continue;
      if (holds.reasonFor(user, session) !== undefined) return 'held';
      rest = 'free';
    }
  }
  return rest;
}
