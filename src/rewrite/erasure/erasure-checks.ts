/** Refuses an erasure of what is on hold. */
import { type Archive } from '../../archive/archive.js';
import { type ErasureTarget } from '../../archive/erasing/erasure-target.js';
import { type HeldSessions } from '../../archive/holds/held-sessions.js';
import { ErasureHeldError } from './erase-options.js';
import { UsageError } from '../../base/error.js';
import { noSuchSession, noSuchUser, placeWithout } from '../../archive/reading/selection.js';

/**
 * @param target what the log has of it must be learned
 * @param canGoInPart whether some of it is not held, and may be erased alone. Default: nothing may.
 * @throws {ErasureHeldError} a hold binds any of it: all that is held is named
 */
export async function assertNotHeld(
  held: HeldSessions,
  target: ErasureTarget,
  canGoInPart: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  const holds = await held.now();
  const { users, sessions } = target.asked;
  const ofUsers = users.flatMap((user) => {
    const why = holds.userReason(user);
    return why === undefined ? [] : [{ who: `user "${user}"`, why, holds: holds.bindingOn(user) }];
  });
  const all = new Set(users.filter((user) => holds.userReason(user) !== undefined));
  const reported = new Set<string>();
  const ofSessions = [...target.sessionKeys].flatMap(({ user, session }) => {
    const why = all.has(user) ? undefined : holds.reasonFor(user, session);
    if (why === undefined) return [];
    reported.add(session);
    const who = `session "${session}" of "${user}"`;
    return [{ who, why, holds: holds.bindingOn(user, session) }];
  });
  // also sessions that are not in the log: the erasure would remove their holds
  const others = sessions.flatMap((session) => {
    const why = reported.has(session) ? undefined : holds.reasonFor('', session);
    if (why === undefined) return [];
    return [{ who: `session "${session}"`, why, holds: holds.bindingOn('', session) }];
  });
  const found = [...ofUsers, ...ofSessions.toSorted(byWho), ...others];
  if (found.length > 0) throw new ErasureHeldError(found, await canGoInPart());
}

function byWho({ who: a }: { readonly who: string }, { who: b }: { readonly who: string }): number {
  return a < b ? -1 : 1;
}

const SUPPRESS_ALONE = 'Where nothing of it is left to erase, --suppress-only lets exports skip it';

/**
 * @param target after `learnFromLog`
 * @param suppresses whether exports are to skip them: that needs nothing in the archive
 * @throws {UsageError} the log does not have one of the named users or sessions; the message suggests similar ids
 */
export async function assertAllKnown(
  archive: Archive,
  target: ErasureTarget,
  suppresses = false,
): Promise<void> {
  const { users, sessions } = target.asked;
  const asked = ({ message }: UsageError): UsageError =>
    new UsageError(suppresses ? `${message}. ${SUPPRESS_ALONE}` : message);
  const user = users.find((id) => !target.foundUsers.has(id));
  if (user !== undefined) {
    const place = placeWithout(archive, 'user', user);
    throw asked(noSuchUser(place, user, await archive.index.allUsers()));
  }
  const session = sessions.find((id) => !target.foundSessions.has(id));
  if (session !== undefined) throw asked(await noSuchSession(archive, session));
}
