/** Reads the status of a fleet: its queue, its workers, its runs. */
import type { Redis } from 'ioredis';
import { silentLogger, type Logger } from '../base/logger.js';
import { shownAddress } from '../base/text/address.js';
import type { FleetRun } from './fleet-run.js';
import { readFleetRun } from './read-run.js';
import { checkQueueName, DEFAULT_QUEUE, readable, runQueue, userQueue } from './queues.js';

import { withRedis } from './redis.js';
import { readNotes, type WorkerNote } from './worker-note.js';

export interface FleetPlace {
  readonly redis: string;
  /** Prefix of every key in Redis. Default `jobvault`. */
  readonly queue?: string | undefined;
  readonly logger?: Logger | undefined;
}

export interface FleetStatus {
  /** The URL without its password. */
  readonly redis: string;
  readonly queue: string;
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
 * @param runs how many of the newest runs to read
 * @throws {UsageError} the URL or the queue's name is invalid
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
      redis: shownAddress(url),
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

async function runsOf(redis: Redis, queue: string, limit: number): Promise<FleetRun[]> {
  if (limit === 0) return [];
  const jobs = await readable(runQueue(redis, queue).getJobs([...STATES], 0, limit - 1));
  const newest = jobs.toSorted((a, b) => b.timestamp - a.timestamp).slice(0, limit);
  return Promise.all(newest.map(readFleetRun));
}
