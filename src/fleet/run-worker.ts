/** A worker: takes users from the queue for as long as it is wanted, exports them, and finishes runs. */
import { randomUUID } from 'node:crypto';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import type { Clock } from '../base/clock.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { systemRandom, type Random } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import type { ExportToArchiveOptions } from '../export/export-to-archive.js';
import { checkBaseUrl } from '../base/base-url.js';
import { checkApiKey } from '../service/options.js';
import { checkOwnPlaces, type OwnPlaces } from './allowed-place.js';
import { checkQueueName, DEFAULT_QUEUE } from './queues.js';
import { inOurWords, withRedis } from './redis.js';
import { WorkerSession } from './worker-session.js';

/** How a machine works is its own; what it works on comes with the run. */
type Own =
  | 'apiKey'
  | 'proxy'
  | 'tracer'
  | 'concurrency'
  | 'fileConcurrency'
  | 'pageSize'
  | 'checkpointBytes'
  | 'checkpointIntervalMs'
  | 'maxFileBytes'
  | 'allowPrivateNetwork';

export interface WorkerOptions extends Pick<ExportToArchiveOptions, Own>, OwnPlaces {
  readonly redis: string;
  /** Begins every key in Redis. Default `jobvault`. */
  readonly queue?: string | undefined;
  /** Ends when there has been nothing to do for so long. Default: never. */
  readonly exitWhenIdleMs?: number | undefined;
  readonly signer?: CommitSigner | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  /** Aborted to stop taking on; what is done is committed, and the rest given back. */
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerSummary {
  status: 'idle' | 'interrupted' | 'failed';
  readonly worker: string;
  /** `again`: another attempt follows; `returned`: given back to the queue. */
  readonly users: { complete: number; gaps: number; again: number; returned: number };
  readonly jobs: { archived: number };
  readonly requests: { api: number; files: number; retries: number; rate_limited: number };
  /** Exports into archives: each is a run in their logs. */
  exports: number;
  /** Queued runs that it wrote the summary of. */
  finished: number;
  duration_ms: number;
}

export interface WorkerResult {
  readonly summary: WorkerSummary;
  /** What ended the worker before its time. */
  readonly error: unknown;
}

/**
 * Resolves when the worker was told to stop, has been idle for long enough, or cannot go on.
 *
 * @throws {UsageError} an option makes no sense
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { redis: url, logger = silentLogger } = options;
  checkBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  checkOwnPlaces(options);
  const queue = checkQueueName(options.queue ?? DEFAULT_QUEUE);
  const { summary, error } = await withRedis({ url, logger, patience: 'endless' }, (redis) =>
    new WorkerSession({
      ...options,
      redis,
      queue,
      logger,
      worker: randomUUID(),
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      signal: options.signal ?? new AbortController().signal,
    }).run(),
  );
  return { summary, error: inOurWords(url, error) };
}
