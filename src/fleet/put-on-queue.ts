/** Puts users of a run on the queue: with the run's own job if it is new, otherwise as further users of it. */
import type { Redis } from 'ioredis';
import { FlowProducer } from './bullmq.js';
import {
  runJobId,
  runQueue,
  RUNS_QUEUE,
  userJobId,
  userQueue,
  USERS_QUEUE,
  withErrorListener,
  type UserJobData,
  readable,
} from './queues.js';
import { type RunRecord, decodeRunRecord } from './run-record.js';
import { UsageError } from '../base/error.js';
import type { LostRun } from './lost-users.js';

export interface AttemptOptions {
  /** Attempts per user, including the first. Default 5. */
  readonly attempts?: number | undefined;
  /** Delay before the second attempt; doubles with each further one. Default 30 s. */
  readonly retryDelayMs?: number | undefined;
}

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
/** Writing the summary fails only if the archive or Redis fail; either may be unreachable for a while. */
const FINISHING = { attempts: 20, backoff: { type: 'exponential', delay: 5000, jitter: 0.5 } };

/** Users of the run that are on the queue already stay there, and become part of the run. */
export async function putRun(putting: Putting): Promise<void> {
  const { redis, queue, record, users } = putting;
  const flow = withErrorListener(new FlowProducer({ connection: redis, prefix: queue }));
  const jobOf = userJobs(putting);
  await flow.add({
    name: 'run',
    queueName: RUNS_QUEUE,
    data: record,
    opts: { jobId: runJobId(record.name), removeOnComplete: KEPT_RUNS, ...FINISHING },
    children: users.map((user) => ({ ...jobOf(user), queueName: USERS_QUEUE })),
  });
}

export async function addUsers(putting: Putting): Promise<void> {
  const { redis, queue, record, users } = putting;
  const parent = { id: runJobId(record.name), queue: runQueue(redis, queue).qualifiedName };
  const jobOf = userJobs(putting);
  await userQueue(redis, queue).addBulk(
    users.map((user) => {
      const { name, data, opts } = jobOf(user);
      return { name, data, opts: { ...opts, parent } };
    }),
  );
}

function userJobs({ record, expected, attempts, retryDelayMs }: Putting) {
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
  return (user: string) => ({
    name: 'user',
    data: {
      run: record.name,
      user,
      ...(expected.has(user) ? { expected: true as const } : {}),
    } satisfies UserJobData,
    opts: { ...opts, jobId: userJobId(record.name, user) },
  });
}

// Puts back on the queue what it has lost of a run.

/**
 * @returns how many users were put back
 * @throws {UsageError} the run is just being finished
 */
export async function putBack(
  redis: Redis,
  { run, queue, settings, left, lost, expected }: LostRun,
  { attempts, retryDelayMs }: AttemptOptions,
): Promise<number> {
  const record = decodeRunRecord(run, settings);
  const putting = { redis, queue, record, expected, attempts, retryDelayMs };
  const job = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  const state = await job?.getState();
  if (state === 'waiting-children') {
    await forget(redis, queue, run, lost);
    await addUsers({ ...putting, users: lost });
    return lost.length;
  }
  if (job && !['failed', 'completed', 'unknown'].includes(state ?? '')) {
    throw new UsageError(`the run ${run} is just being finished; run the same command again`);
  }
  await job?.remove({ removeChildren: false });
  await forget(redis, queue, run, lost);
  // with the users that are still on the queue, so that the run waits for them, too
  await putRun({ ...putting, users: left });
  return lost.length;
}

const FORGOTTEN_AT_ONCE = 1000;

/** Removes what is left of users whom no worker would be offered: their ids would count as known. */
async function forget(
  redis: Redis,
  queue: string,
  run: string,
  lost: readonly string[],
): Promise<void> {
  const users = userQueue(redis, queue);
  const listed = new Set(await redis.lrange(users.toKey('wait'), 0, -1));
  for (let from = 0; from < lost.length; from += FORGOTTEN_AT_ONCE) {
    const removal = redis.pipeline();
    for (const user of lost.slice(from, from + FORGOTTEN_AT_ONCE)) {
      const id = userJobId(run, user);
      if (listed.has(id)) removal.lrem(users.toKey('wait'), 0, id);
      for (const set of ['delayed', 'failed', 'completed']) removal.zrem(users.toKey(set), id);
      removal.del(users.toKey(id));
    }
    for (const [error] of (await removal.exec()) ?? []) if (error) throw error;
  }
}
