/** A worker's options, its summary, and what it has while it is connected. */
import type { Redis } from 'ioredis';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { ExportToArchiveOptions } from '../export/export-request.js';
import type { OwnPlaces } from './allowed-place.js';

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
  /** Aborted to stop: what is done is committed, and the other users are given back. */
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
  /** The failure that ended the worker. */
  readonly error: unknown;
}

/** Of a worker that is connected to Redis. */
export interface SessionOptions extends Omit<WorkerOptions, 'redis' | 'queue'> {
  readonly redis: Redis;
  readonly queue: string;
  readonly worker: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}
