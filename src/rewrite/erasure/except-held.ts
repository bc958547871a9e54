/** Takes out of an erasure what is on hold (`exceptHeld`): the rest is erased, and the receipt counts what stays. */
import type { Archive } from '../../archive/archive.js';
import type { SessionKey } from '../../archive/archive-errors.js';
import {
  ErasureTarget,
  learnFromLog,
  type ErasureRequest,
} from '../../archive/erasing/erasure-target.js';
import type { HeldSessions } from '../../archive/holds/held-sessions.js';
import type { SessionRef } from '../../archive/histories/shared-jobs.js';
import { type Counted, countedOnce } from '../../archive/reading/users/listed-again.js';
import { traceSessions } from '../../archive/reading/selection.js';
import { foldedUser } from '../../model/user-spelling.js';

/** A session that was asked for, and stays. */
export interface KeptSession extends Counted<SessionRef> {
  readonly jobs: number;
  /** As a clause: `its user is on hold`. */
  readonly why: string;
}

export interface ExceptHeld {
  /** What may be erased. All that was asked for, if every bit of it is held: then the erasure is refused. */
  readonly asked: ErasureRequest;
  readonly held: readonly KeptSession[];
  /** What stays though no hold binds it: somebody else lists it, too, and to name its id would erase theirs. */
  readonly shared: readonly KeptSession[];
}

/**
 * A user of whom some sessions are held, also under another spelling that was asked for, loses the others, one by one. One
 * that somebody else lists, too, stays: to name its id would erase theirs.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} the log is damaged
 */
export async function exceptHeld(
  archive: Archive,
  request: ErasureRequest,
  held: HeldSessions,
): Promise<ExceptHeld> {
  const target = new ErasureTarget(request);
  await learnFromLog(archive, target);
  const holds = await held.now();
  const found = [...target.sessionKeys];
  const heldKeys = found.flatMap((key) => {
    const why = holds.reasonFor(key.user, key.session);
    return why === undefined ? [] : [{ ...key, why }];
  });
  const heldIds = new Set<string>(heldKeys.map(({ session }) => session));
  const usersWithHeld = new Set(heldKeys.map(({ user }) => foldedUser(user)));
  const users = request.users.filter(
    (user) => !usersWithHeld.has(foldedUser(user)) && holds.userReason(user) === undefined,
  );
  const named = request.sessions.filter(
    (session) => !heldIds.has(session) && holds.reasonFor('', session) === undefined,
  );
  const free = found.filter(
    ({ user, session }) =>
      usersWithHeld.has(foldedUser(user)) && target.hasUser(user) && !heldIds.has(session),
  );
  const shared = await sharedWithOthers(archive, target, free);
  const going = free.filter(({ session }) => !shared.has(session));
  const sessions = [...new Set([...named, ...going.map(({ session }) => session)])];
  if (users.length + sessions.length === 0) return { asked: request, held: [], shared: [] };
  const staying = free.flatMap((key) => {
    const other = shared.get(key.session);
    return other === undefined ? [] : [{ ...key, why: `user "${other}" has it, too` }];
  });
  return {
    asked: { users, sessions },
    held: await keptSessions(archive, heldKeys),
    shared: await keptSessions(archive, staying),
  };
}

async function keptSessions(
  archive: Archive,
  keys: readonly (SessionKey & Pick<KeptSession, 'why'>)[],
): Promise<KeptSession[]> {
  const { index, states } = archive;
  const kept = await Promise.all(
    keys.map(async ({ user, session, why }) => {
      const { sessions: known } = await states.loadAsOf(user, index.through);
      return { user, session, jobs: known.get(session)?.jobs.size ?? 0, why };
    }),
  );
  return countedOnce(
    archive,
    kept.sort((a, b) => (a.session < b.session ? -1 : 1)),
  );
}

/** Whether `exceptHeld` would leave anything to erase. @throws {IntegrityError} the log is damaged */
export async function canGoInPart(...asked: Parameters<typeof exceptHeld>): Promise<boolean> {
  const [, request] = asked;
  return (await exceptHeld(...asked)).asked !== request;
}

/** Who, beside those who are erased, has a session of this id. */
async function sharedWithOthers(
  archive: Archive,
  target: ErasureTarget,
  free: readonly { readonly session: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = free.map(({ session }) => session);
  const traces = await traceSessions(archive.index, ids);
  const others = [...traces].flatMap(([session, { users }]) => {
    const other = [...users].find((user) => !target.hasUser(user));
    return other === undefined ? [] : [[session, other] as const];
  });
  return new Map(others);
}
