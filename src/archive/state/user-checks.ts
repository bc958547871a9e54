/** Loads and saves when each session of a user was last checked. The log does not have it: it records only changes. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { getIfThere, type Storage } from '../../storage/storage.js';
import { checksPath } from '../paths.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** All times are wall time in milliseconds since 1970 UTC. */
export interface UserChecks {
  readonly user: UserId;
  /** When a run first exported the user. */
  readonly sinceMs: number;
  /** When the user's sessions were first listed completely: sessions that appear later are new. */
  readonly firstListingMs: number | null;
  /** When the user's sessions were last listed completely; a few times, the newest last. */
  readonly listingsMs: readonly number[];
  readonly sessions: ReadonlyMap<string, SessionCheck>;
}

export interface SessionCheck {
  /** When it was last read without failure; null if never. */
  readonly checkedAtMs: number | null;
  /** When it was first listed. */
  readonly listedAtMs: number;
  /** When its newest change was made or seen; null if unknown. */
  readonly changedAtMs: number | null;
  /** Whether its history was not read to the end. */
  readonly isIncomplete: boolean;
}

/** What the index of the log says of erasures. */
interface KnownErasures {
  readonly lastErasure: number;
  readonly openErasures: ReadonlyMap<string, unknown>;
  refresh(): Promise<void>;
}

const instant = z.number().nonnegative();
const checksSchema = z.strictObject({
  format: z.literal(1),
  user: z.string(),
  since: instant,
  first_listing: instant.nullable(),
  listings: z.array(instant),
  sessions: z.array(
    z.tuple([z.string(), instant.nullable(), instant, instant.nullable(), z.boolean()]),
  ),
});

/** Undefined if the file is missing or unreadable: then every session is checked soon. */
export async function loadChecks(storage: Storage, user: UserId): Promise<UserChecks | undefined> {
  const bytes = await getIfThere(storage, checksPath(user));
  if (!bytes) return undefined;
  try {
    const checks = checksSchema.parse(parseJson((await gunzipBytes(bytes)).toString()));
    if (checks.user !== user) return undefined;
    return {
      user,
      sinceMs: checks.since,
      firstListingMs: checks.first_listing,
      listingsMs: checks.listings,
      sessions: new Map(
        checks.sessions.map(([id, checkedAtMs, listedAtMs, changedAtMs, isIncomplete]) => [
          id,
          { checkedAtMs, listedAtMs, changedAtMs, isIncomplete },
        ]),
      ),
    };
  } catch {
    return undefined;
  }
}

/**
 * Writes the times; without them, runs need more requests. Times from before an erasure may be about what was
 * erased: they are removed again, because the erasure may have deleted the file a moment before.
 *
 * @param known.through the newest commit that was known when the old times were read
 */
export async function saveChecks(
  storage: Storage,
  checks: UserChecks,
  known: { readonly index: KnownErasures; readonly through: number },
): Promise<void> {
  const { user, sinceMs: since, firstListingMs, listingsMs: listings } = checks;
  const sessions = [...checks.sessions].map(([id, check]) => {
    const { checkedAtMs, listedAtMs, changedAtMs, isIncomplete } = check;
    return [id, checkedAtMs, listedAtMs, changedAtMs, isIncomplete];
  });
  const text = JSON.stringify({
    format: 1,
    user,
    since,
    first_listing: firstListingMs,
    listings,
    sessions,
  });
  const path = checksPath(user);
  await storage.put(path, await gzipBytes(text));
  await known.index.refresh();
  const { lastErasure, openErasures } = known.index;
  if (lastErasure > known.through || openErasures.size > 0) await storage.delete(path);
}

/** For a user that no run has exported before. */
export function noChecks(user: UserId, sinceMs: number): UserChecks {
  return { user, sinceMs, firstListingMs: null, listingsMs: [], sessions: new Map() };
}
