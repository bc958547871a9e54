/** Starts a run: leaves its users in the archive, and puts them on the queue. */
import type { Redis } from 'ioredis';
import { resolve } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { makeOrOpenArchive } from '../archive/open-archive.js';
import { leaveUsers } from '../archive/runs/queued-runs.js';
import { systemClock, systemRandom } from '../base/runtime.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { ulid } from '../base/digest.js';
import { UsageError } from '../base/error.js';
import { TOOL } from '../base/version.js';
import { parseJson } from '../base/text/parse-json.js';
import { EXPORT_DEFAULTS, type ExportToArchiveOptions } from '../export/export-request.js';
import { checkBaseUrl } from '../base/http/proxy.js';
import { LIMITS } from '../model/records.js';
import { SERVICE_DEFAULTS } from '../service/options.js';
import { checkText } from '../service/request-parts.js';
import { openStorage } from '../storage/open-storage.js';
import { lostRuns } from './lost-users.js';
import { putBack, addUsers, putRun, type AttemptOptions } from './put-on-queue.js';
import {
  checkQueueName,
  queueOfArchive,
  readable,
  runJobId,
  runQueue,
  userJobId,
  userQueue,
  type RunJob,
} from './queues.js';
import { withRedis } from './redis.js';
import { warnOfHazards } from './redis-hazards.js';
import { checkRunName, decodeRunRecord, type RunRecord } from './run-record.js';

/** Settings that select the data and the archive are part of the run; `WorkerOptions` has those of a machine. */
type RunSetting =
  | 'baseUrl'
  | 'apiKeyHeader'
  | 'project'
  | 'out'
  | 'storage'
  | 'formats'
  | 'parquetCodec'
  | 'noDelta'
  | 'search'
  | 'full'
  | 'settleTimeMs'
  | 'storageBaseUrl'
  | 'rate';

export interface EnqueueOptions
  extends Pick<ExportToArchiveOptions, RunSetting | 'users'>, AttemptOptions {
  readonly redis: string;
  /** Prefix of every key in Redis. Default: `jobvault-` and the archive's id. */
  readonly queue?: string | undefined;
  /** Of these of the users the service must have listed a session, now or in an earlier run: else that is a gap. Default: none. */
  readonly expectedUsers?: readonly string[] | undefined;
  /** The run's name. A repeated call with the same name adds only new users. Default: a new ULID. */
  readonly run?: string | undefined;
  readonly logger?: Logger | undefined;
}

export interface Enqueued {
  readonly run: string;
  readonly archive: string;
  readonly queue: string;
  /** Users that were named. */
  readonly users: number;
  /** Users that were new to the run, or that the queue had lost. */
  readonly added: number;
}

/**
 * Makes the archive if there is none.
 *
 * @throws {UsageError} an option is invalid, or a run of this name is finished or has other settings
 * @throws {RedisError} Redis cannot be reached
 */
export async function enqueueRun(options: EnqueueOptions): Promise<Enqueued> {
  const { redis: url, logger = silentLogger } = options;
  const record = recordOf(options);
  if (options.queue !== undefined) checkQueueName(options.queue);
  const users = [...new Set(options.users)];
  if (users.length === 0) throw new UsageError('no user is given; at least one is needed');
  if (users.includes('')) throw new UsageError('a user id is empty');
  return withRedis({ url, logger, retries: 'brief' }, async (redis) => {
    await warnOfHazards(redis, url, logger);
    const storage = openStorage(record.out, options.storage, logger);
    try {
      const { baseUrl, project = null, formats } = options;
      const dependencies = { clock: systemClock, random: systemRandom };
      const wanted = { baseUrl, project, formats, tool: TOOL, ...dependencies };
      const archive = await makeOrOpenArchive(storage, wanted);
      const queue = options.queue ?? queueOfArchive(archive.identity.id);
      const added = await enqueueUsers(users, { redis, queue, archive, record, options, logger });
      return { run: record.name, archive: record.out, queue, users: users.length, added };
    } finally {
      await storage.close();
    }
  });
}

interface Enqueueing {
  readonly redis: Redis;
  readonly queue: string;
  readonly archive: Archive;
  readonly record: RunRecord;
  readonly options: AttemptOptions & Pick<EnqueueOptions, 'expectedUsers'>;
  readonly logger: Logger;
}

