/** Until when the archive knows what the service had of somebody: what was asked since is in no answer. */
import { UsageError } from '../../../base/error.js';
import { DAY_MICROS, isDay } from '../../../model/times/timestamp.js';
import type { Period } from '../../../model/times/time-bounds.js';
import type { UserId } from '../../../model/ids.js';
import type { Archive } from '../../archive.js';
import type { ArchiveIdentity } from '../../identity.js';
import { knownAt, knowsDaysAlone } from '../known-days.js';
import { listingsRead } from './user-listings.js';

/**
 * When the newest listing of anybody of these was made that was read to its end; ISO 8601, null where there is none. Of a
 * pseudonymised copy it is the day: `2026-11-30`.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} a users manifest is damaged
 */
export async function readUntil(
  { index, identity }: Archive,
  users: Iterable<UserId>,
): Promise<string | null> {
  const read = await listingsRead(index);
  let newest: string | null = null;
  for (const user of users) {
    const at = read(user).last?.entry.listed_at ?? null;
    if (at !== null && (newest === null || at > newest)) newest = at;
  }
  return knownAt(newest, identity.pseudonymised);
}

/** A time of day would be judged as if everything was asked at midnight. @throws {UsageError} */
export function assertPeriodKnown(period: Period | undefined, copy: Copy): void {
  if (!knowsDaysAlone(copy)) return;
  const limits = [period?.from ?? 0n, period?.to ?? 0n];
  if (limits.every((limit) => limit % DAY_MICROS === 0n)) return;
  throw new UsageError(
    'this pseudonymised copy knows the day of each question and no time of day: give days as the limits of the period, such as 2026-03-31',
  );
}

type Copy = ArchiveIdentity['pseudonymised'];

/** Whether a period has ended, and nobody was listed since. @param read as `readUntil` says it */
export function isEndUnread(
  period: Period | undefined,
  read: string | null,
  nowMs: number,
): boolean {
  const end = period?.to;
  if (end === undefined || read === null) return false;
  // anything of the day may have been read
  const until = Date.parse(isDay(read) ? `${read}T23:59:59.999Z` : read);
  return end <= BigInt(nowMs) * 1000n && end > BigInt(until) * 1000n;
}
