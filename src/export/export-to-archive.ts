/** The main job in one call: opens the service and the archive, exports, and closes both again. */
import type { ArchiveDependencies } from '../archive/archive.js';
import { createOrOpenArchive, readIdentity, type WantedArchive } from '../archive/open-archive.js';
import { createArtifactFetcher } from '../artifacts/fetcher.js';
import { privateNetworkOf } from '../artifacts/guard.js';
import { silentLogger, withFields } from '../base/logger.js';
import { systemRandom } from '../base/random.js';
import { formatShard } from '../base/shard.js';
import { systemClock } from '../base/system-clock.js';
import { silentTracer } from '../base/tracer.js';
import { ulid } from '../base/ulid.js';
import { TOOL, VERSION } from '../base/version.js';
import { rowFormats } from '../formats/formats.js';
import { asRunId, asUserId, type RunId } from '../model/ids.js';
import { createServiceClient } from '../service/create-service-client.js';
import { RateLimiter } from '../service/pace/rate-limiter.js';
import { RequestBudget } from '../service/pace/request-budget.js';
import type { ServiceClient } from '../service/service-client.js';
import { openStorage } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import {
  budgetOf,
  checkedUsers,
  EXPORT_DEFAULTS,
  rateOf,
  settingsOf,
  usersAsked,
  type ExportToArchiveOptions,
} from './export-request.js';
import { runExport } from './run-export.js';
import { preflight } from './preflight.js';
import { RunTally, type ExportResult } from './run-tally.js';

/** Of those of whom no session was ever seen, in the log: a company may have many. */
const NAMED_USERS = 20;

const USER_AGENT = `jobvault/${VERSION}`;

/**
 * Exports users to an archive.
 *
 * @throws {UsageError} an option makes no sense, or `out` is something else than this service's archive
 * @throws {JobvaultError} a new archive is not begun: the service refuses the key or cannot be reached
 */
export async function exportToArchive(options: ExportToArchiveOptions): Promise<ExportResult> {
  const { clock = systemClock, random = systemRandom, tracer = silentTracer } = options;
  const runId = asRunId(options.runId ?? ulid(clock, random));
  return tracer.span('run', { command: 'export', run: runId }, () => exportAs(runId, options));
}

async function exportAs(runId: RunId, options: ExportToArchiveOptions): Promise<ExportResult> {
  const { clock = systemClock, random = systemRandom, tracer, signer } = options;
  const logger = withFields(options.logger ?? silentLogger, { run: runId });
  const users = checkedUsers(options);
  const settings = settingsOf(options);
  const { signal = new AbortController().signal } = options;
  const storage = openStorage(options.out, options.storage);
  const service = serviceOf({ ...options, logger }, runId);
  const fetcher = createArtifactFetcher({
    storage,
    clock,
    random,
    logger,
    tracer,
    userAgent: USER_AGENT,
    concurrency: options.fileConcurrency ?? EXPORT_DEFAULTS.fileConcurrency,
    maxFileBytes: options.maxFileBytes ?? EXPORT_DEFAULTS.maxFileBytes,
    storageBaseUrl: options.storageBaseUrl,
    proxy: options.proxy,
    allowPrivateNetwork: options.allowPrivateNetwork === true || privateNetworkOf(options.baseUrl),
  });
  try {
    const first = (await readIdentity(storage))
      ? undefined
      : await preflight({ service, users: usersAsked(options), source: options.source, signal });
    if (first && first.listed === undefined) {
      const { shard: of } = options;
      const shard = of && formatShard(of);
      const tally = new RunTally({
        run: runId,
        commits: [],
        location: storage.location,
        service,
        fetcher,
        clock,
        shard,
        users: options.source ? first.refused.length : users.length,
      });
      for (const outcome of first.refused) {
        if (options.source || users.includes(asUserId(outcome.entry.user))) tally.add(outcome);
      }
      return tally.result(undefined, { isInterrupted: false });
    }
    const archive = await createOrOpenArchive(
      storage,
      wantedArchive(options, { clock, random, signer }),
    );
    const { formats } = archive.identity;
    const all = rowFormats({ parquet: { codec: options.parquetCodec ?? 'zstd' } });
    const result = await runExport({
      runId,
      archive,
      service,
      fetcher,
      clock,
      random,
      logger,
      tracer,
      tool: TOOL,
      formats: all.filter(({ name }) => formats.includes(name)),
      withWorkbook: formats.includes('xlsx'),
      ...(options.shard ? { shard: formatShard(options.shard) } : {}),
      source: options.source,
      scope: options.scope,
      // those who came before have been told to the source
      users: options.source && first?.listed !== undefined ? [first.listed] : users,
      settings,
      budget: budgetOf(options),
      concurrency: options.concurrency ?? EXPORT_DEFAULTS.concurrency,
      pageSize: options.pageSize ?? EXPORT_DEFAULTS.pageSize,
      checkpointBytes: options.checkpointBytes ?? EXPORT_DEFAULTS.checkpointBytes,
      checkpointIntervalMs: options.checkpointIntervalMs ?? EXPORT_DEFAULTS.checkpointIntervalMs,
      leases: {
        processes: systemProcesses,
        termMs: options.leaseTermMs,
        noWait: options.noWait ?? false,
      },
      observer: options.observer ?? {},
      signal,
    });
    const { never_seen: neverSeen } = result.summary;
    if (neverSeen.length > 0) {
      const [count, first] = [neverSeen.length, neverSeen.slice(0, NAMED_USERS)];
      logger.warn(
        { count, users: first },
        'no session of these users was ever listed; are the ids right?',
      );
    }
    return result;
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
    await storage.close();
  }
}

/** @param runId every request's trace id begins with it, so that the service's operator can find a run */
export function serviceOf(options: ExportToArchiveOptions, runId: string): ServiceClient {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const rate = rateOf(options);
  const budget = budgetOf(options);
  const own = () => new RateLimiter({ clock, rate });
  const pace = budget
    ? new RequestBudget(options.pace ?? own(), { ...budget, clock })
    : options.pace;
  return createServiceClient({
    clock,
    random,
    logger,
    tracer: options.tracer,
    userAgent: USER_AGENT,
    traceId: `jobvault-${runId}`,
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    apiKeyHeader: options.apiKeyHeader,
    rate,
    pace,
    signal: options.signal,
    proxy: options.proxy,
  });
}

export function wantedArchive(
  { baseUrl, project, formats }: ExportToArchiveOptions,
  dependencies: ArchiveDependencies,
): WantedArchive {
  return { baseUrl, project: project ?? null, formats, tool: TOOL, ...dependencies };
}
