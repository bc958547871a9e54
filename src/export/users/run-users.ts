/** The users of a run: takes one after the other from its list and its queue, and exports or skips each. */
import pLimit from 'p-limit';
import type { UserId } from '../../model/ids.js';
import {
  awaitedOf,
  erasedBefore,
  erasedWithUsers,
  listingsRead,
} from '../../archive/reading/users/user-listings.js';
import { failureBehindGap } from '../jobs/gap.js';
import type { RunLap } from '../laps/run-lap.js';
import type { ExportOptions } from '../export-options.js';
import { type ExportRun, partOf } from '../export-run.js';
import type { RunTally } from '../run-tally.js';
import { processUsers } from './user-queue.js';
import type { UserLeases } from './user-leases.js';
import type { PendingUsers } from './pending-users.js';
import { retryPlanOf } from './checked-listing.js';
import { exportUser, type UserToExport } from './user-export.js';
import type { UserOutcome } from './user-outcome.js';
import { ToldBefore } from './told-before.js';
import type { CheckedList } from './checked-list.js';
import { skippedOnHold } from './session-listing.js';

interface UsersOfRun {
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
  readonly lap: RunLap;
}

export class RunUsers {
  readonly #options: ExportOptions;
  readonly #pending: PendingUsers;
  readonly #leases: UserLeases;
  readonly #lap: RunLap;
  /** Users of the run who may not be read: they were erased, and are not to come back. */
  readonly #suppressed = new Set<UserId>();
  /** Users whose export is under way. */
  #working = 0;
  readonly #told: ToldBefore;
  /** Sessions of users who were erased since the export before this run. */
  #erasedWithUsers = 0;
  /** Done; recorded at the end, and only if the list is not doubtful: ids of nobody are no users. */
  readonly #neverSeen = new Map<UserId, UserOutcome>();

  constructor(options: ExportOptions, { pending, leases, lap }: UsersOfRun) {
    this.#options = options;
    this.#pending = pending;
    this.#leases = leases;
    this.#lap = lap;
    const { archive, settings, scope } = options;
    const byHand = scope?.['named'] === true || partOf(settings) !== undefined;
    this.#told = new ToldBefore(archive, { byHand });
  }

  /** How many of its users may not be read, as far as the run knows. */
  get suppressed(): number {
    return this.#suppressed.size;
  }

