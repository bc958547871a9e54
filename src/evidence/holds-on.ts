/** The holds of a user and sessions in the pack: those that bind, and those that have been released. */
import { heldForm } from '../archive/holds.js';
import type { HoldRecord } from '../archive/log/hold-history.js';

/** In the order in which they were set. @param sessions those of the user that are in the pack */
export function holdsOn(
  holds: readonly HoldRecord[],
  user: string,
  sessions: Iterable<string>,
): HoldRecord[] {
  const packed = new Set(Array.from(sessions, heldForm));
  return holds.filter(
    (hold) =>
      (hold.user !== null && heldForm(hold.user) === heldForm(user)) ||
      (hold.session !== null && packed.has(heldForm(hold.session))),
  );
}
