/** The two queues of a fleet: users to export, and runs to finish when all their users are done. */
import { Queue, Worker, type Job } from './bullmq.js';
import type { Redis } from 'ioredis';
import { sha256Hex } from '../base/digest.js';
import {
  messageOf,
  UsageError,
  FAILURE_KINDS,
  failureOf,
  type FailureKind,
} from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/text/redact.js';
import { type RunRecord, decodeRunRecord } from './run-record.js';
import { type RunSummary, type FleetRun, decodeRunSummary } from './run-summary.js';
import type { UserResult } from './user-result.js';
import { z } from 'zod';

export interface UserJobData {
  readonly run: string;
  readonly user: string;
  /** The service must have listed a session of the user: else that is a gap. */
  readonly expected?: true;
}
export type UserJob = Job<UserJobData, UserResult>;
export type RunJob = Job<RunRecord, RunSummary>;

export const USERS_QUEUE = 'users';
export const RUNS_QUEUE = 'runs';

/** Each archive has its own queue: two projects on one Redis must not meet. @param archive the archive's id */
export function queueOfArchive(archive: string): string {
  return `jobvault-${archive}`;
}

/**
 * A worker that has not renewed its lock on a user for this long counts as dead. Measured: other workers have
 * its users six to nine seconds after its death, because the lock must expire and the next check must find it.
 */
export const LOCK_MS = 5000;
const STALLED_CHECK_MS = 2000;
/** After this time the users of a dead worker are in the queue again, also on a busy machine. */
export const REQUEUE_MS = LOCK_MS + 4 * STALLED_CHECK_MS;
/** How long a worker that shuts down waits for Redis; its claims expire soon anyway. */
export const SHUTDOWN_MS = 5000;
/** A user is given up after this many workers have died on it. */
const MAX_DEATHS = 10;

/** @param queue prefix of every key of the fleet in Redis */
export function userQueue(redis: Redis, queue: string): Queue<UserJobData, UserResult> {
  return withErrorListener(
    new Queue<UserJobData, UserResult>(USERS_QUEUE, { connection: redis, prefix: queue }),
  );
}

export function runQueue(redis: Redis, queue: string): Queue<RunRecord, RunSummary> {
  return withErrorListener(
    new Queue<RunRecord, RunSummary>(RUNS_QUEUE, { connection: redis, prefix: queue }),
  );
}

/** Adds a listener that ignores errors: the connection reports them itself, and BullMQ would print them with their stacks. */
export function withErrorListener<
  Source extends { on(event: 'error', listener: () => void): unknown },
>(source: Source): Source {
  source.on('error', () => undefined);
  return source;
}

/** Creates a consumer that takes jobs one by one and requeues those of dead workers. */
export function jobTaker<Data, Result>(
  name: string,
  { redis, queue, logger }: { redis: Redis; queue: string; logger: Logger },
): Worker<Data, Result> {
  const taker = new Worker<Data, Result>(name, null, {
    connection: redis,
    prefix: queue,
    autorun: false,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_DEATHS,
  });
  taker.on('error', (error) => {
    logger.debug({ reason: redactText(messageOf(error)) }, 'queue error');
  });
  taker.on('stalled', (id) => {
    logger.warn({ job: id }, 'a worker has died; other workers take its users');
  });
  void taker.startStalledCheckTimer();
  return taker;
}

/** @throws {UsageError} BullMQ has read a record that is not JSON: another program has written to the queue */
export async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError('a record of the queue is invalid: it is not JSON', { cause });
  }
}

/** Whether the current attempt is the last one. */
export function isLastAttempt({ attemptsMade, opts }: UserJob): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}

/** Deterministic. The user id is hashed because it may contain characters that a job id may not. */
export function userJobId(run: string, user: string): string {
  return `${run}.${sha256Hex(user).slice(0, 40)}`;
}

export function runJobId(run: string): string {
  return `run-${run}`;
}

export function isQueueName(queue: string): boolean {
  return /^[A-Za-z0-9{}._-]{1,64}$/.test(queue);
}

/** @throws {UsageError} */
export function checkQueueName(queue: string): string {
  if (isQueueName(queue)) return queue;
  throw new UsageError(
    `--queue is ${JSON.stringify(queue)}; allowed are up to 64 letters, digits, dots, hyphens, underscores and braces`,
  );
}

/** Reads the state of a queued run from the queue. Apart from its type, which is public: the queue's types are not. */

const failureSchema = z.strictObject({ failure: z.enum(FAILURE_KINDS) });

/** Stores the kind of failure with the run's job, so that commands that wait for the run exit with its code. */
export async function recordFailure(job: RunJob, error: unknown): Promise<void> {
  await job.updateProgress({ failure: failureOf(error) });
}

export async function readFleetRun(job: RunJob): Promise<FleetRun> {
  const run = (job.id ?? '').slice(runJobId('').length);
  const state = await job.getState();
  const { processed = 0, ignored = 0, unprocessed = 0 } = await job.getDependenciesCount();
  const users = { done: processed + ignored, left: unprocessed };
  const failed = (error: string, record?: RunRecord): FleetRun => ({
    ...known(run, record),
    state: 'failed',
    users,
    summary: null,
    error,
    failure: 'unexpected',
  });
  let record: RunRecord;
  try {
    record = decodeRunRecord(run, job.data);
  } catch (error) {
    return failed(messageOf(error));
  }
  if (state !== 'completed') {
    const error = job.failedReason ? redactText(job.failedReason) : null;
    const failure = state === 'failed' ? recordedFailure(job) : null;
    return { ...known(run, record), state: stateOf(state), users, summary: null, error, failure };
  }
  const summary = decodeRunSummary(job.returnvalue);
  if (!summary) return failed(`the queue's summary of run ${run} is invalid`, record);
  return { ...known(run, record), state: 'finished', users, summary, error: null, failure: null };
}

function known(run: string, record: RunRecord | undefined) {
  return { run, archive: record?.out ?? null, enqueued_at: record?.enqueued_at ?? null };
}

function stateOf(state: string): FleetRun['state'] {
  if (state === 'failed') return 'failed';
  return state === 'waiting-children' ? 'running' : 'finishing';
}

/** `unexpected` if none is recorded: other programs may write to Redis. */
function recordedFailure({ progress }: RunJob): FailureKind {
  return failureSchema.safeParse(progress).data?.failure ?? 'unexpected';
}
