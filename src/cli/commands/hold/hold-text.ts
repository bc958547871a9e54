/** Formats a hold for people and for programs. */
import type { HoldRecord } from '../../../archive/log/hold-history.js';

/** One of the two ids is null; `released_at` is null while the hold binds. */
export function holdFacts({ user, session, reason, by, since, release }: HoldRecord) {
  return {
    user_id: user,
    session_id: session,
    reason,
    by,
    since,
    released_at: release?.at ?? null,
  };
}

export function heldSubject({ user, session }: HoldRecord): string {
  return user === null ? `session ${session ?? ''}` : `user ${user}`;
}
