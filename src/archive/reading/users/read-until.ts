/** Until when the archive knows what the service had of somebody: what was asked since is in no answer. */
import { UsageError } from '../../../base/error.js';
import { minuteText } from '../../../model/times/timestamp.js';
import type { Period } from '../../../model/times/time-bounds.js';
import type { UserId } from '../../../model/ids.js';
import type { Archive } from '../../archive.js';
import type { ArchiveIdentity } from '../../identity.js';
import { listingsRead } from './user-listings.js';

/**
 * When the newest listing of anybody of these was made that was read to its end; ISO 8601, null where there is none. Of a
 * pseudonymised copy it is the end of the day.
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
  return newest !== null && knowsDayOfExport(identity.pseudonymised)
    ? `${newest.slice(0, 10)}T23:59:59.999Z`
    : newest;
}

/** `2026-11-30 02:15 UTC`; of a pseudonymised copy the day. @param read as `readUntil` says it */
export function readUntilText(read: string, copy: Copy): string {
  return knowsDayOfExport(copy) ? read.slice(0, 10) : minuteText(read);
}

/** A pseudonymised copy knows of each export the day alone, also where it has kept the times of questions. */
export function knowsDayOfExport(copy: Copy): boolean {
  return copy !== undefined;
}

/** Whether a pseudonymised copy knows of each question the day alone. */
export function knowsDaysAlone(copy: Copy): boolean {
  return copy?.times === 'days';
}

const DAY_MICROS = 86_400_000_000n;

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
  return end <= BigInt(nowMs) * 1000n && end > BigInt(Date.parse(read)) * 1000n;
}
