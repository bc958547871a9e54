/** Starts a run: leaves its users in the archive, and puts them on the queue. */
import type { Redis } from 'ioredis';
import type { Archive } from '../archive/archive.js';
import { ownIdOf } from '../archive/identity.js';
import { makeOrOpenArchive, openArchiveIn } from '../archive/open-archive.js';
import { entriesOfRun, leaveUsers, openRuns } from '../archive/runs/queued-runs.js';
import { type RuntimeOptions, systemClock, systemRandom } from '../base/runtime.js';
import { silentLogger } from '../base/logger.js';
import { ulid } from '../base/ulid.js';
import { TextSet } from '../base/text/text-set.js';
import { UsageError } from '../base/error.js';
import {
  usersOfLate,
  whyListIsDoubtful,
  type UsersListRule,
} from '../archive/reading/users/users-list.js';
import type { ExportToArchiveOptions } from '../export/export-request.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { checkNotEmpty } from '../service/check-request.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { lostRuns, putBack, settledUsers } from './lost-users.js';
import { addUsers, putRun } from './put-on-queue.js';
import { placeOfLap } from './queue-lap.js';
import {
  checkQueueName,
  queueOfArchive,
  readable,
  runJobId,
  runOfJob,
  runQueue,
  type RunJob,
} from './queues.js';
import { withRedis, warnOfHazards } from './redis.js';
import {
  checkRunName,
  decodeRunRecord,
  OtherArchiveError,
  type RunRecord,
  type AttemptOptions,
} from './queue-records.js';

/** Service, project and formats are those of a new archive; those of an archive that is there must be the same. */
type ExportOption =
  | 'baseUrl'
  | 'project'
  | 'formats'
  | 'out'
  | 'storage'
  | 'users'
  | 'expectedUsers'
  | 'logger'
  | 'terms';

export interface EnqueueOptions extends AttemptOptions, Pick<ExportToArchiveOptions, ExportOption> {
  readonly redis: string;
  /** Prefix of every key in Redis. Default: `jobvault-` and the archive's id. */
  readonly queue?: string | undefined;
  /** The run's name. A repeated call with the same name adds only new users. Default: a new ULID. */
  readonly run?: string | undefined;
  /** The users are a list of everybody, which may be wrong: compared with the full runs of late. Default: they are not. */
  readonly list?: Pick<UsersListRule, 'minUsers'> | undefined;
}

export interface Enqueued {
  readonly run: string;
  readonly archive: string;
  readonly queue: string;
  /** Users that were named. */
  readonly users: number;
  /** Users that were new to the run, or that the queue had lost. */
  readonly added: number;
  /** Why the list of users cannot be right, although it is on the queue. */
  readonly doubtful_list?: string;
}

/**
 * Makes the archive if there is none.
 *
 * @throws {UsageError} an option is invalid, or a run of this name is finished or has other settings
 * @throws {RedisError} Redis cannot be reached
 */
export async function enqueueRun(options: EnqueueOptions): Promise<Enqueued> {
  return enqueueManyUsers({ ...options, users: TextSet.of(options.users) });
}

/** As `EnqueueOptions`, for millions of users. */
type ManyUsers = Omit<EnqueueOptions, 'users'> & {
  readonly users: TextSet;
  /** About how many batches the users are put in, each the work of one worker. Default 256. */
  readonly batches?: number;
};

export async function enqueueManyUsers(options: ManyUsers): Promise<Enqueued> {
  const { redis: url, out, logger = silentLogger, terms } = options;
  checkBaseUrl(options.baseUrl);
  const run = checkRunName(options.run ?? ulid(systemClock, systemRandom));
  if (options.queue !== undefined) checkQueueName(options.queue);
  const { users } = options;
  if (users.size === 0) throw new UsageError('no user is given; at least one is needed');
  for (const user of users) checkNotEmpty('a user id', user);
  return withRedis({ url, logger, terms, retries: 'brief' }, async (redis) => {
    await warnOfHazards(redis, url, logger);
    const storage = await openStorage(out, options.storage, logger);
    try {
      const { baseUrl, project = null, formats } = options;
      const archive = await makeOrOpenArchive(storage, { baseUrl, project, formats, logger });
      const queue = options.queue ?? queueOfArchive(ownIdOf(archive.identity));
      const doubt = await doubtOf(options, archive);
      const isDoubtful = doubt !== undefined;
      const added = await enqueueUsers(users, { redis, queue, archive, run, isDoubtful, options });
      return {
        ...{ run, archive: out, queue, users: users.size, added },
        ...(isDoubtful && { doubtful_list: doubt }),
      };
    } finally {
      await storage.close();
    }
  });
}

/** Why the list cannot be right. */
async function doubtOf({ users, list }: ManyUsers, archive: Archive): Promise<string | undefined> {
  if (!list) return undefined;
  const { index, clock } = archive;
  await index.refresh();
  const ofLate = usersOfLate(index, clock.now());
  return whyListIsDoubtful({ users, ofLate, minUsers: list.minUsers });
}

interface Enqueueing {
  readonly redis: Redis;
  readonly queue: string;
  readonly archive: Archive;
  /** The run's name. */
  readonly run: string;
  /** Whether the list of users cannot be right. */
  readonly isDoubtful: boolean;
  readonly options: AttemptOptions & Pick<ManyUsers, 'expectedUsers' | 'batches'>;
}

