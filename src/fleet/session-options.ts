/** Options of a worker that is connected to Redis. Apart from `WorkerOptions`, whose types need no ioredis. */
import type { Redis } from 'ioredis';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { WorkerOptions } from './worker-options.js';

export interface SessionOptions extends Omit<WorkerOptions, 'redis' | 'queue'> {
  readonly redis: Redis;
  readonly queue: string;
  readonly worker: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}
