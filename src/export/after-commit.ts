/**
 * What follows a commit, while no other can be made: only committed work is counted and reported, the lap goes on behind
 * it, and the leases of its users are released. If the run is killed in between, the next run finds everything in the log.
 */
import type { Archive } from '../archive/archive.js';
import { concurrently } from '../base/concurrently.js';
import type { CommittedCheckpoint } from './checkpoint/checkpoint-tally.js';
import type { ExportObserver } from './export-observer.js';
import type { RunLap } from './laps/run-lap.js';
import type { RunTally } from './run-tally.js';
import type { PendingUsers } from './users/pending-users.js';
import type { UserLeases } from './users/user-leases.js';
import type { UserSource } from './users/user-source.js';

interface AfterCommitOptions {
  readonly archive: Archive;
  readonly beginsDelta?: boolean | undefined;
  readonly observer: ExportObserver;
  readonly source?: UserSource | undefined;
  readonly tally: RunTally;
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
  readonly lap: RunLap;
}

/** Users whose leases are released at a time: each is a small file or request, and waits for the storage. */
const RELEASED_AT_A_TIME = 16;

export class AfterCommit {
  readonly #options: AfterCommitOptions;

  constructor(options: AfterCommitOptions) {
    this.#options = options;
  }

  async committed({ number, tally: work, users }: CommittedCheckpoint): Promise<void> {
    const { archive, observer, beginsDelta = false, source } = this.#options;
    const { tally, pending, leases, lap } = this.#options;
    tally.summary.commits.push(number);
    tally.addWork(work);
    // first: a run that is ended during what follows has committed this
    observer.committed?.(number, tally.summary.jobs.archived);
    await archive.delta.tryPublish(archive.logger, { begin: beginsDelta });
    tally.unfinished.committed();
    const outcomes = users.flatMap(({ user }) => pending.settle(user) ?? []);
    for (const outcome of outcomes) tally.add(outcome);
    await archive.index.refresh();
    await concurrently(users, RELEASED_AT_A_TIME, async ({ user }) => {
      await lap.committed(user);
      pending.forgetPlan(user);
      await leases.release(user);
    });
    for (const outcome of outcomes) source?.settled(outcome.entry.user, outcome);
  }
}
