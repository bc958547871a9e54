/** Runs one export of a worker: users of one queued run, with the worker's own settings, at the rate of the fleet. */
import { sha256Hex, ulid } from '../base/digest.js';
import { normaliseBaseUrl } from '../base/http/proxy.js';
import { silentTracer } from '../base/logger.js';
import { openService } from '../artifacts/access.js';
import { failureBehindGap } from '../export/jobs/gap.js';
import type { BudgetSummary } from '../export/export-summary.js';
import { asUserId, type UserId } from '../model/ids.js';
import { EXPORT_DEFAULTS } from '../export/export-request.js';
import { exportInto } from '../export/export-to-archive.js';
import type { QueueSource } from './queue-source.js';
import { RedisPace } from './redis-limits.js';
import type { SessionOptions, WorkerSummary } from './worker-options.js';

export interface QueuedExport {
  readonly options: SessionOptions;
  /** The name of the queued run. */
  readonly run: string;
  readonly source: QueueSource;
  readonly users: readonly UserId[];
  /** Undefined: as many as it takes. */
  readonly maxRequests: number | undefined;
  /** The export's counts are added here. */
  readonly summary: WorkerSummary;
}

/**
 * How long the lease of a worker that died on another machine is watched: half as long as by an export without a
 * queue, because the queue has already detected the death. A lease of the same machine is not waited for.
 */
const LEASE_TERM_MS = 15_000;

export interface QueuedExportEnd {
  /** The error or interruption that ended it early; undefined if all users were settled. */
  readonly error: unknown;
  /** What it has done with its requests, if these were limited. */
  readonly budget: BudgetSummary | undefined;
}

export async function exportFromQueue(queued: QueuedExport): Promise<QueuedExportEnd> {
  const { options, run, source, users, maxRequests, summary } = queued;
  const { signal } = options;
  summary.exports++;
  try {
    const { summary: done, error } = await exportInto({
      ...options,
      timestampUrls: [], // of a queued run, the commit that ends it is stamped
      source,
      leaseTermMs: LEASE_TERM_MS,
      users,
      maxRequests,
      scope: { queue: run },
      pace: paceOf(options),
    });
    summary.jobs.archived += done.jobs.archived;
    for (const count of ['api', 'files', 'retries', 'rate_limited'] as const) {
      summary.requests[count] += done.requests[count];
    }
    const interruption: unknown = done.status === 'interrupted' ? signal.reason : undefined;
    return { error: error ?? interruption, budget: done.budget };
  } catch (error) {
    return { error, budget: undefined };
  }
}

/**
 * Whether the service answers a request for a user that nobody knows, if only with a refusal: then what could not be
 * read is not the service as a whole.
 */
export async function answersAnybody(options: SessionOptions): Promise<boolean> {
  const { baseUrl, apiKey, apiKeyHeader, proxy, tracer = silentTracer } = options;
  const { clock, random, logger, signal } = options;
  const service = openService({
    baseUrl,
    apiKey,
    apiKeyHeader,
    proxy,
    tracer,
    clock,
    random,
    logger,
    signal,
    pace: paceOf(options),
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
function paceOf(options: SessionOptions): RedisPace {
  const { redis, baseUrl, rateGroup, rate = EXPORT_DEFAULTS.rate, clock, logger } = options;
  const shared = rateGroup ?? normaliseBaseUrl(baseUrl);
  const key = `jobvault:rate:${sha256Hex(shared).slice(0, 16)}`;
  return new RedisPace({ redis, key, rate, clock, logger });
}
