/** Refuses an erasure of what is on hold. */
import type { HeldSessions } from '../../archive/held-sessions.js';
import { ErasureHeldError } from '../erasure-held-error.js';
import type { ErasureTarget } from './erasure-target.js';

/** @param target what the log has of it must be learned @throws {ErasureHeldError} a hold binds any of it */
export async function assertNotHeld(held: HeldSessions, target: ErasureTarget): Promise<void> {
  const holds = await held.now();
  const { users, sessions } = target.asked;
  for (const { user, session } of target.sessionKeys) {
    const why = holds.reasonFor(user, session);
    if (why === undefined) continue;
    const sources = holds.sourcesOf(user, session);
    throw new ErasureHeldError(`session "${session}" of "${user}"`, why, sources);
  }
  for (const user of users) {
    const why = holds.userReason(user);
    if (why === undefined) continue;
    throw new ErasureHeldError(`user "${user}"`, why, holds.sourcesOf(user));
  }
  // also sessions that are not in the log: the erasure would remove their holds
  for (const session of sessions) {
    const why = holds.reasonFor('', session);
    if (why === undefined) continue;
    throw new ErasureHeldError(`session "${session}"`, why, holds.sourcesOf('', session));
  }
}
