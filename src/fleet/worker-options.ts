/** A worker's options and summary. */
import type { CommitSigner } from '../archive/log/commit-signer.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { ExportToArchiveOptions } from '../export/export-request.js';
import type { WorkerPermissions } from './authorize-run.js';

/** Settings of a machine; `EnqueueOptions` has those of a run. */
type MachineSetting =
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

export interface WorkerOptions
  extends Pick<ExportToArchiveOptions, MachineSetting>, WorkerPermissions {
  readonly redis: string;
  /** Prefix of every key in Redis. Default `jobvault`. */
  readonly queue?: string | undefined;
  /** The worker ends after it has been idle for this long. Default: never. */
  readonly exitWhenIdleMs?: number | undefined;
  /** Workers with the same name share one rate. Default: all workers of a service do. */
  readonly rateGroup?: string | undefined;
  readonly signer?: CommitSigner | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  /** Stops the worker: it commits what is done and gives the other users back. */
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerSummary {
  status: 'idle' | 'interrupted' | 'failed';
  readonly worker: string;
  /** `again`: another attempt follows; `returned`: given back to the queue. */
  readonly users: { complete: number; gaps: number; again: number; returned: number };
  readonly jobs: { archived: number };
  readonly requests: { api: number; files: number; retries: number; rate_limited: number };
  /** Exports: each is a run in an archive's log. */
  exports: number;
  /** Queued runs that it has finished. */
  finished: number;
  duration_ms: number;
}

export interface WorkerResult {
  readonly summary: WorkerSummary;
  /** The failure that ended the worker. */
  readonly error: unknown;
}
