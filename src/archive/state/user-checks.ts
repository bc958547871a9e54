/** When each session of a user was last checked: the log, which records changes only, does not tell. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../../base/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Storage } from '../../storage/storage.js';
import type { LogIndex } from '../log/log-index.js';
import { checksPath } from '../paths.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** All times are wall time in milliseconds since 1970 UTC. */
export interface UserChecks {
  readonly user: UserId;
  /** When a run was first asked for the user. */
  readonly sinceMs: number;
  /** When the user's sessions were first listed to the end: what came later is new. */
  readonly firstListingMs: number | null;
  /** When the user's sessions were last listed to the end, the newest last; a few of them. */
  readonly listingsMs: readonly number[];
  readonly sessions: ReadonlyMap<string, SessionCheck>;
}

export interface SessionCheck {
  /** When it was last read without failure; null while it has not been. */
  readonly checkedAtMs: number | null;
  /** When it was first listed. */
  readonly listedAtMs: number;
  /** When its newest change was made or seen; null where nothing tells. */
  readonly changedAtMs: number | null;
  /** Its history was not read to the end. */
  readonly isIncomplete: boolean;
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

/** What is not there or does not read counts for nothing: then every session is checked soon. */
export async function loadChecks(storage: Storage, user: UserId): Promise<UserChecks | undefined> {
  let bytes;
  try {
    bytes = await storage.get(checksPath(user));
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
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
 * Losing it costs requests, nothing else. What was known before an erasure may be of the erased, and does not
 * stay: the erasure may have removed it a moment before.
 *
 * @param known.through the newest commit that was known when what was built upon was read
 */
export async function saveChecks(
  storage: Storage,
  checks: UserChecks,
  known: { readonly index: LogIndex; readonly through: number },
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

/** Of a user whom no run has been asked for before. */
export function noChecks(user: UserId, sinceMs: number): UserChecks {
  return { user, sinceMs, firstListingMs: null, listingsMs: [], sessions: new Map() };
}
