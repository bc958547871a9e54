/** Puts batches of users on the queue: with the run's own job if it is new, otherwise as further batches of it. */
import type { Redis } from 'ioredis';
import { ulid } from '../base/ulid.js';
import { systemClock, systemRandom } from '../base/runtime.js';
import type { TextSet } from '../base/text/text-set.js';
import {
  batchJobId,
  readable,
  runJobId,
  runQueue,
  RUNS_QUEUE,
  userQueue,
  USERS_QUEUE,
  type UserBatch,
  type BatchJob,
} from './queues.js';
import { fromPlace } from './queue-lap.js';
import type { AttemptOptions, RunRecord } from './queue-records.js';
import { StagedBatches } from './staged-batches.js';

interface Putting extends AttemptOptions {
  readonly redis: Redis;
  readonly queue: string;
  readonly record: RunRecord;
  readonly users: readonly string[] | TextSet;
  /** Users of whom the service must have listed a session: else that is a gap. */
  readonly expected: ReadonlySet<string>;
  /** Where the lap goes on. Default: users come in their own order. */
  readonly from?: number | undefined;
  /** About how many batches a run has. Default: `BATCHES`. */
  readonly batches?: number | undefined;
}

const ATTEMPT_DEFAULTS = { attempts: 5, retryDelayMs: 30_000 } as const;
/** Finished runs that Redis keeps. */
const KEPT_RUNS = { age: 90 * 86_400, count: 200 } as const;
/** Writing the summary fails only if the archive or Redis fails; either may be unreachable for a while. */
const FINISHING = { attempts: 20, backoff: { type: 'exponential', delay: 5000, jitter: 0.5 } };
/**
 * A run has about this many batches, or more if they would be larger than `LARGEST_BATCH`. An entry of the queue takes
 * 2 kB of Redis beside its users, and several calls; a batch is the work of one worker.
 */
const BATCHES = 256;
const LARGEST_BATCH = 500;

/** @returns how many users of a run share an entry of the queue */
export function batchSize(users: number, batches = BATCHES): number {
  return Math.min(Math.max(1, Math.floor(users / batches)), LARGEST_BATCH);
}

/** Batches of the run that are on the queue already stay there. All are there, or none. */
export async function putRun(putting: Putting): Promise<void> {
  const { redis, queue, record } = putting;
  const staged = new StagedBatches(redis, queue);
  const children = [];
  for (const { name, data, opts } of batchesOf(putting)) {
    await staged.put(opts.jobId, JSON.stringify(data));
    // its users come to it in the transaction that makes it
    children.push({ name, data: { run: record.name }, opts, queueName: USERS_QUEUE });
  }
  await staged.add({
    name: 'run',
    queueName: RUNS_QUEUE,
    data: record,
    opts: { jobId: runJobId(record.name), removeOnComplete: KEPT_RUNS, ...FINISHING },
    children,
  });
}

export async function addUsers(putting: Putting): Promise<void> {
  const { redis, queue, record } = putting;
  const runs = runQueue(redis, queue);
  const job = await readable(runs.getJob(runJobId(record.name)));
  const parent = { id: runJobId(record.name), queue: runs.qualifiedName };
  await userQueue(redis, queue).addBulk(
    Array.from(batchesOf(putting), ({ name, data, opts }) => ({
      name,
      data,
      opts: { ...opts, parent },
    })),
  );
  await job?.updateData(record);
}

/** Batches of the same run and with the same options as a batch that they replace; the same ids each time. */
export async function putParts(
  redis: Redis,
  queue: string,
  { id = '', data, opts }: BatchJob,
  parts: readonly (readonly string[])[],
): Promise<void> {
  const parent = { id: runJobId(data.run), queue: runQueue(redis, queue).qualifiedName };
  const { run, expected } = data;
  await userQueue(redis, queue).addBulk(
    parts.map((users, index) => ({
      name: 'batch',
      data: { run, users, ...(expected ? { expected } : {}) } satisfies UserBatch,
      opts: { ...opts, ignoreDependencyOnFailure: true, parent, jobId: `${id}-${index}` },
    })),
  );
}

function* batchesOf(putting: Putting) {
  const { record, users, expected, from, batches, attempts, retryDelayMs } = putting;
  const opts = {
    attempts: attempts ?? ATTEMPT_DEFAULTS.attempts,
    backoff: {
      type: 'exponential',
      jitter: 0.5,
      delay: retryDelayMs ?? ATTEMPT_DEFAULTS.retryDelayMs,
    },
    removeOnComplete: true, // the run's job keeps the result
    removeOnFail: { age: KEPT_RUNS.age },
    ignoreDependencyOnFailure: true,
  };
  const size = batchSize('size' in users ? users.size : users.length, batches);
  const batchOf = (some: readonly string[], isExpected: boolean) => ({
    name: 'batch',
    data: {
      run: record.name,
      users: some,
      ...(isExpected ? { expected: true as const } : {}),
    } satisfies UserBatch,
    opts: { ...opts, jobId: batchJobId(record.name, ulid(systemClock, systemRandom)) },
  });
  for (const isExpected of [true, false]) {
    let some: string[] = [];
    for (const user of from === undefined ? users : fromPlace(users, from)) {
      if (expected.has(user) !== isExpected) continue;
      some.push(user);
      if (some.length < size) continue;
      yield batchOf(some, isExpected);
      some = [];
    }
    if (some.length > 0) yield batchOf(some, isExpected);
  }
}
