/** The exports of a worker: claims batches of one queued run until none are left, hands out their users to an export, and runs it with the worker's own settings at the rate of the fleet. */
import { sha256Hex } from '../base/digest.js';
import { ulid } from '../base/ulid.js';
import { normaliseBaseUrl } from '../base/http/base-url.js';
import { openService } from '../artifacts/access.js';
import { failureBehindGap, type Gap } from '../export/jobs/gap.js';
import type { BudgetSummary } from '../export/export-summary.js';
import { asUserId, type UserId } from '../model/ids.js';
import { EXPORT_DEFAULTS } from '../export/export-request.js';
import { exportToArchive } from '../export/export-to-archive.js';
import { RedisPace } from './redis-limits.js';
import type { SessionOptions, WorkerSummary } from './worker-options.js';
import type { Clock } from '../base/runtime.js';
import type { Terms } from '../base/terms.js';
import type { UserOutcome } from '../export/users/user-outcome.js';
import type { UserSource } from '../export/users/user-source.js';
import { abortable } from '../base/abortable.js';
import type { ClaimedBatches } from './claimed-batches.js';
import { isLastAttempt, type UserBatch, type BatchJob } from './queues.js';
import { type RunRecord } from './queue-records.js';
import { BatchTally, isWorthRetrying } from './batch-tally.js';

export interface QueuedExport {
  readonly options: SessionOptions;
  /** The queued run. */
  readonly record: RunRecord;
  readonly source: QueueSource;
  readonly users: readonly UserId[];
  /** Undefined: as many as it takes. */
  readonly maxRequests: number | undefined;
  /** The export's counts are added here. */
  readonly summary: WorkerSummary;
}

export interface QueuedExportEnd {
  /** The error or interruption that ended it early; undefined if all users were settled. */
  readonly error: unknown;
  /** What it has done with its requests, if these were limited. */
  readonly budget: BudgetSummary | undefined;
}

export async function exportFromQueue(queued: QueuedExport): Promise<QueuedExportEnd> {
  const { options, record, source, users, maxRequests, summary } = queued;
  const { name: run, round, enqueued_at: enqueuedAt } = record;
  const { signal, terms } = options;
  summary.exports++;
  try {
    const { summary: done, error } = await exportToArchive({
      ...options,
      timestampUrls: [], // only the commit that ends a queued run is stamped
      source,
      ...(round ? { queueLap: { nextBeganAtMs: Date.parse(enqueuedAt) } } : {}),
      // the queue has detected the death of a worker already: its lease is watched half as long as elsewhere
      terms: { ...terms, leaseMs: terms.leaseMs / 2 },
      users,
      maxRequests,
      scope: { queue: run },
      pace: paceOf(options),
    });
    summary.jobs.archived += done.jobs.archived;
    for (const count of ['api', 'files', 'retries', 'rate_limited'] as const) {
      summary.requests[count] += done.requests[count];
    }
    const interruption: unknown = done.status === 'interrupted' ? signal.reason : undefined;
    return { error: error ?? interruption, budget: done.budget };
  } catch (error) {
    return { error, budget: undefined };
  }
}

/**
 * Whether the service answers a request for a user that nobody knows, if only with a refusal: then what could not be
 * read is not the service as a whole.
 */
export async function answersAnybody(options: SessionOptions): Promise<boolean> {
  const { baseUrl, apiKey, apiKeyHeader, proxy } = options;
  const { clock, random, logger, terms, signal } = options;
  const service = openService({
    baseUrl,
    apiKey,
    apiKeyHeader,
    proxy,
    clock,
    random,
    logger,
    terms,
    signal,
    pace: paceOf(options),
    run: ulid(clock, random),
  });
  try {
    await service.listSessions({ userId: NOBODY, pageSize: 1, maxAttempts: 1, signal });
    return true;
  } catch (error) {
    return failureBehindGap(error) !== 'unreachable';
  } finally {
    await service.close();
  }
}

