/** Reads the status of a fleet: its queue, its workers, its runs. */
import type { Redis } from 'ioredis';
import { silentLogger } from '../base/logger.js';
import { shownAddress } from '../base/text/address.js';
import type { FleetRun } from './run-summary.js';
import { readFleetRun } from './queued-run.js';
import {
  checkQueueName,
  isQueueName,
  queueOfArchive,
  readable,
  RUNS_QUEUE,
  runQueue,
  userQueue,
  runOfJob,
} from './queues.js';
import { ownIdOf } from '../archive/identity.js';
import { openArchiveIn } from '../archive/open-archive.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { lostRuns, readBatches } from './lost-users.js';
import { withRedis } from './redis.js';
import { readNotes, type WorkerNote } from './worker-notes.js';
import { type RuntimeOptions } from '../base/runtime.js';

export interface FleetPlace extends Pick<RuntimeOptions, 'logger' | 'terms'> {
  readonly redis: string;
  /** Prefix of every key in Redis. */
  readonly queue?: string | undefined;
}

export interface FleetStatus {
  /** The URL without its password. */
  readonly redis: string;
  readonly queue: string;
  /** Where its runs write to. */
  readonly archives: readonly string[];
  /** `delayed`: waiting for another attempt; `failed`: given up after too many workers died on them. */
  readonly users: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  };
  readonly workers: readonly WorkerNote[];
  /** Newest first. */
  readonly runs: readonly FleetRun[];
}

/**
 * The status of one queue, or of all that Redis has, ordered by name.
 *
 * @param runs how many of the newest runs to read, of each queue
 * @throws {UsageError} the URL or the queue's name is invalid
 * @throws {RedisError} Redis cannot be reached
 */
export async function fleetStatus(place: FleetPlace, runs = 5): Promise<FleetStatus[]> {
  const { redis: url, logger = silentLogger, terms } = place;
  const named = place.queue === undefined ? undefined : checkQueueName(place.queue);
  return withRedis({ url, logger, terms, retries: 'brief' }, async (redis) => {
    const fleets: FleetStatus[] = [];
    for (const queue of named === undefined ? await queuesIn(redis) : [named]) {
      fleets.push(await statusOf(redis, url, queue, runs));
    }
    return fleets;
  });
}

export interface FleetOfArchive extends FleetStatus {
  /** Runs of the archive that the queue has lost, or that it has lost users of. */
  readonly lost: readonly {
    readonly run: string;
    readonly enqueued_at: string;
    readonly users: number;
    /** Users that are neither archived nor on the queue. */
    readonly lost: number;
  }[];
}

/**
 * The status of an archive's queue, with what it has lost.
 *
 * @throws {UsageError} there is no archive
 * @throws {RedisError} Redis cannot be reached
 */
export async function fleetOfArchive(
  place: FleetPlace & { readonly out: string; readonly storage?: StorageOptions | undefined },
  runs = 5,
): Promise<FleetOfArchive> {
  const { redis: url, logger = silentLogger, terms } = place;
  const storage = await openStorage(place.out, place.storage, logger);
  try {
    const archive = await openArchiveIn(storage, { logger });
    const queue = checkQueueName(place.queue ?? queueOfArchive(ownIdOf(archive.identity)));
    return await withRedis({ url, logger, terms, retries: 'brief' }, async (redis) => {
      const lost = (await lostRuns(redis, queue, archive)).map((run) => {
        return {
          run: run.run,
          enqueued_at: run.enqueuedAt,
          users: run.users.size,
          lost: run.lost.length,
        };
      });
      return { ...(await statusOf(redis, url, queue, runs)), lost };
    });
  } finally {
    await storage.close();
  }
}

async function queuesIn(redis: Redis): Promise<string[]> {
  const ending = `:${RUNS_QUEUE}:meta`;
  const queues = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `*${ending}`, 'COUNT', 1000);
    cursor = next;
    for (const key of keys) {
      const queue = key.slice(0, -ending.length);
      if (isQueueName(queue)) queues.add(queue);
    }
  } while (cursor !== '0');
  return [...queues].sort();
}

async function statusOf(
  redis: Redis,
  url: string,
  queue: string,
  limit: number,
): Promise<FleetStatus> {
  const runs = await runsOf(redis, queue, limit);
  return {
    redis: shownAddress(url),
    queue,
    archives: [...new Set(runs.flatMap(({ archive }) => archive ?? []))],
    users: await countUsers(redis, queue),
    workers: await readNotes(redis, queue),
    runs,
  };
}

async function countUsers(redis: Redis, queue: string): Promise<FleetStatus['users']> {
  const { toKey } = userQueue(redis, queue);
  const count = async (ids: readonly string[]) => {
    let users = 0;
    for await (const [, batch] of readBatches(redis, queue, ids)) users += batch.users.length;
    return users;
  };
  return {
    waiting: await count(await redis.lrange(toKey('wait'), 0, -1)),
    active: await count(await redis.lrange(toKey('active'), 0, -1)),
    delayed: await count(await redis.zrange(toKey('delayed'), '0', '-1')),
    failed: await count(await redis.zrange(toKey('failed'), '0', '-1')),
  };
}

const STATES = ['waiting-children', 'wait', 'active', 'delayed', 'completed', 'failed'] as const;

async function runsOf(redis: Redis, queue: string, limit: number): Promise<FleetRun[]> {
  if (limit === 0) return [];
  const runs = runQueue(redis, queue);
  const jobs = await readable(runs.getJobs([...STATES], 0, limit - 1));
  const newest = jobs.toSorted((a, b) => b.timestamp - a.timestamp).slice(0, limit);
  const read = await Promise.all(newest.map((job) => readFleetRun(runs, runOfJob(job))));
  return read.filter((run) => run !== undefined);
}
