/** The options of an export, their defaults, and their validation. */
import type { CommitScope } from '../archive/log/commit.js';
import type { CommitSigner } from '../archive/log/signing.js';
import type { ArchiveFormat } from '../formats/formats.js';
import type { UsersListRule } from '../archive/reading/users/users-list.js';
import type { AccessOptions } from '../artifacts/access.js';
import type { RuntimeOptions } from '../base/runtime.js';
import { asUserId, type UserId } from '../model/ids.js';
import { formatShard, isInShard, type Shard } from '../model/shard.js';
import { UsageError } from '../base/error.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import { LIMITS } from '../model/records.js';
import type { Pace } from '../service/pace/pace.js';
import { checkText } from '../service/check-request.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { RequestBudgetOptions } from '../service/pace/request-budget.js';
import type { RunSettings } from './export-run.js';
import type { ExportObserver } from './export-observer.js';
import type { LapScope } from './laps/run-lap.js';
import type { UserSource } from './users/user-source.js';

export interface ExportToArchiveOptions extends AccessOptions, RuntimeOptions {
  /** `https://host[:port][/prefix]` */
  readonly baseUrl: string;
  /** A label for the project that the key belongs to; an archive holds one project. */
  readonly project?: string | undefined;
  readonly users: readonly string[];
  /** Users of whom the service must have listed a session, now or in an earlier run: else that is a gap. Default: none. */
  readonly expectedUsers?: readonly string[] | undefined;
  /** The users are a list of everybody: a warning tells once who was read before and is not in it any more. Default false. */
  readonly isListOfAll?: boolean | undefined;
  /** With a list of everybody: fewer than this share of the users of late is a doubtful list. Default 0.8. */
  readonly minUsers?: number | undefined;
  /** Whether the service may know none of a list of everybody: else the list is doubtful. Default false. */
  readonly allowUnlisted?: boolean | undefined;
  /**
   * Whether the service may list none of the archived conversations: else the run ends before it has archived anything, since
   * the key may be that of another project. Default false.
   */
  readonly allowOtherConversations?: boolean | undefined;
  /** Adds users while the run is under way. */
  readonly source?: UserSource | undefined;
  /** Instead of `rate`: a limit that several processes share. */
  readonly pace?: Pace | undefined;
  /** Further selection settings for the commits to record; no secrets. */
  readonly scope?: CommitScope | undefined;
  /** Only the users of this shard, at its share of the rate. Default: all. */
  readonly shard?: Shard | undefined;
  /** The archive: a directory or `s3://bucket/prefix`; created if missing. */
  readonly out: string;
  /** How `out` is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Default: those of the archive; of a new one `['parquet']`. */
  readonly formats?: readonly ArchiveFormat[] | undefined;
  /** Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
  /** Begin no Delta logs for the tables; those that are there are kept up to date. Default false. */
  readonly noDelta?: boolean | undefined;
  /** Only these sessions, of one user. */
  readonly sessions?: readonly string[] | undefined;
  /** Only sessions whose name contains this. */
  readonly search?: string | undefined;
  /** Read every page again. Default false. */
  readonly full?: boolean | undefined;
  /** Retry only sessions with gaps. Default false. */
  readonly retryGaps?: boolean | undefined;
  /** Kinds of files, as in `artifacts.kind`, whose gaps are accepted: reported, but not counted. */
  readonly acceptUnfetched?: Iterable<string> | undefined;
  /** Whether the project's datasets are archived, too: name, description, overview and status. Default false. */
  readonly withDatasets?: boolean | undefined;
  /** A budget: the most requests that the run sends to the service, retries included. Default: no limit. */
  readonly maxRequests?: number | undefined;
  /** A budget: the run sends no request to the service after this time. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
  /** With a budget: the longest time that a lap round all sessions may take. Default 7 days. */
  readonly maxStalenessMs?: number | undefined;
  /** Each history is read whole once in this time, so that a change deep in a long one is found. Default 30 days. */
  readonly rereadMs?: number | undefined;
  /** When the lap behind the one under way begins, for a run of a queue, which has several exports. Default: none. */
  readonly queueLap?: { readonly nextBeganAtMs: number } | undefined;
  /** Fail (exit code 8) if another run works on the same user. Default: wait for it. */
  readonly noWait?: boolean | undefined;
  /** Default 1 hour. */
  readonly settleTimeMs?: number | undefined;
  /** Sessions at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** The page size requested at first; the service may grant less. Default 100. */
  readonly pageSize?: number | undefined;
  /** Staged bytes that make a checkpoint due, as 10,000 jobs do. Default 128 MB. */
  readonly checkpointBytes?: number | undefined;
  /** Default 5 minutes. */
  readonly checkpointIntervalMs?: number | undefined;
  /** Signs every commit of the run; `ed25519Signer` makes one. Default: commits are not signed. */
  readonly signer?: CommitSigner | undefined;
  /** Time-stamp authorities (RFC 3161) that stamp the newest commit when the run ends; each learns its digest. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
  readonly observer?: ExportObserver | undefined;
  /** The run's id, a ULID. Default: a new one. */
  readonly runId?: string | undefined;
}