/** No user has this id; the service lists no session of it. */
const NOBODY = asUserId('jobvault-nobody');

/** Workers of all queues share the rate of a service: the limit is per team, whatever the project. */
function paceOf(options: SessionOptions): RedisPace {
  const { redis, baseUrl, rateGroup, rate = EXPORT_DEFAULTS.rate, clock, logger } = options;
  const shared = rateGroup ?? normaliseBaseUrl(baseUrl);
  const key = `jobvault:rate:${sha256Hex(shared).slice(0, 16)}`;
  return new RedisPace({ redis, key, rate, clock, logger });
}

/** What becomes of a user; `left`: the budget has left it, or some of its sessions, to a later run. */
export type Settled =
  'complete' | 'incomplete_by_decision' | 'with_gaps' | 'failed' | 'left' | 'again';

export type SettledWhole = Extract<Settled, 'complete' | 'incomplete_by_decision'>;

export interface QueueSourceOptions {
  readonly claimed: ClaimedBatches;
  /** The first batch; determines the run. */
  readonly first: BatchJob;
  readonly clock: Clock;
  readonly terms: Terms;
  /** Called with the outcome of each user; undefined for one that was not listed. */
  readonly onSettled: (settled: Settled, outcome?: UserOutcome) => void;
  /** Called with what is in doubt of a user who was settled before; `was`: as what this source has settled one without gaps. */
  readonly onDoubted: (gaps: readonly Gap[], was: SettledWhole | undefined) => void;
}

/**
 * Done users are committed before this many are under way. Otherwise users with little to archive would
 * accumulate until the checkpoint is due.
 */
const MAX_CLAIMED = 250;
/** While users are still being exported, an empty queue is looked at more often. */
const POLLS_OF_EXPORT = 2;
/** After this the export ends and a new one begins: rows and paths carry the time at which an export began. */
const LONGEST_RUN_MS = 3_600_000;
/**
 * A user on whom this many workers have died is exported alone: if it is the cause, no other user pays for the next
 * death. Fewer may be chance.
 */
const SUSPICIOUS_DEATHS = 2;

function isSilence(error: unknown): boolean {
  return failureBehindGap(error) === 'unreachable';
}

