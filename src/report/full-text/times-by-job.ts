/** When the jobs of a report were asked, by number: lists of numbers, of which 100,000 runs take 5 MB, as objects 20. */
import type { TimesPiece } from '../page-data.js';
import type { When } from '../../model/times/when.js';

export type TimesOfSession = TimesPiece['sessions'][number];

/** Jobs of a session whose numbers follow one another. */
interface Run {
  readonly firstJob: number;
  readonly times: TimesOfSession;
}

export class TimesByJob {
  /** The first job of each run. */
  readonly #firstJobs: number[] = [];
  readonly #sessions: number[] = [];
  readonly #users: number[] = [];
  /** Where its times begin. */
  readonly #starts: number[] = [];
  readonly #asked: When[] = [];
  #nextJob: number | undefined;

  add(job: number, { session, user, asked }: { session: number; user: number; asked: When }): void {
    if (job !== this.#nextJob) {
      this.#firstJobs.push(job);
      this.#sessions.push(session);
      this.#users.push(user);
      this.#starts.push(this.#asked.length);
    }
    this.#asked.push(asked);
    this.#nextJob = job + 1;
  }

  /** The next job begins a run. */
  endSession(): void {
    this.#nextJob = undefined;
  }

  /** Ordered by their jobs. */
  *runs(): Generator<Run> {
    const order = this.#firstJobs.map((_job, run) => run);
    const jobOf = (run: number): number => this.#firstJobs[run] ?? 0;
    for (const run of order.sort((a, b) => jobOf(a) - jobOf(b))) {
      const asked = this.#asked.slice(this.#starts[run], this.#starts[run + 1]);
      const times: TimesOfSession = [this.#sessions[run] ?? 0, this.#users[run] ?? 0, asked];
      yield { firstJob: jobOf(run), times };
    }
  }
}