/** @returns how many users were put on the queue */
async function enqueueUsers(users: readonly string[], enqueueing: Enqueueing): Promise<number> {
  const { redis, queue, archive, record, options, logger } = enqueueing;
  const { name: run } = record;
  const { attempts, retryDelayMs } = options;
  const expected = new Set(options.expectedUsers);
  const putting = { redis, queue, record, expected, attempts, retryDelayMs };
  const known = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  if (known) {
    assertSame(record, known.data);
    const enqueued = await enqueuedUsers(known);
    const jobs = userQueue(redis, queue);
    const missing = users.filter((user) => !enqueued.has(jobs.toKey(userJobId(run, user))));
    if (missing.length === 0) return 0;
    if ((await known.getState()) !== 'waiting-children') {
      throw new UsageError(
        `the run ${run} is already finished and does not include ${missing.length} of these users; choose another --run`,
      );
    }
    await leave(missing, enqueueing);
    await addUsers({ ...putting, users: missing });
    return missing.length;
  }
  const lost = (await lostRuns(redis, queue, archive)).find((open) => open.run === run);
  if (lost) {
    assertSame(record, lost.settings);
    logger.warn(
      { run, queue, lost: lost.lost.length },
      'the queue has lost this run; it is put back',
    );
    return (await putBack(redis, lost, options)) + (await enqueueUsers(users, enqueueing));
  }
  await leave(users, enqueueing);
  await putRun({ ...putting, users });
  return users.length;
}

/** Before they are on the queue: whom the queue loses must be known from the archive. */
async function leave(
  users: readonly string[],
  { archive, queue, record, options }: Enqueueing,
): Promise<void> {
  const since = (await archive.log.head())?.number ?? 0;
  const named = new Set(options.expectedUsers);
  for (const expected of [true, false]) {
    const some = users.filter((user) => named.has(user) === expected);
    if (some.length === 0) continue;
    await leaveUsers(archive.storage, ulid(systemClock, systemRandom), {
      run: record.name,
      queue,
      expected,
      enqueued_at: new Date(systemClock.now()).toISOString(),
      since,
      settings: record,
      users: some,
    });
  }
}

/** @returns the keys of the run's user jobs */
async function enqueuedUsers(run: RunJob): Promise<Set<string>> {
  const { processed = {}, unprocessed = [], ignored = {} } = await run.getDependencies();
  return new Set([...Object.keys(processed), ...unprocessed, ...Object.keys(ignored)]);
}

function recordOf(options: EnqueueOptions): RunRecord {
  checkBaseUrl(options.baseUrl);
  if (options.search !== undefined) checkText('search', options.search, LIMITS.searchLength);
  const name = checkRunName(options.run ?? ulid(systemClock, systemRandom));
  const record = {
    name,
    enqueued_at: new Date(systemClock.now()).toISOString(),
    base_url: options.baseUrl,
    api_key_header: options.apiKeyHeader ?? SERVICE_DEFAULTS.apiKeyHeader,
    project: options.project ?? null,
    out: /^[a-z][a-z0-9+.-]+:\/\//i.test(options.out) ? options.out : resolve(options.out),
    storage: options.storage ?? {},
    formats: options.formats ? [...options.formats] : null,
    parquet_codec: options.parquetCodec ?? 'zstd',
    no_delta: options.noDelta ?? false,
    search: options.search ?? null,
    full: options.full ?? false,
    settle_time_ms: options.settleTimeMs ?? EXPORT_DEFAULTS.settleTimeMs,
    storage_base_url: options.storageBaseUrl ?? null,
    rate: options.rate ?? EXPORT_DEFAULTS.rate,
  };
  // as Redis returns it: without undefined members
  return decodeRunRecord(name, parseJson(JSON.stringify(record)));
}

/** @throws {UsageError} */
function assertSame(record: RunRecord, data: unknown): void {
  const known = decodeRunRecord(record.name, data);
  const different = (Object.keys(record) as (keyof RunRecord)[]).find(
    (key) => key !== 'enqueued_at' && JSON.stringify(record[key]) !== JSON.stringify(known[key]),
  );
  if (different === undefined) return;
  throw new UsageError(
    `the queue already has a run ${record.name} with another ${different.replaceAll('_', '-')}; choose another --run`,
  );
}
