/** When a session last changed, as far as the archive can tell. */
import type { SessionState } from '../../archive/user-state.js';
import { createdAtOf } from '../../model/created-at.js';

/** What the first look at a user finds may be years old: being new to us says nothing. */
const FIRST_LOOK_MS = 3_600_000;

/**
 * The newest of: when a job was made, where its id tells; when it was seen to have changed; when it
 * came to light, unless that was on the first look at the user. Null where nothing tells.
 *
 * @param sinceMs when a run was first asked for the user
 */
export function lastChangeMs(session: SessionState, sinceMs: number): number | null {
  let newest: number | null = null;
  for (const [id, { version, seenAt, settled }] of session.jobs) {
    const seenAtMs = Date.parse(seenAt);
    const isChange = version > 1 || !settled || seenAtMs > sinceMs + FIRST_LOOK_MS;
    const created = createdAtOf(id);
    const changedAtMs =
      version === 1 && created ? Number(created.micros / 1000n) : isChange ? seenAtMs : null;
    if (changedAtMs !== null && (newest === null || changedAtMs > newest)) newest = changedAtMs;
  }
  return newest;
}
