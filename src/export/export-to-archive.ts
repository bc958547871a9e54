/** The main job in one call: opens the service and the archive, exports, and closes both again. */
import type { ArchiveDependencies } from '../archive/archive.js';
import type { CommitScope } from '../archive/log/commit.js';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { createOrOpenArchive, readIdentity, type WantedArchive } from '../archive/open-archive.js';
import type { ArchiveFormat } from '../archive/identity.js';
import { createArtifactFetcher } from '../artifacts/fetcher.js';
import { privateNetworkOf } from '../artifacts/guard.js';
import type { Clock } from '../base/clock.js';
import { silentLogger, withFields, type Logger } from '../base/logger.js';
import type { ProxySettings } from '../base/proxy.js';
import { systemRandom, type Random } from '../base/random.js';
import { formatShard, isInShard, type Shard } from '../base/shard.js';
import { systemClock } from '../base/system-clock.js';
import { silentTracer, type Tracer } from '../base/tracer.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/usage-error.js';
import { TOOL, VERSION } from '../base/version.js';
import { rowFormats } from '../formats/formats.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import { LIMITS } from '../model/records.js';
import { asRunId, asUserId, type RunId, type UserId } from '../model/ids.js';
import { createServiceClient } from '../service/create-service-client.js';
import type { Pace } from '../service/pace/pace.js';
import { checkText } from '../service/request-checks.js';
import { RateLimiter } from '../service/pace/rate-limiter.js';
import { RequestBudget } from '../service/pace/request-budget.js';
import type { ServiceClient } from '../service/service-client.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import { DEFAULT_MAX_STALENESS_MS, type LookBudget } from './budget/look-budget.js';
import type { ExportObserver } from './export-observer.js';
import type { RunSettings } from './export-run.js';
import { runExport } from './run-export.js';
import { preflight } from './preflight.js';
import { RunTally, type ExportResult } from './run-tally.js';
import type { UserSource } from './users/user-source.js';

