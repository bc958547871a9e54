/** Opens the service and the archive, exports, and closes both. */
import { usersNowAtTheCap } from '../archive/reading/users/at-the-cap.js';
import type { Archive, ContextOptions } from '../archive/archive.js';
import {
  createOrOpenArchive,
  readIdentity,
  type ArchiveSettings,
} from '../archive/open-archive.js';
import { openAccess } from '../artifacts/access.js';
import { type Clock, runtimeOf } from '../base/runtime.js';
import { withFields } from '../base/logger.js';
import { asRunId, asUserId, type UserId } from '../model/ids.js';
import { formatShard } from '../model/shard.js';
import { ulid } from '../base/ulid.js';
import { rowFormats } from '../formats/formats.js';
import { type Pace, RateLimiter } from '../service/pace/pace.js';
import { RequestBudget } from '../service/pace/request-budget.js';
import { DEFAULT_MAX_STALENESS_MS } from '../archive/laps.js';
import { type ExportSummary, hasListedAll, type RunBudget, statusAtEnd } from './export-summary.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { foundElsewhere, gapsOfUnreadUsers } from './open-gaps.js';
import { openStorage } from '../storage/open-storage.js';
import { assertSizesFit } from '../storage/size-limit.js';
import {
  lapScopeOf,
  listRuleOf,
  limitsOf,
  checkedUsers,
  EXPORT_DEFAULTS,
  rateOf,
  exportRunSettings,
  usersAsked,
  type ExportToArchiveOptions,
} from './export-request.js';
import { runExport } from './run-export.js';
import { RunTally, type ExportResult } from './run-tally.js';
import { partOf, type RunSettings } from './export-run.js';
import { type Preflight, preflight, budgetLeft } from './preflight.js';
import { usersLeftOut, warnOfRun, warnOfUsers } from './warn-after-run.js';

/** The least that a budget has for each connection. */
const REQUESTS_PER_CONNECTION = 100;

/**
 * Exports users to an archive.
 *
 * @throws {UsageError} an option is invalid, or `out` is not an archive of this service
 * @throws {JobvaultError} a new archive is not begun: the service refuses the key or cannot be reached
 */
export async function exportToArchive(options: ExportToArchiveOptions): Promise<ExportResult> {
  const runtime = runtimeOf(options);
  const { clock, random, terms, signal } = runtime;
  const runId = asRunId(options.runId ?? ulid(clock, random));
  const logger = withFields(runtime.logger, { run: runId });
  const users = checkedUsers(options);
  const settings = exportRunSettings(options);
  const storage = await openStorage(options.out, options.storage, logger);
  assertSizesFit(storage, options);
  const { budget, ...pace } = paceOf(options, clock);
  const access = openAccess({
    ...options,
    ...pace,
    clock,
    random,
    logger,
    terms,
    signal,
    run: runId,
    storage,
  });
  const { service, fetcher } = access;
  try {
    const identity = await readIdentity(storage);
    const first = identity
      ? undefined
      : await preflight({
          service,
          users: usersAsked(options),
          source: options.source,
          clock,
          signal,
        });
    if (first && first.listed === undefined) {
      const tally = new RunTally({
        run: runId,
        commits: [],
        location: storage.location,
        service,
        fetcher,
        clock,
        shard: options.shard && formatShard(options.shard),
        part: partOf(settings),
        users: options.source ? first.refused.length : users.length,
      });
      return withoutArchive(first, tally, { options, users, budget });
    }
    const { signer, parquetCodec: codec = 'zstd' } = options;
    const knownFormats = () => rowFormats({ parquet: { codec } });
    const archive = await createOrOpenArchive(
      storage,
      archiveSettings(options, { clock, random, logger, terms, signer, knownFormats }),
    );
    const isOfEverybody = isOfAll(options) && !options.source && partOf(settings) === undefined;
    const ofUnread = isOfEverybody ? await gapsOfUnread(archive, users, settings) : 0;
    const result = await runExport({
      runId,
      archive,
      service,
      fetcher,
      beginsDelta: options.noDelta !== true,
      ...(options.shard ? { shard: formatShard(options.shard) } : {}),
      source: options.source,
      scope: { ...options.scope, ...(ofUnread > 0 && { gaps_of_unread_users: ofUnread }) },
      list: listRuleOf(options),
      // earlier users were reported to the source
      users: options.source && first?.listed !== undefined ? [first.listed] : users,
      settings,
      allowOtherConversations: options.allowOtherConversations,
      lap: lapScopeOf(options),
      budget,
      concurrency: concurrencyOf(options, budget),
      pageSize: options.pageSize ?? EXPORT_DEFAULTS.pageSize,
      checkpointBytes: options.checkpointBytes ?? EXPORT_DEFAULTS.checkpointBytes,
      checkpointIntervalMs: options.checkpointIntervalMs ?? EXPORT_DEFAULTS.checkpointIntervalMs,
      noWait: options.noWait ?? false,
      observer: options.observer ?? {},
      signal,
    });
    const { timestampUrls: urls = [], proxy } = options;
    if (urls.length > 0) {
      const { stampNewestCommit } = await import('../archive/witnesses/timestamps.js');
      await stampNewestCommit(archive, { urls, proxy, signal });
    }
    if (result.error === undefined && !signal.aborted) {
      await addGapsElsewhere(archive, result.summary, { options, users, settings });
      const named = isOfAll(options) ? undefined : users;
      if (!options.source && hasListedAll(result.summary)) {
        result.summary.at_the_cap = await usersNowAtTheCap(archive, named);
      }
    }
    if (!hasListedAll(result.summary)) delete result.summary.vanished;
    warnOfRun(logger, result.summary);
    if (options.isListOfAll === true && result.error === undefined && !signal.aborted) {
      const unseen = new Set(result.summary.never_seen);
      const seen = users.filter((user) => !unseen.has(user));
      result.summary.newly_left_out = await usersLeftOut(archive, runId, seen);
    }
    warnOfUsers(logger, result.summary);
    return { ...result, budget: budget?.requests };
  } finally {
    await access.close();
    await storage.close();
  }
}

