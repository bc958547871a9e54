/** What users do while jobvault works: ask, wait for answers, rename, delete. */
import type { Scheduler } from './scheduler.js';
import type { SimService, SimSession } from './sim-service.js';

const HOUR_MS = 3_600_000;

/** Younger jobs may still change; the runs' settle time is longer. */
const GROWING_MS = 5 * 60_000;
export const SETTLE_MS = 10 * 60_000;
const MOST_SESSIONS = 7;
const MOST_JOBS = 6;

export class People {
  constructor(
    readonly scheduler: Scheduler,
    readonly service: SimService,
    /** Whether answers change long after they were given. */
    readonly editsOld: boolean,
  ) {}

  /** The service before the first run: old conversations. */
  begin(users: readonly string[]): void {
    const { scheduler, service } = this;
    for (const user of users) {
      for (let sessions = 2 + scheduler.below(3); sessions > 0; sessions--) {
        const session = service.addSession(user);
        for (let jobs = 1 + scheduler.below(3); jobs > 0; jobs--) {
          service.addJob(session, 48 * HOUR_MS, this.#hasFiles() ? 1 : 0);
        }
      }
    }
  }

  act(): void {
    const { scheduler, service } = this;
    const sessions = service.present();
    if (sessions.length === 0 || (sessions.length < MOST_SESSIONS && scheduler.chance(0.15))) {
      const session = service.addSession(scheduler.anyOf(service.users));
      this.#ask(session);
      return;
    }
    const session = scheduler.anyOf(sessions);
    const what = scheduler.random.fraction();
    if (what < 0.45) this.#ask(session);
    else if (what < 0.75) this.#change(session);
    else if (what < 0.92) service.rename(session);
    else service.remove(session, 'people');
  }

  #ask(session: SimSession): void {
    const { scheduler, service } = this;
    if (session.jobs.length >= MOST_JOBS) return;
    // some ids contain an old time, as after a move from another project
    const agoMs = scheduler.chance(0.5) ? 0 : 48 * HOUR_MS;
    service.addJob(session, agoMs, this.#hasFiles() ? 1 + scheduler.below(2) : 0);
  }

  #hasFiles(): boolean {
    return this.service.options.sharesFiles > 0 || this.scheduler.chance(0.3);
  }

  #change(session: SimSession): void {
    const { scheduler, service } = this;
    const open = session.jobs.filter(
      ({ madeAtMs }) => this.editsOld || scheduler.nowMs() - madeAtMs < GROWING_MS,
    );
    if (open.length > 0) service.grow(scheduler.anyOf(open));
  }
}
