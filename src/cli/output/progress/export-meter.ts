/** Counts the progress of an export and estimates its speed and the time left. */
import type { Clock } from '../../../base/runtime.js';
import type { ExportObserver } from '../../../export/export-observer.js';

export interface ExportState {
  readonly users: number;
  readonly usersTotal: number;
  readonly sessions: number;
  /** Sessions of the users that have been listed. */
  readonly sessionsListed: number;
  readonly jobs: number;
  /** Over the last minute; undefined while there is too little data. */
  readonly sessionsPerSecond: number | undefined;
  /** Assumes that the other users have as many sessions as those listed so far. */
  readonly leftMs: number | undefined;
  /** From 0 to 1, by the same assumption. */
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
/** An estimate from less data would be a guess. */
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
      // the user was restarted: its earlier counts no longer apply
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
      // listed sessions that this run does not check
      this.#add(user, { listed: counts.sessions - counts.listed });
    },
  };

  state(): ExportState {
    const { listed, sessions, jobs } = this.#total;
    const nowMs = this.clock.monotonic();
    const sessionsPerSecond = this.#speed(nowMs);
    const sessionsLeft = this.#sessionsLeft();
    const leftMs =
      sessionsPerSecond && sessions >= LEAST_SESSIONS && sessionsLeft !== undefined
        ? (sessionsLeft / sessionsPerSecond) * 1000
        : undefined;
    const share = sessionsLeft === undefined ? 0 : sessions / Math.max(1, sessions + sessionsLeft);
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

  /** Estimates how many sessions are left. */
  #sessionsLeft(): number | undefined {
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
