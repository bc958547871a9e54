/** Decides which sessions a run with a budget takes before all others: those that have probably changed, or lack something. */
import type { GapEntry } from '../../archive/log/commit.js';
import type { AcceptedGaps } from '../../archive/log/accepted-gaps.js';
import type { SessionState } from '../../archive/state/user-state.js';
import { createdAtOf } from '../../model/times/created-at.js';
import type { UserId } from '../../model/ids.js';

/** Another change is likely within this time after a change. */
const RECENT_MS = 7 * 86_400_000;
/** What a first reading finds may be years old: it is new to the archive only. */
const FIRST_READING_MS = 3_600_000;

export interface FirstFacts {
  readonly user: UserId;
  readonly session: string;
  /** As archived; undefined of a new session. */
  readonly known: SessionState | undefined;
  /** When a run first listed the user: a session that it did not read then is new. */
  readonly listedSinceMs: number;
  readonly accepted: Pick<AcceptedGaps, 'find'>;
  readonly nowMs: number;
}

/** In the order in which the sessions of a user are read. `passed`: the lap has read it already. */
export const RANKS = ['new', 'first', 'other', 'passed'] as const;
export type Rank = (typeof RANKS)[number];

/** `first`: with a gap that nobody accepts, or changed lately. */
export function rankOf({ known, ...facts }: FirstFacts): Exclude<Rank, 'passed'> {
  const { user, session, accepted, listedSinceMs, nowMs } = facts;
  if (!known) return 'new';
  const isOpen = (gap: GapEntry): boolean => accepted.find(user, session, gap) === undefined;
  if (!known.complete || known.gaps.some(isOpen)) return 'first';
  const isRecent = lastChangeMs(session, known, listedSinceMs) >= nowMs - RECENT_MS;
  return isRecent ? 'first' : 'other';
}

/** When a session was made, or a job of it was asked or has changed, as far as ids and the log tell. */
export function lastChangeMs(
  session: string,
  { jobs }: SessionState,
  listedSinceMs: number,
): number {
  const seenMs = [...jobs.values()].map(({ seen_at: seenAt }) => Date.parse(seenAt));
  const firstMs = seenMs.reduce((a, b) => Math.min(a, b), Infinity);
  const isBorn = firstMs > listedSinceMs + FIRST_READING_MS;
  let newestMs = madeMs(session);
  let index = 0;
  for (const [job, { version, settled }] of jobs) {
    const atMs = seenMs[index++] ?? firstMs;
    const wasThere = version === 1 && atMs <= firstMs + FIRST_READING_MS && settled && !isBorn;
    newestMs = Math.max(newestMs, wasThere ? madeMs(job) : atMs);
  }
  return newestMs;
}

function madeMs(id: string): number {
  const made = createdAtOf(id);
  return made ? Number(made.micros / 1000n) : -Infinity;
}