export class QueueSource implements UserSource {
  readonly maxClaimed = MAX_CLAIMED;
  readonly #batches = new Set<ClaimedBatch>();
  /** The batch of each user that is handed out and not settled. */
  readonly #working = new Map<UserId, ClaimedBatch>();
  /** Outcomes of users for whom the service did not answer; not reported until it has answered somebody. */
  readonly #unanswered = new Map<UserId, UserOutcome>();
  /** As what users were reported who have no gap. */
  readonly #whole = new Map<UserId, SettledWhole>();
  readonly #run: string;
  readonly #beganMs: number;
  /** No further batch is claimed. */
  #isOver: boolean;
  /** Batches that the queue offered meanwhile and that must wait: claimed for the next export. */
  readonly others: BatchJob[] = [];
  /** The first user. */
  readonly firstUser: UserId;
  readonly #options: QueueSourceOptions;

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    const { first, clock } = options;
    this.#run = first.data.run;
    this.#beganMs = clock.monotonic();
    this.#isOver = isSuspicious(first);
    const batch = new ClaimedBatch(first);
    this.#batches.add(batch);
    this.firstUser = this.#handOut(batch) ?? asUserId('');
  }

  /** Why the service did not answer for users who are done; undefined if it has answered since. */
  get silence(): unknown {
    const [outcome] = this.#unanswered.values();
    return outcome?.errors.find(isSilence);
  }

  /** How many users are claimed and not settled. */
  get unsettledUsers(): number {
    return [...this.#batches].reduce((sum, batch) => sum + batch.remaining().users.length, 0);
  }

  async next(signal: AbortSignal, isIdle: () => boolean): Promise<UserId | undefined> {
    const { clock, terms } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (clock.monotonic() - this.#beganMs > LONGEST_RUN_MS) return undefined;
      for (const batch of this.#batches) {
        const user = this.#handOut(batch);
        if (user !== undefined) return user;
      }
      if (this.#isOver) return undefined;
      if (await this.#claim(signal)) continue;
      if (isIdle()) this.#isOver = true;
      else await clock.sleep(terms.pollMs / POLLS_OF_EXPORT, signal);
    }
  }

  /**
   * Claims batches for about so many users, or fewer if there are none, and no more later: a budget is planned for
   * users that are known. Each user is handed out.
   */
  async claimTogether(count: number, signal: AbortSignal): Promise<UserId[]> {
    const users = [this.firstUser];
    for (;;) {
      for (const batch of this.#batches) {
        for (let user = this.#handOut(batch); user !== undefined; user = this.#handOut(batch)) {
          users.push(user);
        }
      }
      if (this.#isOver || users.length >= count || !(await this.#claim(signal))) break;
    }
    this.#isOver = true;
    return users;
  }

  isExpected(user: UserId): boolean {
    return this.#working.get(user)?.job.data.expected === true;
  }

  settled(user: UserId, outcome: UserOutcome | undefined): void {
    if (outcome?.errors.some(isSilence) === true) {
      this.#unanswered.set(user, outcome);
      return;
    }
    this.answered();
    this.#report(user, outcome);
  }

  /** The queue has the result of its batch already: the end of the run finds the doubt in the log. */
  doubted(user: UserId, gaps: readonly Gap[]): void {
    const was = this.#whole.get(user);
    this.#whole.delete(user);
    this.#options.onDoubted(gaps, was);
  }

  /** The service answers: then its silence about some users is theirs. */
  answered(): void {
    for (const [user, outcome] of this.#unanswered) this.#report(user, outcome);
    this.#unanswered.clear();
  }

  /** Returns to the queue what is not settled. @returns how many users */
  giveBack(): number {
    let users = 0;
    for (const batch of this.#batches) {
      const remaining = batch.remaining();
      users += remaining.users.length;
      this.#options.claimed.giveBack(batch.job, batch.isBegun ? remaining : undefined);
    }
    this.#batches.clear();
    return users;
  }

  /**
   * An attempt has failed for what is not settled, whoever of them is the cause: a batch of several users is split
   * until the cause is alone.
   *
   * @param onFailed called with each user, and whether no further attempt follows
   */
  fail(error: Error, onFailed: (user: string, isLast: boolean) => void): void {
    for (const batch of this.#batches) {
      const remaining = batch.remaining();
      const isAlone = remaining.users.length === 1;
      for (const user of remaining.users) onFailed(user, isAlone && isLastAttempt(batch.job));
      if (isAlone) this.#options.claimed.fail(batch.job, error, remaining);
      else this.#options.claimed.split(batch.job, remaining);
    }
    this.#batches.clear();
  }

  /**
   * The first of the users may be the cause: an attempt has failed for it, if its batch has no other. Otherwise it
   * comes last the next time.
   *
   * @param onFailed as of `fail`
   * @returns whether it counts as an attempt
   */
  interrupt(error: Error, onFailed: (user: string, isLast: boolean) => void): boolean {
    const [batch] = this.#batches;
    if (!batch) return false;
    this.#batches.delete(batch);
    const { users, ...rest } = batch.remaining();
    const [first = '', ...others] = users;
    if (others.length === 0) {
      onFailed(first, isLastAttempt(batch.job));
      this.#options.claimed.fail(batch.job, error, { ...rest, users });
    } else {
      this.#options.claimed.giveBack(batch.job, { ...rest, users: [...others, first] });
    }
    return others.length === 0;
  }

  /** The next user of the batch. One that is already under way, from another batch, is left to that. */
  #handOut(batch: ClaimedBatch): UserId | undefined {
    for (;;) {
      const user = batch.take();
      if (user === undefined) return undefined;
      const id = asUserId(user);
      if (!this.#working.has(id)) {
        this.#working.set(id, batch);
        return id;
      }
      batch.tally.addLeft(user);
      this.#endIfDone(batch, user);
    }
  }

  #report(user: UserId, outcome: UserOutcome | undefined): void {
    const { onSettled } = this.#options;
    const batch = this.#working.get(user);
    this.#working.delete(user);
    if (!batch || !this.#batches.has(batch)) return;
    if (!outcome) {
      onSettled('left');
      batch.tally.addLeft(user);
    } else if (isWorthRetrying(outcome) && !isLastAttempt(batch.job)) {
      onSettled('again');
      batch.again.set(
        user,
        outcome.entry.error ?? outcome.gaps[0]?.reason ?? 'something is missing',
      );
    } else {
      const settled = settledAs(outcome);
      if (isWhole(settled)) this.#whole.set(user, settled);
      onSettled(settled, outcome);
      batch.tally.addOutcome(outcome);
    }
    this.#endIfDone(batch, user);
  }

  #endIfDone(batch: ClaimedBatch, settled: string): void {
    batch.settle(settled);
    if (!batch.isDone) return;
    const { claimed } = this.#options;
    this.#batches.delete(batch);
    const [reason] = batch.again.values();
    if (reason === undefined) claimed.complete(batch.job, batch.tally.result());
    else claimed.fail(batch.job, new Error(reason), batch.remaining());
  }

  /** Claims a batch, for this export or the next one. @returns whether there was one */
  async #claim(signal: AbortSignal): Promise<boolean> {
    const job = await this.#take(signal);
    if (!job) return false;
    if (job.data.run === this.#run && !isSuspicious(job)) {
      this.#batches.add(new ClaimedBatch(job));
    } else {
      this.others.push(job);
      this.#isOver = true;
    }
    return true;
  }

  /** A batch that arrives after the abort is given back. */
  async #take(signal: AbortSignal): Promise<BatchJob | undefined> {
    const taking = this.#options.claimed.take();
    try {
      return await abortable(taking, signal);
    } catch (error) {
      const { claimed } = this.#options;
      taking
        .then((job) => {
          if (job) claimed.giveBack(job);
        })
        .catch(() => undefined);
      throw error;
    }
  }
}