  /** Called before the first user. */
  async prepare(): Promise<void> {
    const { archive } = this.#options;
    for (const user of this.#pending.all()) this.#isSuppressed(user);
    this.#told.prepare();
    this.#erasedWithUsers = await erasedWithUsers(archive);
    return this.#lap.prepare(this.#pending.all());
  }

  /**
   * Exports the pending users. As many users at a time as sessions: while one is listed, the sessions of
   * others are exported.
   *
   * @param stop aborted by the first fatal failure
   */
  async process(run: ExportRun, tally: RunTally, stop: AbortController): Promise<void> {
    const { concurrency } = this.#options;
    const { signal, checkpointer } = run;
    const limit = pLimit(concurrency);
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        signal.throwIfAborted();
        return await work();
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    };
    await processUsers(this.#nextUsers(run, tally), {
      leases: this.#leases,
      width: concurrency,
      signal,
      stop,
      timeUp: this.#lap.timeUp(signal),
      work: async (user) => {
        this.#working++;
        try {
          await this.#export(run, tally, user, (work) => limit(() => guarded(work)));
        } finally {
          this.#working--;
        }
      },
      yieldLeases: async () => {
        if (!checkpointer.hasOnlyListings) await checkpointer.commit();
        await this.#leases.releaseKept();
      },
    });
  }

  /** Adds the listings of users whom nobody knows, or counts them as failed where the list is doubtful. Called when all are read. */
  async recordNeverSeen(
    run: ExportRun,
    tally: RunTally,
    list: CheckedList | undefined,
  ): Promise<void> {
    if (!list) return;
    list.checkEnd([...this.#neverSeen.keys(), ...tally.summary.never_seen]);
    for (const [user, outcome] of this.#neverSeen) {
      this.#neverSeen.delete(user);
      if (list.doubt === undefined) {
        this.#pending.done(outcome);
        await run.checkpointer.addUser(outcome.entry);
      } else {
        this.#pending.skip(user);
        const entry = { ...outcome.entry, complete: false, error: list.doubt };
        tally.add({ ...outcome, entry, isNewlyNeverSeen: false });
      }
    }
  }

  /** After a conflict, users that are already pending come first. */
  async *#nextUsers({ signal, checkpointer }: ExportRun, tally: RunTally): AsyncGenerator<UserId> {
    const { source } = this.#options;
    for (const user of this.#lap.inTurn(this.#pending.all())) {
      if (this.#lap.isExhausted) await this.#skip(user, tally);
      else yield user;
    }
    for (;;) {
      if (source && this.#pending.size >= source.maxClaimed) await checkpointer.commit();
      const user = await source?.next(signal, () => this.#working === 0);
      if (user === undefined) return;
      this.#pending.take(user);
      tally.summary.users.total++;
      yield user;
    }
  }

  async #export(
    run: ExportRun,
    tally: RunTally,
    userId: UserId,
    admit: UserToExport['admit'],
  ): Promise<void> {
    const { archive, settings } = this.#options;
    const state = await archive.states.load(userId);
    // as of the state, which is read now: while this run waited for the user, an erasure may have ended
    if (this.#isSuppressed(userId)) {
      tally.suppressed({ users: 1, sessions: 0, users_on_hold: await this.#countHeld(userId) });
      this.#lap.skipped(userId);
      return this.#skip(userId, tally);
    }
    const isErasing = archive.index.openErasures.size > 0;
    const listings = (await archive.index.listings()).get(userId);
    const { last, lastOfAll } = listings ?? {};
    const entries = [last, lastOfAll].flatMap((listing) => (listing ? [listing.entry] : []));
    const retry = settings.retryGaps ? retryPlanOf(state, entries) : undefined;
    const isDue = retry?.isDue !== false;
    if (!isDue) this.#lap.notDue(userId);
    // a night in which the list failed has read no history whole
    const { ofAll: lastRead } = (await listingsRead(archive.index))(userId);
    const visit = isDue ? this.#lap.begin(state, lastRead) : undefined;
    if (!visit) return this.#skip(userId, tally);
    this.#pending.planned(state);
    const told = await this.#told.of(state, listings);
    const accepted = archive.index.acceptedGaps;
    const erased = lastOfAll
      ? await erasedBefore(archive, lastOfAll, state.sessions)
      : { told: 0, since: 0, mayBeBack: 0 };
    const awaited = await awaitedOf(archive, userId);
    const withUsers = Math.max(awaited, lastOfAll ? 0 : this.#erasedWithUsers);
    const known = { state, told, accepted, isErasing, erased, erasedWithUsers: withUsers };
    const user = { userId, ...known, retry, visit, admit };
    const outcome = await exportUser(run, user);
    if (!outcome) return this.#skip(userId, tally);
    const isDown = outcome.errors.some((error) => failureBehindGap(error) === 'unreachable');
    this.#lap.listed(userId, { isAnswered: !isDown });
    if (this.#options.list && outcome.isNeverSeen && outcome.gaps.length === 0) {
      this.#neverSeen.set(userId, outcome);
      return this.#leases.release(userId);
    }
    this.#pending.done(outcome);
    await run.checkpointer.addUser(outcome.entry);
    if (!this.#pending.isDone(userId)) return;
    await this.#leases.keep(userId);
    if (run.checkpointer.changesUser(userId)) return;
    // nothing of the user waits for a commit but that it was listed, which may take the whole run
    await this.#lap.committed(userId);
  }

  #isSuppressed(user: UserId): boolean {
    const is = this.#options.archive.index.suppressions.ofUser(user) !== undefined;
    if (is) this.#suppressed.add(user);
    else this.#suppressed.delete(user);
    return is;
  }

  /** 1 for a user of whom something is on hold, who is skipped all the same: that is never silent. */
  async #countHeld(user: UserId): Promise<number> {
    const { archive } = this.#options;
    const held = await skippedOnHold(archive, user);
    if (held.length === 0) return 0;
    archive.logger.warn(
      { user, held },
      'this user is skipped since an erasure (erase --suppress), and something is on hold: nothing new of it is archived; erase --unsuppress ends that',
    );
    return 1;
  }

  /** The user needs no request, or the budget does not allow one. */
  async #skip(userId: UserId, tally: RunTally): Promise<void> {
    tally.summary.users.not_read++;
    this.#pending.skip(userId);
    this.#pending.forgetPlan(userId);
    await this.#leases.release(userId);
    this.#options.source?.settled(userId, undefined);
    this.#options.observer.userFinished?.(userId);
  }
}