/** @returns how many users were put on the queue */
async function enqueueUsers(users: TextSet, enqueueing: Enqueueing): Promise<number> {
  const { redis, queue, archive, run, isDoubtful, options } = enqueueing;
  const lost = (await lostRuns(redis, queue, archive)).find((open) => open.run === run);
  if (lost) {
    archive.logger.warn(
      { run, queue, lost: lost.lost.length },
      'the queue has lost users of this run; they are put back',
    );
    return (await putBack(redis, lost, options)) + (await enqueueUsers(users, enqueueing));
  }
  const job = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  const known = job && decodeRunRecord(run, job.data);
  if (known && known.archive !== ownIdOf(archive.identity)) {
    throw new OtherArchiveError(known, archive.storage.location);
  }
  const enqueued = job && (await usersOfRun(job, enqueueing));
  const added = enqueued ? TextSet.of(only(users, (user) => !enqueued.has(user))) : users;
  if (added.size === 0) return 0;
  if (job && (await job.getState()) !== 'waiting-children') {
    throw new UsageError(
      `the run ${run} is already finished and does not include ${added.size} of these users; choose another --run`,
    );
  }
  const expected = new Set(options.expectedUsers);
  const now = new Date(systemClock.now()).toISOString();
  const since = (await archive.log.head())?.number ?? 0;
  const record: RunRecord = {
    name: run,
    enqueued_at: known?.enqueued_at ?? now,
    archive: ownIdOf(archive.identity),
    location: archive.storage.location,
    since: known?.since ?? since,
    users: added.size + (known?.users ?? 0),
    round: known?.round === true || expected.size < users.size,
    doubtful_list: isDoubtful,
  };
  // before they are on the queue: whom the queue loses must be known from the archive
  const count = Array.from(expected).filter((user) => added.has(user)).length;
  for (const isExpected of [true, false]) {
    if (count === (isExpected ? 0 : added.size)) continue;
    const some = only(added, (user) => expected.has(user) === isExpected);
    const times = { enqueued_at: now, since };
    const head = { run, queue, expected: isExpected, doubtful_list: isDoubtful, ...times };
    const id = ulid(systemClock, systemRandom);
    await leaveUsers(archive.storage, id, { ...head, users: some });
  }
  const { attempts, retryDelayMs, batches } = options;
  const from = await placeOfLap(archive.storage);
  const attempting = { attempts, retryDelayMs };
  const putting = { redis, queue, record, expected, users: added, from, batches, ...attempting };
  await (job ? addUsers(putting) : putRun(putting));
  return added.size;
}

function* only(users: Iterable<string>, isWanted: (user: string) => boolean): Generator<string> {
  for (const user of users) if (isWanted(user)) yield user;
}

/** Users that are on the queue for the run, or that a finished run has dealt with. */
async function usersOfRun(
  job: RunJob,
  { redis, queue, archive }: Enqueueing,
): Promise<ReadonlySet<string>> {
  const { name, since } = decodeRunRecord(runOfJob(job), job.data);
  const open = (await openRuns(archive)).find((run) => run.run === name);
  if (open) return open.users;
  const entries = await entriesOfRun(archive, { run: name, since });
  return new Set([...entries.keys(), ...(await settledUsers(redis, queue, job))]);
}

/** Puts back on the queue what it has lost of a run: the users that the log does not have as complete. */
interface ResumeOptions extends AttemptOptions, Pick<RuntimeOptions, 'logger' | 'terms'> {
  readonly redis: string;
  /** The archive of the run. */
  readonly out: string;
  readonly storage?: StorageOptions | undefined;
  /** The run's name. */
  readonly run: string;
  /** Default: the queue that the run was put on. */
  readonly queue?: string | undefined;
}

const WAS_DOUBTFUL =
  'the list of users of this run could not be right when it was put on the queue: its users are read, and nobody knows of whom it has lost';

/**
 * @returns `users`: how many users the log does not have as complete; `added`: how many were put back
 * @throws {UsageError} the archive has no such run that has not ended, or it is just being finished
 * @throws {RedisError} Redis cannot be reached
 */
export async function resumeRun(options: ResumeOptions): Promise<Enqueued> {
  const { redis: url, out, run, logger = silentLogger, terms } = options;
  return withRedis({ url, logger, terms, retries: 'brief' }, async (redis) => {
    await warnOfHazards(redis, url, logger);
    const storage = await openStorage(out, options.storage, logger);
    try {
      const archive = await openArchiveIn(storage, { logger });
      const open = (await openRuns(archive)).find((known) => known.run === run);
      if (!open) {
        throw new UsageError(
          `${storage.location} has no run "${run}" that has not ended; jobvault status ${storage.location} lists those`,
        );
      }
      const { queue } = open;
      if (options.queue !== undefined && options.queue !== queue) {
        throw new UsageError(`the run ${run} was put on the queue ${queue}; leave --queue out`);
      }
      const answer = {
        ...{ run, archive: out, queue, users: open.remaining.length },
        ...(open.isListDoubtful && { doubtful_list: WAS_DOUBTFUL }),
      };
      const lost = (await lostRuns(redis, queue, archive)).find((known) => known.run === run);
      return { ...answer, added: lost ? await putBack(redis, lost, options) : 0 };
    } finally {
      await storage.close();
    }
  });
}
