/** Whose the jobs are and when they were asked, by their numbers; loaded as far as it is wanted. */
import { groupBy } from '../../base/group-by.js';
import type { SearchPlan, TimesPiece } from '../page-data.js';
import { classifyWhen, newerFirst, type DayPeriod, type When } from '../../model/times/when.js';
import { load } from './data.js';

export interface PlacedJob {
  readonly session: number;
  readonly user: number;
  readonly asked: When;
}

/** What a period finds of a session: how many jobs are in it, and of how many nobody can tell. */
export interface SessionInPeriod {
  readonly session: number;
  readonly user: number;
  readonly jobs: number;
  readonly unknown: number;
  /** When the newest of those in the period was asked. */
  readonly newest: When;
}

/** Every session that has a job in the period or one of which nobody can tell; the newest first. */
export async function sessionsIn(period: DayPeriod): Promise<SessionInPeriod[]> {
  const { times } = await load<SearchPlan>('find');
  const pieces = await Promise.all(times.map((_first, index) => pieceAt(index)));
  const all = pieces.flatMap(({ sessions }) => sessions.filter(([session]) => session > 0));
  // a session that got a question later stands there again
  return [...groupBy(all, ([session]) => session)]
    .map(([session, runs]) => {
      const asked = runs.flatMap(([, , times]) => times);
      const verdicts = asked.map((when) => classifyWhen(when, period));
      const found = asked.filter((_when, index) => verdicts[index] === 'within');
      const unknown = verdicts.filter((verdict) => verdict === 'unknown').length;
      const newest = found.sort(newerFirst)[0] ?? null;
      return { session, user: runs[0]?.[1] ?? 0, jobs: found.length, unknown, newest };
    })
    .filter(({ jobs, unknown }) => jobs + unknown > 0)
    .sort((a, b) => newerFirst(a.newest, b.newest) || a.session - b.session);
}

/** In the order of the numbers that are given. */
export async function placesOf(numbers: readonly number[]): Promise<PlacedJob[]> {
  const { times } = await load<SearchPlan>('find');
  const wanted = [...new Set(numbers.map((number) => lastUpTo(times, number)))];
  const pieces = new Map(
    await Promise.all(
      wanted.map(async (index) => {
        const { sessions } = await pieceAt(index);
        let next = times[index] ?? 0;
        const firsts = sessions.map(([, , asked]) => (next += asked.length) - asked.length);
        return [index, { sessions, firsts }] as const;
      }),
    ),
  );
  return numbers.map((number) => {
    const piece = pieces.get(lastUpTo(times, number));
    const at = lastUpTo(piece?.firsts ?? [], number);
    const [session, user, asked] = piece?.sessions[at] ?? [0, 0, []];
    return { session, user, asked: asked[number - (piece?.firsts[at] ?? 0)] ?? null };
  });
}

function pieceAt(index: number): Promise<TimesPiece> {
  return load<TimesPiece>(`c/${index}`);
}

/** The place of the last one that is not greater; of equal ones the last. @param rising may have equal ones */
function lastUpTo(rising: readonly number[], number: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
