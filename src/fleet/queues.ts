/** The two queues of a fleet: users to export, and runs to finish when all their users are done. */
import { Queue, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { sha256Hex } from '../base/digest.js';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/redact.js';
import { UsageError } from '../base/usage-error.js';
import type { RunRecord } from './run-record.js';
import type { RunSummary } from './run-summary.js';
import type { UserResult } from './user-result.js';

export interface UserJobData {
  readonly run: string;
  readonly user: string;
}
export type UserJob = Job<UserJobData, UserResult>;
export type RunJob = Job<RunRecord, RunSummary>;

export const USERS_QUEUE = 'users';
export const RUNS_QUEUE = 'runs';
export const DEFAULT_QUEUE = 'jobvault';

/**
 * A worker that has not renewed its lock on a user for so long counts as dead. Others have its users six to
 * nine seconds after its death, as measured: the lock has to expire, and the next poll has to find it.
 */
export const LOCK_MS = 5000;
const STALLED_LOOK_MS = 2000;
/** After so long whoever was with a dead worker is in the queue again, on a busy machine, too. */
export const COME_BACK_MS = LOCK_MS + 4 * STALLED_LOOK_MS;
/** A Redis that is away must not keep a worker from leaving: what it holds is soon free anyway. */
export const LEAVE_MS = 5000;
/** Workers that may die of a user before the user counts as what kills them. */
const MOST_DEATHS = 10;

/** @param queue begins every key of the fleet in Redis */
export function userQueue(redis: Redis, queue: string): Queue<UserJobData, UserResult> {
  return heard(
    new Queue<UserJobData, UserResult>(USERS_QUEUE, { connection: redis, prefix: queue }),
  );
}

export function runQueue(redis: Redis, queue: string): Queue<RunRecord, RunSummary> {
  return heard(new Queue<RunRecord, RunSummary>(RUNS_QUEUE, { connection: redis, prefix: queue }));
}

/** The connection tells of its own troubles: BullMQ prints those that nobody hears, stack and all. */
export function heard<Source extends { on(event: 'error', listener: () => void): unknown }>(
  source: Source,
): Source {
  source.on('error', () => undefined);
  return source;
}

/** Takes jobs one by one when asked to, and gives those of the dead back to the queue. */
export function jobTaker<Data, Result>(
  name: string,
  { redis, queue, logger }: { redis: Redis; queue: string; logger: Logger },
): Worker<Data, Result> {
  const taker = new Worker<Data, Result>(name, null, {
    connection: redis,
    prefix: queue,
    autorun: false,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_LOOK_MS,
    maxStalledCount: MOST_DEATHS,
  });
  taker.on('error', (error) => {
    logger.debug({ reason: redactText(messageOf(error)) }, 'trouble with the queue');
  });
  taker.on('stalled', (id) => {
    logger.warn({ job: id }, 'a worker has died; what it had in hand goes to others');
  });
  void taker.startStalledCheckTimer();
  return taker;
}

/** @throws {UsageError} BullMQ has met a record that is no JSON: others than jobvault have written to the queue */
export async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError('a record of the queue cannot be used: it is no JSON', { cause });
  }
}

/** Whether no other attempt follows the one that is under way. */
export function isLastAttempt({ attemptsMade, opts }: UserJob): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}

/** The same for the same user of the same run; the id itself may hold what no job's name may. */
export function userJobId(run: string, user: string): string {
  return `${run}.${sha256Hex(user).slice(0, 40)}`;
}

export function runJobId(run: string): string {
  return `run-${run}`;
}

/** @throws {UsageError} */
export function checkQueueName(queue: string): string {
  if (/^[A-Za-z0-9{}._-]{1,64}$/.test(queue)) return queue;
  throw new UsageError(
    `--queue is ${JSON.stringify(queue)}; allowed are up to 64 letters, digits, dots, hyphens, underscores and braces`,
  );
}
