/** Runs one export of a worker: users of one queued run, at the rate of the fleet. */
import { sha256Hex, ulid } from '../base/digest.js';
import { normaliseBaseUrl } from '../base/http/proxy.js';
import { silentTracer } from '../base/logger.js';
import { openService } from '../artifacts/access.js';
import { failureBehindGap } from '../export/jobs/gap.js';
import { asUserId } from '../model/ids.js';
import { exportToArchive } from '../export/export-to-archive.js';
import type { ArchiveLocation } from './authorize-run.js';
import type { UserJob } from './queues.js';
import type { QueueSource } from './queue-source.js';
import { RedisPace } from './redis-pace.js';
import type { RunRecord } from './run-record.js';
import type { SessionOptions, WorkerSummary } from './worker-options.js';

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
  const { clock, random, logger, signer, signal } = options;
  const { apiKey, proxy, tracer, concurrency, fileConcurrency, pageSize } = options;
  const { checkpointBytes, checkpointIntervalMs, maxFileBytes, allowPrivateNetwork } = options;
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
      noDelta: record.no_delta,
      search: record.search ?? undefined,
      full: record.full,
      settleTimeMs: record.settle_time_ms,
      storageBaseUrl: record.storage_base_url ?? undefined,
      leaseTermMs: LEASE_TERM_MS,
      users: [first.data.user],
      scope: { queue: record.name },
      pace: paceOf(options, record),
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

/**
 * Whether the service answers a request for a user that nobody knows, if only with a refusal: then what could not be
 * read is not the service as a whole.
 */
export async function answersAnybody(options: SessionOptions, record: RunRecord): Promise<boolean> {
  const { apiKey, proxy, tracer = silentTracer, clock, random, logger, signal } = options;
  const service = openService({
    ...{ apiKey, proxy, tracer, clock, random, logger, signal },
    baseUrl: record.base_url,
    apiKeyHeader: record.api_key_header,
    pace: paceOf(options, record),
    run: ulid(clock, random),
  });
  try {
    await service.listSessions({ userId: NOBODY, pageSize: 1, maxAttempts: 1, signal });
    return true;
  } catch (error) {
    return failureBehindGap(error) !== 'unreachable';
  } finally {
    await service.close();
  }
}

/** No user has this id; the service lists no session of it. */
const NOBODY = asUserId('jobvault-nobody');

/** Workers of all queues share the rate of a service: the limit is per team, whatever the project. */
function paceOf({ redis, rateGroup, clock, logger }: SessionOptions, record: RunRecord): RedisPace {
  const shared = rateGroup ?? normaliseBaseUrl(record.base_url);
  const key = `jobvault:rate:${sha256Hex(shared).slice(0, 16)}`;
  return new RedisPace({ redis, key, rate: record.rate, clock, logger });
}
