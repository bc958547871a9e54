/** The jobs that words or a period choose, and when jobs were asked. */
import { rowId, type SessionId, type UserId } from '../../model/ids.js';
import { knownTime } from '../../model/times/timestamp.js';
import type { AskedTimes } from '../../model/times/asked-times.js';
import { classifyByPeriod, type Period, type TimeBounds } from '../../model/times/time-bounds.js';
import type { SessionState } from '../state/user-state.js';
import type { JobBounds } from './job-bounds.js';

/** Ids in either spelling: see `rowId`. */
export interface ChosenJobs {
  hasUser(user: string): boolean;
  hasSession(user: string, session: string): boolean;
  hasJob(user: string, session: string, job: string): boolean;
  /** How many of a user's jobs nobody can judge and are not taken in: they are not chosen, and are named. */
  leftOutOf(user: string): number;
}

/** What becomes of jobs of which nothing tells whether they were asked in the period. */
export type Undated = 'include' | 'exclude';

/** Ids as rows have them. */
interface JobKey {
  readonly user: string;
  readonly session: string;
  readonly job: string;
}

/** A job with the words that the period could not place: taken in, or left out, with or without a decision. */
export interface LeftOutJob extends JobKey, AskedTimes {
  readonly sessionName: string | null;
}

/** Memory holds a key for each. */
export class JobSet implements ChosenJobs {
  readonly leftOut: LeftOutJob[] = [];
  /** Its jobs of which nothing tells whether they are in the period. */
  readonly takenIn: LeftOutJob[] = [];
  readonly #users = new ById<ById<ById<number>>>();
  readonly #sessions = new Set<string>();
  readonly #undated = new Set<string>();
  readonly #leftOutOf = new ById<number>();

  /** @param places bits that say where its words stand */
  add({ user, session, job }: JobKey, places = 0): void {
    this.#sessions.add(rowId(session));
    const sessions = this.#users.getOr(user, () => new ById());
    sessions.getOr(session, () => new ById<number>()).set(job, places);
  }

  /** As `add`, of a job of which nothing tells whether it is in the period. */
  takeIn(job: LeftOutJob, places = 0): void {
    this.add(job, places);
    this.takenIn.push(job);
    this.#undated.add(keyOf(job.user, job.session, job.job));
  }

  leaveOut(job: LeftOutJob): void {
    this.leftOut.push(job);
    this.#leftOutOf.set(job.user, this.leftOutOf(job.user) + 1);
  }

  leftOutOf(user: string): number {
    return this.#leftOutOf.get(user) ?? 0;
  }

  /** How many of the jobs are such. */
  count(isSuch: (session: string, job: string) => boolean): number {
    let count = 0;
    for (const [, sessions] of this.#users.entries()) {
      for (const [session, jobs] of sessions.entries()) {
        for (const [job] of jobs.entries()) if (isSuch(session, job)) count++;
      }
    }
    return count;
  }

  /** The ids of the sessions that have any of the jobs. */
  sessionIds(): string[] {
    return [...this.#sessions];
  }

  hasUser(user: string): boolean {
    return this.#users.has(user);
  }

  hasSession(user: string, session: string): boolean {
    return this.#users.get(user)?.has(session) === true;
  }

  hasJob(user: string, session: string, job: string): boolean {
    return this.#users.get(user)?.get(session)?.has(job) === true;
  }

  /** 0 of a job that is not chosen. */
  placesOf(user: string, session: string, job: string): number {
    return this.#users.get(user)?.get(session)?.get(job) ?? 0;
  }

  isUndated(user: string, session: string, job: string): boolean {
    return this.#undated.size > 0 && this.#undated.has(keyOf(user, session, job));
  }
}

export interface JobsOfPeriod {
  readonly jobs: JobSet;
  /** In the period for certain. */
  readonly within: number;
  /** Nothing tells whether they are. */
  readonly unknown: number;
}

/** The jobs of a period, as the bounds of their times tell it; sessions have no names. */
export async function jobsOfPeriod(
  users: AsyncIterable<{
    readonly user: UserId;
    readonly sessions: readonly { readonly session: SessionId; readonly state: SessionState }[];
  }>,
  period: Period,
  undated: Undated | undefined,
  { boundsOf, isOfDays }: { readonly boundsOf: JobBounds; readonly isOfDays: boolean },
): Promise<JobsOfPeriod> {
  const jobs = new JobSet();
  let [within, unknown] = [0, 0];
  for await (const { user, sessions } of users) {
    for (const { session, state } of sessions) {
      for (const [job, bounds] of boundsOf(user, session, state)) {
        const verdict = classifyByPeriod(bounds, period);
        if (verdict === 'outside') continue;
        const isUndated = verdict === 'unknown';
        if (isUndated) unknown++;
        else within++;
        const key = { user: rowId(user), session: rowId(session), job: rowId(job) };
        if (!isUndated) jobs.add(key);
        else if (undated === 'include') jobs.takeIn({ ...key, ...asTexts(bounds, isOfDays) });
        else jobs.leaveOut({ ...key, ...asTexts(bounds, isOfDays) });
      }
    }
  }
  return { jobs, within, unknown };
}

function asTexts({ after, before }: TimeBounds, isOfDays: boolean) {
  const timeOf = (time: bigint | null) => (time === null ? null : knownTime(time, isOfDays));
  return {
    sessionName: null,
    created_at: null,
    created_after: timeOf(after),
    created_before: timeOf(before),
  };
}

/** A map by ids as the tables have them. It is asked for each row: a key of JSON takes a tenth of a pack. */
class ById<T> {
  readonly #values = new Map<string, T>();

  get(id: string): T | undefined {
    return this.#values.get(rowId(id));
  }

  has(id: string): boolean {
    return this.#values.has(rowId(id));
  }

  entries(): Iterable<readonly [string, T]> {
    return this.#values.entries();
  }

  set(id: string, value: T): void {
    this.#values.set(rowId(id), value);
  }

  getOr(id: string, make: () => T): T {
    const known = this.get(id);
    if (known !== undefined) return known;
    const made = make();
    this.set(id, made);
    return made;
  }
}

function keyOf(...ids: readonly string[]): string {
  return JSON.stringify(ids.map(rowId));
}
