/** How a fleet stands: its queue, its workers, its runs. */
import type { Redis } from 'ioredis';
import { silentLogger, type Logger } from '../base/logger.js';
import { messageOf, type FailureKind } from '../base/error.js';
import { redactText, redactUrl } from '../base/redact.js';
import {
  checkQueueName,
  DEFAULT_QUEUE,
  readable,
  runJobId,
  runQueue,
  userQueue,
  type RunJob,
} from './queues.js';
import { withRedis } from './redis.js';
import { decodeRunRecord, type RunRecord } from './run-record.js';
import { decodeRunSummary, type RunSummary } from './run-summary.js';
import { toldFailure } from './run-failure.js';
import { readNotes, type WorkerNote } from './worker-note.js';

export interface FleetPlace {
  readonly redis: string;
  /** Begins every key in Redis. Default `jobvault`. */
  readonly queue?: string | undefined;
  readonly logger?: Logger | undefined;
}

export interface FleetStatus {
  /** Without its password. */
  readonly redis: string;
  readonly queue: string;
  /** `delayed`: waiting for another attempt; `failed`: given up, since workers died of them. */
  readonly users: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  };
  readonly workers: readonly WorkerNote[];
  /** The newest first. */
  readonly runs: readonly FleetRun[];
}

export interface FleetRun {
  readonly run: string;
  /** Null where the queue's record of the run cannot be used. */
  readonly archive: string | null;
  readonly state: 'running' | 'finishing' | 'finished' | 'failed';
  /** Null where the record cannot be used. */
  readonly enqueued_at: string | null;
  readonly users: { readonly done: number; readonly left: number };
  /** Null until it is finished. */
  readonly summary: RunSummary | null;
  /** Why it could not be finished, or cannot be told of. */
  readonly error: string | null;
  /** What kind of failure that is. */
  readonly failure: FailureKind | null;
}

/**
 * @param runs how many of the newest
 * @throws {UsageError} the URL or the queue's name makes no sense
 * @throws {RedisError} Redis cannot be reached
 */
export async function fleetStatus(place: FleetPlace, runs = 5): Promise<FleetStatus> {
  const { redis: url, logger = silentLogger } = place;
  const queue = checkQueueName(place.queue ?? DEFAULT_QUEUE);
  return withRedis({ url, logger, retries: 'brief' }, async (redis) => {
    const counts = await userQueue(redis, queue).getJobCounts(
      ...(['wait', 'active', 'delayed', 'failed'] as const),
    );
    return {
      redis: redactUrl(url),
      queue,
      users: {
        waiting: counts['wait'] ?? 0,
        active: counts['active'] ?? 0,
        delayed: counts['delayed'] ?? 0,
        failed: counts['failed'] ?? 0,
      },
      workers: await readNotes(redis, queue),
      runs: await runsOf(redis, queue, runs),
    };
  });
}

const STATES = ['waiting-children', 'wait', 'active', 'delayed', 'completed', 'failed'] as const;

async function runsOf(redis: Redis, queue: string, most: number): Promise<FleetRun[]> {
  if (most === 0) return [];
  const jobs = await readable(runQueue(redis, queue).getJobs([...STATES], 0, most - 1));
  const newest = jobs.toSorted((a, b) => b.timestamp - a.timestamp).slice(0, most);
  return Promise.all(newest.map(runOf));
}

/** As the queue has it now. */
export async function runOf(job: RunJob): Promise<FleetRun> {
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
    const failure = state === 'failed' ? toldFailure(job) : null;
    return { ...known(run, record), state: stateOf(state), users, summary: null, error, failure };
  }
  const summary = decodeRunSummary(job.returnvalue);
  if (!summary) return failed(`the queue's summary of run ${run} cannot be used`, record);
  return { ...known(run, record), state: 'finished', users, summary, error: null, failure: null };
}

function known(run: string, record: RunRecord | undefined) {
  return { run, archive: record?.out ?? null, enqueued_at: record?.enqueued_at ?? null };
}

function stateOf(state: string): FleetRun['state'] {
  if (state === 'failed') return 'failed';
  return state === 'waiting-children' ? 'running' : 'finishing';
}
