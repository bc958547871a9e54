/**
 * When each session of a user was last checked. The log does not have it: it records only changes. A user is a line of
 * JSON in an object with those of many users (`saved-checks.ts`).
 */
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';

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

/** A line as it is stored. Of two lines of a user, the one that was saved later counts. */
export interface ChecksLine {
  readonly user: UserId;
  /** By the clock of the run, in milliseconds since 1970 UTC. */
  readonly savedMs: number;
  readonly text: string;
}

const instant = z.number().nonnegative();
const lineSchema = z.strictObject({
  user: z.string(),
  saved: instant,
  since: instant,
  first_listing: instant.nullable(),
  listings: z.array(instant),
  sessions: z.array(
    z.tuple([z.string(), instant.nullable(), instant, instant.nullable(), z.boolean()]),
  ),
});

/** For a user that no run has exported before. */
export function noChecks(user: UserId, sinceMs: number): UserChecks {
  return { user, sinceMs, firstListingMs: null, listingsMs: [], sessions: new Map() };
}

export function checksLine(checks: UserChecks, savedMs: number): ChecksLine {
  const { user, sinceMs: since, firstListingMs, listingsMs: listings } = checks;
  const sessions = [...checks.sessions].map(([id, check]) => {
    const { checkedAtMs, listedAtMs, changedAtMs, isIncomplete } = check;
    return [id, checkedAtMs, listedAtMs, changedAtMs, isIncomplete];
  });
  const line = { user, saved: savedMs, since, first_listing: firstListingMs, listings, sessions };
  return { user, savedMs, text: JSON.stringify(line) };
}

const START = /^\{"user":("(?:[^"\\]|\\.)*"),"saved":(\d+(?:\.\d+)?),/;

/** Reads only whose line it is, and its age. @throws {SyntaxError} it has another beginning */
export function checksLineIn(text: string): ChecksLine {
  const [, user, saved] = START.exec(text) ?? [];
  return { user: parseJson(user ?? '') as UserId, savedMs: Number(saved), text };
}

/** Undefined if it is damaged. */
export function checksIn({ user, text }: ChecksLine): UserChecks | undefined {
  let line;
  try {
    line = lineSchema.parse(parseJson(text));
  } catch {
    return undefined;
  }
  return {
    user,
    sinceMs: line.since,
    firstListingMs: line.first_listing,
    listingsMs: line.listings,
    sessions: new Map(
      line.sessions.map(([id, checkedAtMs, listedAtMs, changedAtMs, isIncomplete]) => [
        id,
        { checkedAtMs, listedAtMs, changedAtMs, isIncomplete },
      ]),
    ),
  };
}
