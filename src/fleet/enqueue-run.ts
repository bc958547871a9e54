/** Puts a run into the queue: one job per user, and one that finishes the run when all users are done. */
import { FlowProducer } from './bullmq.js';
import { resolve } from 'node:path';
import { systemClock } from '../base/system-clock.js';
import { systemRandom } from '../base/random.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { ulid } from '../base/ulid.js';
import { shownAddress } from '../base/text/address.js';
import { UsageError } from '../base/usage-error.js';
import { parseJson } from '../base/text/parse-json.js';
import { EXPORT_DEFAULTS, type ExportToArchiveOptions } from '../export/export-request.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { LIMITS } from '../model/records.js';
import { SERVICE_DEFAULTS } from '../service/options.js';
import { checkText } from '../service/request-checks.js';
import {
  checkQueueName,
  DEFAULT_QUEUE,
  readable,
  runJobId,
  runQueue,
  RUNS_QUEUE,
  userJobId,
  userQueue,
  USERS_QUEUE,
  withErrorListener,
  type RunJob,
  type UserJobData,
} from './queues.js';
import { withRedis } from './redis.js';
import { readHazards } from './redis-hazards.js';
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
  | 'search'
  | 'full'
  | 'settleTimeMs'
  | 'storageBaseUrl'
  | 'rate';

export interface EnqueueOptions extends Pick<ExportToArchiveOptions, RunSetting | 'users'> {
  readonly redis: string;
  /** Prefix of every key in Redis. Default `jobvault`. */
  readonly queue?: string | undefined;
  /** The run's name. A repeated call with the same name adds only new users. Default: a new ULID. */
  readonly run?: string | undefined;
  /** Attempts per user, including the first. Default 5. */
  readonly attempts?: number | undefined;
  /** Delay before the second attempt; doubles with each further one. Default 30 s. */
  readonly retryDelayMs?: number | undefined;
  readonly logger?: Logger | undefined;
}

export interface Enqueued {
  readonly run: string;
  readonly archive: string;
  /** Users that were named. */
  readonly users: number;
  /** Users that were new to the run. */
  readonly added: number;
}

const ENQUEUE_DEFAULTS = { attempts: 5, retryDelayMs: 30_000 } as const;

/** Finished runs that Redis keeps. */
const KEPT_RUNS = { age: 90 * 86_400, count: 200 } as const;
/** Writing the summary fails only if the archive or Redis fail; either may be unreachable for a while. */
const FINISHING = { attempts: 20, backoff: { type: 'exponential', delay: 5000, jitter: 0.5 } };

/**
 * @throws {UsageError} an option is invalid, or a run of this name is finished or has other settings
 * @throws {RedisError} Redis cannot be reached
 */
export async function enqueueRun(options: EnqueueOptions): Promise<Enqueued> {
  const { redis: url, logger = silentLogger } = options;
  const record = recordOf(options);
  const prefix = checkQueueName(options.queue ?? DEFAULT_QUEUE);
  const users = [...new Set(options.users)];
  if (users.length === 0) throw new UsageError('no user is given; at least one is needed');
  if (users.includes('')) throw new UsageError('a user id is empty');
  return withRedis({ url, logger, retries: 'brief' }, async (redis) => {
    for (const { hazard, fix } of await readHazards(redis)) {
      logger.warn({ redis: shownAddress(url), fix }, `Redis may lose the queue: ${hazard}`);
    }
    const runs = runQueue(redis, prefix);
    const waiting = userQueue(redis, prefix);
    const jobs = jobsOf(options, record.name);
    const known = await readable(runs.getJob(runJobId(record.name)));
    if (known) {
      assertSame(record, known.data);
      const enqueued = await enqueuedUsers(known);
      const missing = users.filter(
        (user) => !enqueued.has(waiting.toKey(userJobId(record.name, user))),
      );
      if (missing.length > 0 && (await known.getState()) !== 'waiting-children') {
        throw new UsageError(
          `the run ${record.name} is already finished and does not include ${missing.length} of these users; choose another --run`,
        );
      }
      const parent = { id: runJobId(record.name), queue: runs.qualifiedName };
      await waiting.addBulk(
        missing.map((user) => {
          const { name, data, opts } = jobs(user);
          return { name, data, opts: { ...opts, parent } };
        }),
      );
      return { ...summaryOf(record, users), added: missing.length };
    }
    const flow = withErrorListener(new FlowProducer({ connection: redis, prefix }));
    await flow.add({
      name: 'run',
      queueName: RUNS_QUEUE,
      data: record,
      opts: { jobId: runJobId(record.name), removeOnComplete: KEPT_RUNS, ...FINISHING },
      children: users.map((user) => ({ ...jobs(user), queueName: USERS_QUEUE })),
    });
    return { ...summaryOf(record, users), added: users.length };
  });
}

function summaryOf({ name, out }: RunRecord, users: readonly string[]) {
  return { run: name, archive: out, users: users.length };
}

function jobsOf({ attempts, retryDelayMs }: EnqueueOptions, run: string) {
  const opts = {
    attempts: attempts ?? ENQUEUE_DEFAULTS.attempts,
    backoff: {
      type: 'exponential',
      jitter: 0.5,
      delay: retryDelayMs ?? ENQUEUE_DEFAULTS.retryDelayMs,
    },
    removeOnComplete: true, // the run's job keeps the result
    removeOnFail: { age: KEPT_RUNS.age },
    ignoreDependencyOnFailure: true,
  };
  return (user: string) => ({
    name: 'user',
    data: { run, user } satisfies UserJobData,
    opts: { ...opts, jobId: userJobId(run, user) },
  });
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