/** The result of a run that could list nobody: it begins no archive. */
function withoutArchive(
  { refused, isBudgetSpent }: Preflight,
  tally: RunTally,
  {
    options: { source },
    users,
    budget,
  }: {
    readonly options: ExportToArchiveOptions;
    readonly users: readonly UserId[];
    readonly budget: RunBudget | undefined;
  },
): ExportResult {
  for (const outcome of refused) {
    if (source || users.includes(asUserId(outcome.entry.user))) tally.add(outcome);
  }
  const usersLeft = isBudgetSpent ? users.length - refused.length : 0;
  tally.summary.users.not_read = usersLeft;
  tally.summary.budget = budget && budgetLeft(budget, usersLeft);
  return { ...tally.result(undefined, { isInterrupted: false }), budget: budget?.requests };
}

/** A small budget uses fewer connections, so that what each of them begins can be finished. */
function concurrencyOf(
  { concurrency = EXPORT_DEFAULTS.concurrency }: ExportToArchiveOptions,
  budget: RunBudget | undefined,
): number {
  const connections = (budget?.requests.remaining() ?? Infinity) / REQUESTS_PER_CONNECTION;
  return Math.max(1, Math.min(concurrency, Math.floor(connections)));
}

/** A log that is damaged in its middle is told at the end of the run, when what it has read is saved: then it counts none. */
async function gapsOfUnread(
  archive: Archive,
  users: readonly UserId[],
  settings: RunSettings,
): Promise<number> {
  try {
    return await gapsOfUnreadUsers(archive, users, settings);
  } catch (error) {
    if (error instanceof IntegrityError) return 0;
    throw error;
  }
}

/** A run ends with gaps as long as the archive has one that nobody has accepted: of all users, or of those it is for. */
async function addGapsElsewhere(
  archive: Archive,
  summary: ExportSummary,
  {
    options: { source, shard, scope },
    users,
    settings,
  }: {
    readonly options: ExportToArchiveOptions;
    readonly users: readonly UserId[];
    readonly settings: RunSettings;
  },
): Promise<void> {
  if (source || partOf(settings) !== undefined) return;
  const {
    gaps: elsewhere,
    suspicious,
    left,
  } = await foundElsewhere(archive, summary, {
    users: isOfAll({ shard, scope }) ? undefined : users,
    settings,
  });
  summary.suspicious_files = suspicious;
  summary.left_gaps = left;
  for (const gap of elsewhere) summary.gaps.push(gap);
  const hasEnded = summary.status !== 'interrupted' && summary.status !== 'failed';
  if (hasEnded) summary.status = statusAtEnd(summary);
}

/** Whether the run is for all of the archive. */
function isOfAll({ shard, scope }: Pick<ExportToArchiveOptions, 'shard' | 'scope'>): boolean {
  return !shard && scope?.['named'] !== true;
}

/** The run's share of the rate, or the given limit; within its budget. */
export function paceOf(
  options: ExportToArchiveOptions,
  clock: Clock,
): {
  readonly rate: number;
  readonly pace: Pace | undefined;
  readonly budget: RunBudget | undefined;
} {
  const rate = rateOf(options);
  const limits = limitsOf(options);
  if (!limits) return { rate, pace: options.pace, budget: undefined };
  const limit = options.pace ?? new RateLimiter({ clock, rate });
  const requests = new RequestBudget(limit, { ...limits, clock });
  const { maxStalenessMs = DEFAULT_MAX_STALENESS_MS } = options;
  return { rate, pace: requests, budget: { requests, maxStalenessMs } };
}

export function archiveSettings(
  { baseUrl, project, formats }: ExportToArchiveOptions,
  context: ContextOptions,
): ArchiveSettings {
  return { baseUrl, project: project ?? null, formats, ...context };
}
