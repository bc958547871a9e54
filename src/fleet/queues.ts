/** The two queues of a fleet: batches of users to export, and runs to finish when all their batches are done. */
import { Queue, Worker, type Job } from './bullmq.js';
import type { Redis } from 'ioredis';
import { messageOf, UsageError, firstIssue } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import type { Terms } from '../base/terms.js';
import { redactText } from '../base/text/redact.js';
import { type RunRecord, runName } from './queue-records.js';
import { batchResultSchema, type BatchResult } from './batch-tally.js';
import { type RunSummary } from './run-summary.js';
import { z } from 'zod';

const userId = z
  .string()
  .min(1)
  .refine((user) => user.isWellFormed(), 'half a surrogate pair is not a character');
const batchSchema = z.strictObject({
  run: runName,
  /** The users that are still to be exported. */
  users: z.array(userId).min(1).max(10_000).readonly(),
  /** The service must have listed a session of each of them: else that is a gap. */
  expected: z.literal(true).exactOptional(),
  /** What came of users that the batch had before. */
  done: batchResultSchema.exactOptional(),
});
/** One entry of the queue. */
export type UserBatch = Readonly<z.infer<typeof batchSchema>>;
export type BatchJob = Job<UserBatch, BatchResult>;
export type RunJob = Job<RunRecord, RunSummary>;

/** @returns the batch, or why it is none: other programs may write to Redis */
export function decodeBatch(data: unknown): UserBatch | { readonly problem: string } {
  const { success, data: batch, error } = batchSchema.safeParse(data);
  return success ? batch : { problem: redactText(firstIssue(error)) };
}

export const USERS_QUEUE = 'users';
export const RUNS_QUEUE = 'runs';

/** Each archive has its own queue: two projects on one Redis must not meet. @param archive the archive's id */
export function queueOfArchive(archive: string): string {
  return `jobvault-${archive}`;
}

/** Renewals of a lock in its term: two may fail. */
export const LOCK_RENEWALS = 3;
/** A user is given up after this many workers have died on it alone. */
const MAX_DEATHS = 10;

/** @param queue prefix of every key of the fleet in Redis */
export function userQueue(redis: Redis, queue: string): Queue<UserBatch, BatchResult> {
  return withErrorListener(
    new Queue<UserBatch, BatchResult>(USERS_QUEUE, { connection: redis, prefix: queue }),
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
  { redis, queue, logger, terms }: { redis: Redis; queue: string; logger: Logger; terms: Terms },
): Worker<Data, Result> {
  const taker = new Worker<Data, Result>(name, null, {
    connection: redis,
    prefix: queue,
    autorun: false,
    lockDuration: terms.lockMs,
    stalledInterval: terms.stalledCheckMs,
    maxStalledCount: MAX_DEATHS,
  });
  taker.on('error', (error) => {
    logger.debug({ reason: redactText(messageOf(error)) }, 'queue error');
  });
  let stalled = 0;
  taker.on('stalled', () => {
    // one for each of its batches, all at once: a line for the worker is enough
    if (stalled++ > 0) return;
    setImmediate(() => {
      logger.warn({ batches: stalled }, 'a worker has died; other workers take its users');
      stalled = 0;
    });
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
export function isLastAttempt({ attemptsMade, opts }: BatchJob): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}

/** @param id a ULID, or another name that is unique in the run */
export function batchJobId(run: string, id: string): string {
  return `${run}.${id}`;
}

/** @returns parts of this size, the last one smaller */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += size) parts.push(all.slice(from, from + size));
  return parts;
}

export function runJobId(run: string): string {
  return `run-${run}`;
}

/** @returns the run's name */
export function runOfJob({ id = '' }: RunJob): string {
  return id.slice(runJobId('').length);
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
