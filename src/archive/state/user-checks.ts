/**
 * When each session of a user was last checked. The log does not have it: it records only changes. A user is a line of
 * JSON in an object with those of many users (`saved-checks.ts`).
 */
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { isLive, type SessionState, type UserState } from './user-state.js';

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

/** Finds the session that was checked least recently, and computes the cost of checking all sessions. */
export interface CheckStatus {
  /** Of the sessions that the service still has; null if no check is recorded. */
  readonly least_recent: {
    readonly user: UserId;
    readonly session: string;
    /** ISO 8601; null if it was listed and not checked yet. */
    readonly last_checked_at: string | null;
    /** ISO 8601: when it was first listed. */
    readonly listed_at: string;
  } | null;
  /** Sessions without a recorded check: they are checked first. */
  readonly not_checked: number;
  /** Cost of a run over everything when nothing is new: pages of sessions and one page of each history. */
  readonly full_check: {
    readonly requests: number;
    /** Requests a second. */
    readonly rate: number;
    readonly duration_ms: number;
  };
}

export interface CheckPace {
  /** Requests a second. */
  readonly rate: number;
  /** Sessions a page. */
  readonly pageSize: number;
}

/** The checks of one user's sessions that the service still has. Times are in milliseconds since 1970 UTC. */
interface CheckSummary {
  readonly sessions: number;
  /** Those without a recorded check. */
  readonly unchecked: number;
  /** The one that was checked, or else listed, least recently. */
  readonly oldest: {
    readonly session: string;
    readonly checkedAtMs: number | null;
    readonly listedAtMs: number;
  } | null;
}

export function checkSummary(
  sessions: ReadonlyMap<string, Pick<SessionState, 'deleted' | 'goneAt'>>,
  checks: UserChecks | undefined,
): CheckSummary {
  const live = [...sessions].filter(([, state]) => isLive(state)).map(([id]) => id);
  // sessions that were listed and never checked are in no state yet
  const ids = new Set([...live, ...(checks?.sessions.keys() ?? [])]);
  let unchecked = 0;
  let oldest: CheckSummary['oldest'] = null;
  for (const session of ids) {
    const check = checks?.sessions.get(session);
    if (!check) {
      unchecked++;
      continue;
    }
    const { checkedAtMs, listedAtMs } = check;
    if (oldest && sinceMs(oldest) <= sinceMs(check)) continue;
    oldest = { session, checkedAtMs, listedAtMs };
  }
  return { sessions: ids.size, unchecked, oldest };
}

export class CheckSurvey {
  #oldest: (NonNullable<CheckSummary['oldest']> & Pick<UserState, 'user'>) | undefined;
  #notChecked = 0;
  #requests = 0;
  readonly #pace: CheckPace;

  constructor(pace: CheckPace) {
    this.#pace = pace;
  }

  add(user: UserId, { sessions, unchecked, oldest }: CheckSummary): void {
    this.#notChecked += unchecked;
    this.#requests += Math.max(1, Math.ceil(sessions / this.#pace.pageSize)) + sessions;
    if (!oldest || (this.#oldest && sinceMs(this.#oldest) <= sinceMs(oldest))) return;
    this.#oldest = { user, ...oldest };
  }

  status(): CheckStatus {
    const requests = this.#requests;
    const { rate } = this.#pace;
    const durationMs = Math.round((requests * 1000) / rate);
    return {
      least_recent: this.#leastRecent(),
      not_checked: this.#notChecked,
      full_check: { requests, rate, duration_ms: durationMs },
    };
  }

  #leastRecent(): CheckStatus['least_recent'] {
    if (!this.#oldest) return null;
    const { user, session, checkedAtMs, listedAtMs } = this.#oldest;
    return {
      user,
      session,
      listed_at: new Date(listedAtMs).toISOString(),
      last_checked_at: checkedAtMs === null ? null : new Date(checkedAtMs).toISOString(),
    };
  }
}

function sinceMs({
  checkedAtMs,
  listedAtMs,
}: Pick<SessionCheck, 'checkedAtMs' | 'listedAtMs'>): number {
  return checkedAtMs ?? listedAtMs;
}
