/** When each session of a user was last looked at: the log, which records changes only, does not tell. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../../base/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Storage } from '../../storage/storage.js';
import type { LogIndex } from '../log/log-index.js';
import { looksPath } from '../paths.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** All times are wall time in milliseconds since 1970 UTC. */
export interface UserLooks {
  readonly user: UserId;
  /** When a run was first asked for the user. */
  readonly sinceMs: number;
  /** When the user's sessions were first listed to the end: what came later is new. */
  readonly firstListingMs: number | null;
  /** When the user's sessions were last listed to the end, the newest last; a few of them. */
  readonly listingsMs: readonly number[];
  readonly sessions: ReadonlyMap<string, SessionLook>;
}

export interface SessionLook {
  /** When it was last read without failure; null while it has not been. */
  readonly lookedAtMs: number | null;
  /** When it was first listed. */
  readonly listedAtMs: number;
  /** When its newest change was made or seen; null where nothing tells. */
  readonly changedAtMs: number | null;
  /** Its history was not read to the end. */
  readonly isIncomplete: boolean;
}

const instant = z.number().nonnegative();
const looksSchema = z.strictObject({
  format: z.literal(1),
  user: z.string(),
  since: instant,
  first_listing: instant.nullable(),
  listings: z.array(instant),
  sessions: z.array(
    z.tuple([z.string(), instant.nullable(), instant, instant.nullable(), z.boolean()]),
  ),
});

/** What is not there or does not read counts for nothing: then every session is looked at soon. */
export async function loadLooks(storage: Storage, user: UserId): Promise<UserLooks | undefined> {
  let bytes;
  try {
    bytes = await storage.get(looksPath(user));
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
  try {
    const looks = looksSchema.parse(parseJson((await gunzipBytes(bytes)).toString()));
    if (looks.user !== user) return undefined;
    return {
      user,
      sinceMs: looks.since,
      firstListingMs: looks.first_listing,
      listingsMs: looks.listings,
      sessions: new Map(
        looks.sessions.map(([id, lookedAtMs, listedAtMs, changedAtMs, isIncomplete]) => [
          id,
          { lookedAtMs, listedAtMs, changedAtMs, isIncomplete },
        ]),
      ),
    };
  } catch {
    return undefined;
  }
}

/**
 * Losing it costs looks, nothing else. What was known before an erasure may be of the erased, and does not
 * stay: the erasure may have removed it a moment before.
 *
 * @param known.through the newest commit that was known when what was built upon was read
 */
export async function saveLooks(
  storage: Storage,
  looks: UserLooks,
  known: { readonly index: LogIndex; readonly through: number },
): Promise<void> {
  const { user, sinceMs: since, firstListingMs, listingsMs: listings } = looks;
  const sessions = [...looks.sessions].map(([id, look]) => {
    const { lookedAtMs, listedAtMs, changedAtMs, isIncomplete } = look;
    return [id, lookedAtMs, listedAtMs, changedAtMs, isIncomplete];
  });
  const text = JSON.stringify({
    format: 1,
    user,
    since,
    first_listing: firstListingMs,
    listings,
    sessions,
  });
  const path = looksPath(user);
  await storage.put(path, await gzipBytes(text));
  await known.index.refresh();
  const { lastErasure, openErasures } = known.index;
  if (lastErasure > known.through || openErasures.size > 0) await storage.delete(path);
}

/** Of a user whom no run has been asked for before. */
export function noLooks(user: UserId, sinceMs: number): UserLooks {
  return { user, sinceMs, firstListingMs: null, listingsMs: [], sessions: new Map() };
}
