/** How far an export has come, how fast it goes and when it may be done: counted from what it tells. */
import type { Clock } from '../../base/clock.js';
import type { ExportObserver } from '../../export/export-observer.js';

export interface ExportState {
  readonly users: number;
  readonly usersTotal: number;
  readonly sessions: number;
  /** Of users that have been listed. */
  readonly sessionsListed: number;
  readonly jobs: number;
  /** Over the last minute; undefined before anything can be said. */
  readonly sessionsPerSecond: number | undefined;
  /** Reckons that users to come have as many sessions as those so far. */
  readonly leftMs: number | undefined;
  /** From 0 to 1, by the same reckoning. */
  readonly share: number;
}

interface UserCounts {
  listed: number;
  sessions: number;
  jobs: number;
  isDone: boolean;
}

const WINDOW_MS = 60_000;
const SAMPLE_MS = 1_000;
/** What is reckoned from less is no more than a guess. */
const LEAST_SESSIONS = 5;
const LEAST_MS = 2_000;

export class ExportMeter {
  readonly #users = new Map<string, UserCounts>();
  readonly #total: UserCounts = { listed: 0, sessions: 0, jobs: 0, isDone: false };
  #usersDone = 0;
  #usersListed = 0;
  #samples: { readonly atMs: number; readonly sessions: number }[] = [];

  constructor(
    readonly clock: Clock,
    readonly usersTotal: number,
  ) {
    this.#samples.push({ atMs: clock.monotonic(), sessions: 0 });
  }

  readonly observer: ExportObserver = {
    userStarted: (user) => {
      // begun anew: what was counted was thrown away
      const before = this.#users.get(user);
      if (before) this.#forget(before);
      this.#users.set(user, { listed: 0, sessions: 0, jobs: 0, isDone: false });
    },
    sessionsListed: (user, count) => {
      this.#usersListed++;
      this.#add(user, { listed: count });
    },
    sessionFinished: (user) => {
      this.#add(user, { sessions: 1 });
    },
    jobArchived: (user) => {
      this.#add(user, { jobs: 1 });
    },
    userFinished: (user) => {
      const counts = this.#of(user);
      if (counts.isDone) return;
      if (counts.listed === 0) this.#usersListed++;
      counts.isDone = true;
      this.#usersDone++;
      // sessions that were listed and are not looked at in this run
      this.#add(user, { listed: counts.sessions - counts.listed });
    },
  };

  state(): ExportState {
    const { listed, sessions, jobs } = this.#total;
    const nowMs = this.clock.monotonic();
    const sessionsPerSecond = this.#speed(nowMs);
    const left = this.#left();
    const leftMs =
      sessionsPerSecond && sessions >= LEAST_SESSIONS && left !== undefined
        ? (left / sessionsPerSecond) * 1000
        : undefined;
    const share = left === undefined ? 0 : sessions / Math.max(1, sessions + left);
    return {
      users: this.#usersDone,
      usersTotal: this.usersTotal,
      sessions,
      jobs,
      share,
      sessionsListed: listed,
      sessionsPerSecond,
      leftMs,
    };
  }

  /** Sessions that are still to be looked at, as far as can be reckoned. */
  #left(): number | undefined {
    const { listed, sessions } = this.#total;
    if (this.#usersListed === 0) return undefined;
    const toList = Math.max(0, this.usersTotal - this.#usersListed);
    return listed - sessions + (toList * listed) / this.#usersListed;
  }

  #speed(nowMs: number): number | undefined {
    const { sessions } = this.#total;
    const last = this.#samples.at(-1);
    if (!last || nowMs - last.atMs >= SAMPLE_MS) this.#samples.push({ atMs: nowMs, sessions });
    this.#samples = this.#samples.filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
    const [first] = this.#samples;
    if (!first || nowMs - first.atMs < LEAST_MS || sessions <= first.sessions) return undefined;
    return ((sessions - first.sessions) / (nowMs - first.atMs)) * 1000;
  }

  #of(user: string): UserCounts {
    const known = this.#users.get(user);
    if (known) return known;
    const counts = { listed: 0, sessions: 0, jobs: 0, isDone: false };
    this.#users.set(user, counts);
    return counts;
  }

  #add(user: string, { listed = 0, sessions = 0, jobs = 0 }: Partial<UserCounts>): void {
    for (const counts of [this.#of(user), this.#total]) {
      counts.listed += listed;
      counts.sessions += sessions;
      counts.jobs += jobs;
    }
  }

  #forget({ listed, sessions, jobs, isDone }: UserCounts): void {
    this.#total.listed -= listed;
    this.#total.sessions -= sessions;
    this.#total.jobs -= jobs;
    if (listed > 0 || isDone) this.#usersListed--;
    if (isDone) this.#usersDone--;
  }
}
