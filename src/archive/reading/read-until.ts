/** Until when the archive knows what the service had of somebody: what was asked since is in no answer. */
import type { Period } from '../../model/times/time-bounds.js';
import type { UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { listingsRead } from './user-listings.js';

/**
 * When the newest listing of anybody of these was made that was read to its end; ISO 8601, null where there is none.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} a users manifest is damaged
 */
export async function readUntil(
  { index }: Archive,
  users: Iterable<UserId>,
): Promise<string | null> {
  const read = await listingsRead(index);
  let newest: string | null = null;
  for (const user of users) {
    const at = read(user).last?.entry.listed_at ?? null;
    if (at !== null && (newest === null || at > newest)) newest = at;
  }
  return newest;
}

/** Whether a period has ended, and nobody was listed since. @param read as `readUntil` says it */
export function isEndUnread(
  period: Period | undefined,
  read: string | null,
  nowMs: number,
): boolean {
  const end = period?.to;
  if (end === undefined || read === null) return false;
  return end <= BigInt(nowMs) * 1000n && end > BigInt(Date.parse(read)) * 1000n;
}