/** Options of `export` of an open archive, which has its own service, project, formats and place. */
export type ExportChoices = Omit<
  ExportToArchiveOptions,
  'baseUrl' | 'project' | 'formats' | 'out' | 'storage'
>;

export const EXPORT_DEFAULTS = {
  settleTimeMs: 3_600_000,
  rereadMs: 30 * 86_400_000,
  rate: 20,
  concurrency: 8,
  pageSize: 100,
  checkpointBytes: 128e6,
  checkpointIntervalMs: 5 * 60_000,
} as const;

/** @throws {UsageError} */
export function exportRunSettings(options: ExportToArchiveOptions): RunSettings {
  if (options.search !== undefined) checkText('search', options.search, LIMITS.searchLength);
  return {
    full: options.full ?? false,
    rereadMs: options.rereadMs ?? EXPORT_DEFAULTS.rereadMs,
    settleTimeMs: options.settleTimeMs ?? EXPORT_DEFAULTS.settleTimeMs,
    expectedUsers: expectedOf(options),
    sessions: options.sessions ?? [],
    search: options.search,
    retryGaps: options.retryGaps ?? false,
    acceptUnfetched: new Set(options.acceptUnfetched),
    withDatasets: options.withDatasets ?? false,
    doubtsSameImages: options.onlyThisMachine !== true,
  };
}

function expectedOf({
  source,
  expectedUsers,
}: ExportToArchiveOptions): NonNullable<RunSettings['expectedUsers']> {
  return source
    ? { has: (user) => source.isExpected(asUserId(user)) }
    : new Set<string>(expectedUsers);
}

/** Undefined without a limit; shards share the requests like the rate. */
export function limitsOf(
  options: ExportToArchiveOptions,
): Omit<RequestBudgetOptions, 'clock'> | undefined {
  const { maxDurationMs, shard } = options;
  if (options.maxRequests === undefined && maxDurationMs === undefined) return undefined;
  const maxRequests = options.maxRequests && Math.ceil(options.maxRequests / (shard?.count ?? 1));
  return { maxRequests, maxDurationMs, rate: rateOf(options) };
}

/** What a list of everybody is checked by; undefined of any other users. */
export function listRuleOf(options: ExportToArchiveOptions): UsersListRule | undefined {
  if (options.isListOfAll !== true) return undefined;
  return { minUsers: options.minUsers, allowUnlisted: options.allowUnlisted === true };
}

/** Which lap a run has part in: none, if it is for users who are named. */
export function lapScopeOf(options: ExportToArchiveOptions): LapScope | undefined {
  const { scope, source, shard, queueLap } = options;
  if (scope?.['named'] === true) return undefined;
  if (source) return queueLap && { name: 'queue', ...queueLap };
  return { name: shard ? formatShard(shard).replace('/', '-of-') : 'all' };
}

/** API requests per second: the shards of a run share the rate. */
export function rateOf({ rate = EXPORT_DEFAULTS.rate, shard }: ExportToArchiveOptions): number {
  return rate / (shard?.count ?? 1);
}

/** Each user of the shard once; none if the shard is empty. @throws {UsageError} */
export function checkedUsers(options: ExportToArchiveOptions): UserId[] {
  const { sessions, shard } = options;
  const distinct = usersAsked(options);
  if (distinct.length === 0) throw new UsageError('no user is given; at least one is needed');
  if (distinct.includes(asUserId(''))) throw new UsageError('a user id is empty');
  for (const user of distinct) checkText('a user id', user, Infinity);
  if ((sessions?.length ?? 0) > 0 && distinct.length > 1) {
    throw new UsageError(
      `sessions are given with ${distinct.length} users; allowed is exactly one user`,
    );
  }
  return distinct.filter((user) => !shard || isInShard(user, shard));
}

/** The users of all shards, each once. */
export function usersAsked({ users }: ExportToArchiveOptions): UserId[] {
  return [...new Set(users)].map(asUserId);
}
