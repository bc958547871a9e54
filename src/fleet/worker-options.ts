/** A worker's options and summary. */
import type { CommitSigner } from '../archive/log/signing.js';
import type { Runtime, RuntimeOptions } from '../base/runtime.js';
import { NO_GAPS_OF_RUN, type Gap, type RunGapCounts } from '../export/jobs/gap.js';
import type { ExportToArchiveOptions } from '../export/export-request.js';
import type { GapCounts } from '../model/gap-counts.js';
import type { Redis } from 'ioredis';

/** What a worker exports with: all but the users, which the queue has. `maxRequests` and `rate` are for all workers together. */
type WorkerSetting =
  | 'baseUrl'
  | 'apiKey'
  | 'apiKeyHeader'
  | 'proxy'
  | 'project'
  | 'out'
  | 'storage'
  | 'formats'
  | 'parquetCodec'
  | 'noDelta'
  | 'search'
  | 'allowOtherConversations'
  | 'full'
  | 'settleTimeMs'
  | 'storageBaseUrl'
  | 'rate'
  | 'maxRequests'
  | 'maxStalenessMs'
  | 'rereadMs'
  | 'concurrency'
  | 'fileConcurrency'
  | 'pageSize'
  | 'checkpointBytes'
  | 'checkpointIntervalMs'
  | 'maxFileBytes'
  | 'allowPrivateNetwork';

export interface WorkerOptions extends Pick<ExportToArchiveOptions, WorkerSetting>, RuntimeOptions {
  readonly redis: string;
  /** Prefix of every key in Redis. Default: `jobvault-` and the id of the archive at `out`. */
  readonly queue?: string | undefined;
  /** The worker ends after it has been idle for this long. Default: never. */
  readonly exitWhenIdleMs?: number | undefined;
  /** Workers with the same name share one rate. Default: all workers of a service do. */
  readonly rateGroup?: string | undefined;
  readonly signer?: CommitSigner | undefined;
  /** Time-stamp authorities (RFC 3161): each stamps the commit that ends a queued run. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
}

export interface WorkerSummary {
  /** `lost`: idle, but the queue has lost users of a run, or a whole run. */
  status: 'idle' | 'lost' | 'interrupted' | 'failed';
  readonly worker: string;
  /** `failed`: not listed, or given up; `left`: the budget left them to a later run; `again`: another attempt follows; `returned`: given back to the queue. `vanished`: archived, and the service lists nothing of them any more, though they are among the others; `newly_vanished`: since this worker read them. */
  readonly users: {
    complete: number;
    incomplete_by_decision: number;
    with_gaps: number;
    failed: number;
    left: number;
    again: number;
    returned: number;
    vanished: number;
    newly_vanished: number;
  };
  /** Runs that the queue has lost, and users that it has lost of these or other runs; known when the worker is idle. */
  lost: { readonly runs: number; readonly users: number };
  /** Whether the lap takes longer than `maxStalenessMs`. */
  overdue: boolean;
  /** When the lap of the queue began, ISO 8601; known of runs with a budget when the worker is idle. */
  lap_began_at?: string;
  /** The first gaps of users who are done, without those that are accepted; new ones before others. */
  gaps: readonly Gap[];
  /** How many gaps there are of users who are done, by sort. */
  gap_counts: RunGapCounts;
  /** Gaps of the archive that nobody has accepted, by status, whoever found them; known when the worker is idle. */
  open_gaps?: Readonly<Record<string, number>>;
  /** How many of them are lists and histories that a budget has left for later runs: they are no reason for an alarm. */
  left_gaps?: number;
  /** Gaps and doubts of the archive that somebody has accepted, likewise. */
  accepted?: Pick<GapCounts, 'accepted_gaps' | 'accepted_doubts'>;
  /** Users of the archive with 140 sessions or more at the service, whoever read them, as of now; known when the worker is idle. */
  at_the_cap?: readonly string[];
  readonly jobs: { archived: number };
  readonly requests: { api: number; files: number; retries: number; rate_limited: number };
  /**
   * When a run ended last, told by a worker that has found nobody on the queue, and no run that has not ended; null if
   * none is known.
   */
  last_run_at?: string | null;
  /** Exports: each is a run in an archive's log. */
  exports: number;
  /** Queued runs that it has finished. */
  finished: number;
  duration_ms: number;
}

/** The summary of a worker that has done nothing. */
export function idleSummary(worker: string): WorkerSummary {
  return {
    status: 'idle',
    worker,
    users: {
      complete: 0,
      incomplete_by_decision: 0,
      with_gaps: 0,
      failed: 0,
      left: 0,
      again: 0,
      returned: 0,
      vanished: 0,
      newly_vanished: 0,
    },
    lost: { runs: 0, users: 0 },
    overdue: false,
    gaps: [],
    gap_counts: NO_GAPS_OF_RUN,
    jobs: { archived: 0 },
    requests: { api: 0, files: 0, retries: 0, rate_limited: 0 },
    exports: 0,
    finished: 0,
    duration_ms: 0,
  };
}

export interface WorkerResult {
  readonly summary: WorkerSummary;
  /** The failure that ended the worker. */
  readonly error: unknown;
}

/** Options of a worker that is connected to Redis. Apart from `WorkerOptions`, whose types need no ioredis. */
export interface SessionOptions
  extends Omit<WorkerOptions, 'redis' | 'queue' | keyof Runtime>, Runtime {
  readonly redis: Redis;
  readonly queue: string;
  /** The id of its archive. */
  readonly archive: string;
  readonly worker: string;
}