export interface ExportToArchiveOptions {
  /** `https://host[:port][/prefix]` */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Default `x-pd-api-key`. */
  readonly apiKeyHeader?: string | undefined;
  /** A label for the project that the key belongs to; an archive holds one project. */
  readonly project?: string | undefined;
  readonly users: readonly string[];
  /** Where more users come from while the run is under way. */
  readonly source?: UserSource | undefined;
  /** Instead of `rate`: a limit that is shared with others. */
  readonly pace?: Pace | undefined;
  /** More that commits are to say of what chose the data; no secrets. */
  readonly scope?: CommitScope | undefined;
  /** Only those of the users who fall into this shard, at this share of the rate. Default: all. */
  readonly shard?: Shard | undefined;
  /** The archive: a directory. It is made when it is not there. */
  readonly out: string;
  /** How the service and its files are reached; default: directly. See `proxyFromEnvironment`. */
  readonly proxy?: ProxySettings | undefined;
  /** How `out` is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Default `['parquet']`, or what the archive has. */
  readonly formats?: readonly ArchiveFormat[] | undefined;
  /** Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
  /** Only these sessions, of one user. */
  readonly sessions?: readonly string[] | undefined;
  /** Only sessions whose name contains this. */
  readonly search?: string | undefined;
  /** Read every page again. Default false. */
  readonly full?: boolean | undefined;
  /** Look only at what has gaps; everything else is left alone. Default false. */
  readonly retryGaps?: boolean | undefined;
  /** Kinds of files, as in `artifacts.kind`: that they are not fetched is told, and no gap that counts. */
  readonly acceptUnfetched?: Iterable<string> | undefined;
  /** Also the project's datasets: name, description, overview and status. Default false. */
  readonly withDatasets?: boolean | undefined;
  /** A budget: the run sends so many requests to the service, retries included. Default: no limit. */
  readonly maxRequests?: number | undefined;
  /** A budget: the run sends no request to the service after this time. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
  /** With a budget: no session goes without a look for longer. Default 7 days. */
  readonly maxStalenessMs?: number | undefined;
  /** Give way (exit 8) to another run that is at work on the same user. Default: wait for it. */
  readonly noWait?: boolean | undefined;
  /** How long another run's lease must stand unchanged before its user is taken over. Default 30 seconds. */
  readonly leaseTermMs?: number | undefined;
  /** Default 1 hour. */
  readonly settleTimeMs?: number | undefined;
  /** API requests a second. Default 20. */
  readonly rate?: number | undefined;
  /** Sessions at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Downloads at a time. Default 8. */
  readonly fileConcurrency?: number | undefined;
  /** Asked for at first; the service may grant fewer. Default 100. */
  readonly pageSize?: number | undefined;
  /** Staged bytes that make a checkpoint due. Default 128 MB. */
  readonly checkpointBytes?: number | undefined;
  /** Default 5 minutes. */
  readonly checkpointIntervalMs?: number | undefined;
  /** Default 1 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** What bare storage keys are looked up under. */
  readonly storageBaseUrl?: string | undefined;
  /** Files may come from private addresses. Default: from this machine where the service is on it. */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** Signs every commit of the run; `ed25519Signer` makes one. Default: nobody does. */
  readonly signer?: CommitSigner | undefined;
  readonly logger?: Logger | undefined;
  readonly observer?: ExportObserver | undefined;
  /** Told what the run is doing at every moment. Default: nobody is. */
  readonly tracer?: Tracer | undefined;
  /** A ULID of the caller's own, for its log. Default: a new one. */
  readonly runId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** Of those of whom no session was ever seen, in the log: a company may have many. */
const NAMED_USERS = 20;

const USER_AGENT = `jobvault/${VERSION}`;

export const EXPORT_DEFAULTS = {
  settleTimeMs: 3_600_000,
  rate: 20,
  concurrency: 8,
  fileConcurrency: 8,
  pageSize: 100,
  checkpointBytes: 128e6,
  checkpointIntervalMs: 5 * 60_000,
  maxFileBytes: 2 ** 30,
} as const;

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

/** @throws {UsageError} */
export function settingsOf(options: ExportToArchiveOptions): RunSettings {
  if (options.search !== undefined) checkText('search', options.search, LIMITS.searchLength);
  return {
    full: options.full ?? false,
    settleTimeMs: options.settleTimeMs ?? EXPORT_DEFAULTS.settleTimeMs,
    sessions: options.sessions ?? [],
    search: options.search,
    retryGaps: options.retryGaps ?? false,
    acceptUnfetched: new Set(options.acceptUnfetched),
    withDatasets: options.withDatasets ?? false,
  };
}

/** Undefined where the run may ask for as much as there is; shards share the requests like the rate. */
export function budgetOf(options: ExportToArchiveOptions): LookBudget | undefined {
  const { maxDurationMs, maxStalenessMs = DEFAULT_MAX_STALENESS_MS, shard } = options;
  if (options.maxRequests === undefined && maxDurationMs === undefined) return undefined;
  const maxRequests = options.maxRequests && Math.ceil(options.maxRequests / (shard?.count ?? 1));
  return { maxRequests, maxDurationMs, maxStalenessMs, rate: rateOf(options) };
}

/** API requests a second: the shards of a run share the rate. */
export function rateOf({ rate = EXPORT_DEFAULTS.rate, shard }: ExportToArchiveOptions): number {
  return rate / (shard?.count ?? 1);
}

/** Each user of the shard once; none where the shard is empty. @throws {UsageError} */
export function checkedUsers(options: ExportToArchiveOptions): UserId[] {
  const { sessions, shard } = options;
  const distinct = usersAsked(options);
  if (distinct.length === 0) throw new UsageError('no user is named; at least one is needed');
  if (distinct.includes(asUserId(''))) throw new UsageError('a user id is empty');
  for (const user of distinct) checkText('a user id', user, Infinity);
  if ((sessions?.length ?? 0) > 0 && distinct.length > 1) {
    throw new UsageError(
      `sessions are named for ${distinct.length} users; named sessions need exactly one user`,
    );
  }
  return distinct.filter((user) => !shard || isInShard(user, shard));
}

/** Of whichever shard, each once. */
function usersAsked({ users }: ExportToArchiveOptions): UserId[] {
  return [...new Set(users)].map(asUserId);
}
