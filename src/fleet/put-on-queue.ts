/** Puts batches of users on the queue: with the run's own job if it is new, otherwise as further batches of it. */
import type { Redis } from 'ioredis';
import { ulid } from '../base/digest.js';
import { systemClock, systemRandom } from '../base/runtime.js';
import { FlowProducer } from './bullmq.js';
import {
  batchJobId,
  chunks,
  readable,
  runJobId,
  runQueue,
  RUNS_QUEUE,
  userQueue,
  USERS_QUEUE,
  withErrorListener,
  type UserBatch,
  type BatchJob,
} from './queues.js';
import type { AttemptOptions, RunRecord } from './run-record.js';

interface Putting extends AttemptOptions {
  readonly redis: Redis;
  readonly queue: string;
  readonly record: RunRecord;
  readonly users: readonly string[];
  /** Of these users the service must have listed a session: else that is a gap. */
  readonly expected: ReadonlySet<string>;
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
export function batchSize(users: number): number {
  return Math.min(Math.max(1, Math.floor(users / BATCHES)), LARGEST_BATCH);
}

/** Batches of the run that are on the queue already stay there. All are there, or none. */
export async function putRun(putting: Putting): Promise<void> {
  const { redis, queue, record } = putting;
  const flow = withErrorListener(new FlowProducer({ connection: redis, prefix: queue }));
  await flow.add({
    name: 'run',
    queueName: RUNS_QUEUE,
    data: record,
    opts: { jobId: runJobId(record.name), removeOnComplete: KEPT_RUNS, ...FINISHING },
    children: batchesOf(putting).map((batch) => ({ ...batch, queueName: USERS_QUEUE })),
  });
}

export async function addUsers(putting: Putting): Promise<void> {
  const { redis, queue, record } = putting;
  const runs = runQueue(redis, queue);
  const job = await readable(runs.getJob(runJobId(record.name)));
  const parent = { id: runJobId(record.name), queue: runs.qualifiedName };
  await userQueue(redis, queue).addBulk(
    batchesOf(putting).map(({ name, data, opts }) => ({ name, data, opts: { ...opts, parent } })),
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

function batchesOf({ record, users, expected, attempts, retryDelayMs }: Putting) {
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
  const size = batchSize(users.length);
  const batchOf = (some: readonly string[], isExpected: boolean) => ({
    name: 'batch',
    data: {
      run: record.name,
      users: some,
      ...(isExpected ? { expected: true as const } : {}),
    } satisfies UserBatch,
    opts: { ...opts, jobId: batchJobId(record.name, ulid(systemClock, systemRandom)) },
  });
  return [true, false].flatMap((isExpected) =>
    chunks(
      users.filter((user) => expected.has(user) === isExpected),
      size,
    ).map((some) => batchOf(some, isExpected)),
  );
}