function settledAs({ entry }: UserOutcome): Settled {
  const { complete, by_decision: isDecided, error, left } = entry;
  if (error !== null) return 'failed';
  if (left !== undefined) return 'left';
  if (isDecided === true) return 'incomplete_by_decision';
  return complete ? 'complete' : 'with_gaps';
}

function isWhole(settled: Settled): settled is SettledWhole {
  return settled === 'complete' || settled === 'incomplete_by_decision';
}

function isSuspicious({ stalledCounter }: BatchJob): boolean {
  return stalledCounter >= SUSPICIOUS_DEATHS;
}

/** A batch in the hands of this worker: which of its users are handed out, settled, or to be tried again. */
class ClaimedBatch {
  readonly tally = new BatchTally();
  /** Why a further attempt is to be made, by user. */
  readonly again = new Map<string, string>();
  /** Neither settled nor to be tried again, in the order of the batch. */
  readonly #open: Set<string>;
  readonly #waiting: Iterator<string>;

  constructor(readonly job: BatchJob) {
    const { users, done } = job.data;
    if (done) this.tally.add(done);
    this.#open = new Set(users);
    this.#waiting = [...this.#open].values();
  }

  /** The next user that is not handed out. */
  take(): string | undefined {
    const next = this.#waiting.next();
    return next.done === true ? undefined : next.value;
  }

  settle(user: string): void {
    this.#open.delete(user);
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  /** Whether some of its users are settled. */
  get isBegun(): boolean {
    return this.#open.size < this.job.data.users.length;
  }

  /** The batch without the users that are settled. */
  remaining(): UserBatch {
    const users = [...this.#open, ...this.again.keys()];
    return { ...this.job.data, users, done: this.tally.result() };
  }
}
