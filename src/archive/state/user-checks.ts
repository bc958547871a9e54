/** Loads and saves when each session of a user was last checked. The log does not have it: it records only changes. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { getIfThere, type Storage } from '../../storage/storage.js';
import { IntegrityError } from '../archive-errors.js';
import { checksPath, commitPath } from '../paths.js';
import { MAY_BE_CUT } from '../verify/findings.js';

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

/** The newest commit that a run knew: a log without it was cut, one with another digest rewritten. */
export interface KnownHead {
  readonly number: number;
  /** Null before the first commit. */
  readonly digest: string | null;
}

/** What the index of the log says of commits and of erasures. */
interface KnownLog {
  readonly through: number;
  readonly lastErasure: number;
  readonly openErasures: ReadonlyMap<string, unknown>;
  digestOf(number: number): string | null;
  refresh(): Promise<void>;
}

const instant = z.number().nonnegative();
const checksSchema = z.strictObject({
  format: z.literal(1),
  user: z.string(),
  since: instant,
  first_listing: instant.nullable(),
  listings: z.array(instant),
  head: z.tuple([z.int().nonnegative(), z.string().nullable()]),
  sessions: z.array(
    z.tuple([z.string(), instant.nullable(), instant, instant.nullable(), z.boolean()]),
  ),
});

/**
 * Undefined if the file is missing or unreadable: then every session is checked soon.
 *
 * @param log asked whether it has the newest commit that the run knew which wrote the file
 * @throws {IntegrityError} it does not: nothing may rest on it
 */
export async function loadChecks(
  storage: Storage,
  user: UserId,
  log?: Omit<KnownLog, 'openErasures'>,
): Promise<UserChecks | undefined> {
  const path = checksPath(user);
  const bytes = await getIfThere(storage, path);
  const checks = bytes && (await decodedChecks(bytes));
  if (checks?.user !== user) return undefined;
  if (log) await assertKnown(log, path, { number: checks.head[0], digest: checks.head[1] });
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
}

/** What the run knew that wrote the file; undefined if it is unreadable. */
export async function headKnownIn(bytes: Uint8Array): Promise<KnownHead | undefined> {
  const checks = await decodedChecks(bytes);
  return checks && { number: checks.head[0], digest: checks.head[1] };
}

/** @throws {IntegrityError} the log has lost the commit, or has another in its place */
async function assertKnown(
  log: Omit<KnownLog, 'openErasures'>,
  path: string,
  head: KnownHead,
): Promise<void> {
  // another run may have appended since the log was read
  if (head.number > log.through) await log.refresh();
  if (head.number > log.through) throw cutBefore(path, head.number);
  if (isAnother(log, head)) throw new IntegrityError(path, 'chain', anotherCommit(head));
}

/** Whether the log has another commit of this number. Those before an erasure may be redacted since. */
export function isAnother(
  log: Pick<KnownLog, 'digestOf' | 'lastErasure'>,
  { number, digest }: KnownHead,
): boolean {
  const found = log.digestOf(number);
  return found !== null && number >= log.lastErasure && found !== digest;
}

export function anotherCommit({ number }: KnownHead): string {
  return `was made from another commit ${number} than the one in the log; ${MAY_BE_CUT}`;
}

export function cutBefore(path: string, number: number): IntegrityError {
  const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
  return new IntegrityError(commitPath(number), 'missing', detail);
}

async function decodedChecks(bytes: Uint8Array): Promise<z.infer<typeof checksSchema> | undefined> {
  try {
    return checksSchema.parse(parseJson((await gunzipBytes(bytes)).toString()));
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
  known: { readonly index: KnownLog; readonly through: number },
): Promise<void> {
  const { user, sinceMs: since, firstListingMs, listingsMs: listings } = checks;
  const sessions = [...checks.sessions].map(([id, check]) => {
    const { checkedAtMs, listedAtMs, changedAtMs, isIncomplete } = check;
    return [id, checkedAtMs, listedAtMs, changedAtMs, isIncomplete];
  });
  const { through: head } = known.index;
  const text = JSON.stringify({
    format: 1,
    user,
    since,
    first_listing: firstListingMs,
    listings,
    head: [head, known.index.digestOf(head)],
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
