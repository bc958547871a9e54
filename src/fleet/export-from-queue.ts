/** Runs one export of a worker: users of one queued run, at the rate of the fleet. */
import { sha256Hex } from '../base/digest.js';
import { normaliseBaseUrl } from '../base/http/base-url.js';
import { exportToArchive } from '../export/export-to-archive.js';
import type { ArchiveLocation } from './authorize-run.js';
import type { UserJob } from './queues.js';
import type { QueueSource } from './queue-source.js';
import { RedisPace } from './redis-pace.js';
import type { RunRecord } from './run-record.js';
import type { SessionOptions } from './session-options.js';
import type { WorkerSummary } from './worker-options.js';

export interface QueuedExport {
  readonly options: SessionOptions;
  readonly record: RunRecord;
  readonly location: ArchiveLocation;
  readonly first: UserJob;
  readonly source: QueueSource;
  /** The export's counts are added here. */
  readonly summary: WorkerSummary;
}

/**
 * How long the lease of a worker that died on another machine is watched: half as long as by an export without a
 * queue, because the queue has already detected the death. A lease of the same machine is not waited for.
 */
const LEASE_TERM_MS = 15_000;

/** @returns the error or interruption that ended it early; undefined if all users were settled */
export async function exportFromQueue(queued: QueuedExport): Promise<unknown> {
  const { options, record, location, first, source, summary } = queued;
  const { redis, queue, clock, random, logger, signer, signal } = options;
  const { apiKey, proxy, tracer, concurrency, fileConcurrency, pageSize } = options;
  const { checkpointBytes, checkpointIntervalMs, maxFileBytes, allowPrivateNetwork } = options;
  const key = `${queue}:rate:${sha256Hex(`${normaliseBaseUrl(record.base_url)} ${record.project ?? ''}`).slice(0, 16)}`;
  summary.exports++;
  try {
    const { summary: done, error } = await exportToArchive({
      ...location,
      clock,
      random,
      logger,
      signer,
      signal,
      apiKey,
      concurrency,
      fileConcurrency,
      pageSize,
      checkpointBytes,
      checkpointIntervalMs,
      maxFileBytes,
      allowPrivateNetwork,
      source,
      proxy,
      tracer,
      baseUrl: record.base_url,
      apiKeyHeader: record.api_key_header,
      project: record.project ?? undefined,
      formats: record.formats ?? undefined,
      parquetCodec: record.parquet_codec,
      search: record.search ?? undefined,
      full: record.full,
      settleTimeMs: record.settle_time_ms,
      storageBaseUrl: record.storage_base_url ?? undefined,
      leaseTermMs: LEASE_TERM_MS,
      users: [first.data.user],
      scope: { queue: record.name },
      pace: new RedisPace({ redis, key, rate: record.rate, clock, logger }),
    });
    summary.jobs.archived += done.jobs.archived;
    for (const count of ['api', 'files', 'retries', 'rate_limited'] as const) {
      summary.requests[count] += done.requests[count];
    }
    return error ?? (done.status === 'interrupted' ? signal.reason : undefined);
  } catch (error) {
    return error;
  }
}
