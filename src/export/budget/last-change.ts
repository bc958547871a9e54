/** When a session last changed, as far as the archive knows. */
import type { SessionState } from '../../archive/state/user-state.js';
import { createdAtOf } from '../../model/created-at.js';

/** A job found by the first check may be years old: it is new to the archive only. */
const FIRST_CHECK_MS = 3_600_000;

/**
 * The newest of: when a job was first seen or seen to have changed, except on the first check; when a job was
 * made, if its id has a time; when the session was made. Null if none is known.
 *
 * @param bornMs when the session was first listed, if an earlier listing did not have it
 */
export function lastChangeMs({ jobs }: SessionState, bornMs: number | undefined): number | null {
  const seen = [...jobs.values()].map(({ seen_at }) => Date.parse(seen_at));
  const firstCheckMs = seen.reduce((a, b) => Math.min(a, b), Infinity);
  let newest = bornMs ?? -Infinity;
  for (const [id, { version, seen_at, settled }] of jobs) {
    const seenAtMs = Date.parse(seen_at);
    const wasThere = version === 1 && seenAtMs <= firstCheckMs + FIRST_CHECK_MS;
    const made = createdAtOf(id);
    if (!wasThere) newest = Math.max(newest, seenAtMs);
    else if (made) newest = Math.max(newest, Number(made.micros / 1000n));
    else if (!settled) newest = Math.max(newest, seenAtMs);
  }
  return newest === -Infinity ? null : newest;
}
