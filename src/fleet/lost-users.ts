/**
 * Finds the users of a run that its queue has lost, and puts them back. The archive's files below `_runs/` say who was put on the queue,
 * and the log who is done; the rest must be on the queue.
 */
import type { Redis } from 'ioredis';
import { ownIdOf } from '../archive/identity.js';
import { hasOpenRuns, openRuns, type OpenRun } from '../archive/runs/queued-runs.js';
import type { Archive } from '../archive/archive.js';
import { UsageError } from '../base/error.js';
import { jsonIn } from '../base/text/parse-json.js';
import { type RunRecord, type AttemptOptions } from './queue-records.js';
import { decodeBatchResult } from './batch-tally.js';
import { addUsers, putRun } from './put-on-queue.js';
import {
  chunks,
  decodeBatch,
  readable,
  runJobId,
  runQueue,
  userQueue,
  type UserBatch,
  type RunJob,
} from './queues.js';

interface LostRun extends OpenRun {
  /** Users that are neither done nor on the queue; may be empty if only the run's own job is lost. */
  readonly lost: readonly string[];
  /** Ids of the run's batches that a worker will be offered, or is working on. */
  readonly offered: readonly string[];
  /** Ids of batches that the run waits for, and that no worker will be offered. */
  readonly stale: readonly string[];
  /** As it was on the queue. */
  readonly record: RunRecord;
}

/**
 * The runs of an archive that have lost users.
 *
 * The order matters: whoever leaves the queue after its lists were read is in the log by then, or has a result that
 * the run's job keeps.
 *
 * @param queue the queue that is looked at; runs of other queues are left out
 * @throws {IntegrityError} the log, or a file below `_runs/`, is damaged
 */
export async function lostRuns(redis: Redis, queue: string, archive: Archive): Promise<LostRun[]> {
  if (!(await hasOpenRuns(archive.storage))) return [];
  const offered = await offeredBatches(redis, queue);
  const runs: LostRun[] = [];
  for (const run of await openRuns(archive)) {
    if (run.queue !== queue) continue;
    const job = await readable(runQueue(redis, queue).getJob(runJobId(run.run)));
    const known = offered.get(run.run) ?? { ids: new Set(), users: new Set() };
    const lost = usersLost(run, known.users, job && (await settledUsers(redis, queue, job)));
    if (job && lost.length === 0) continue;
    const record: RunRecord = {
      name: run.run,
      enqueued_at: run.enqueuedAt,
      archive: ownIdOf(archive.identity),
      location: archive.storage.location,
      since: run.since,
      users: run.users.size,
      round: run.expected.size < run.users.size,
      doubtful_list: run.isListDoubtful,
    };
    const stale = job ? await staleBatches(redis, queue, job, known.ids) : [];
    runs.push({ ...run, record, lost, offered: [...known.ids], stale });
  }
  return runs;
}

/**
 * Users of the run that no worker will be offered any more, of those who are left.
 *
 * @param offered users that a worker will be offered, or is working on
 * @param settled users of whom the run's job says that they ended with gaps; undefined if there is no such job: then
 * workers refuse every user of the run
 */
export function usersLost(
  { remaining, doubted }: OpenRun,
  offered: ReadonlySet<string>,
  settled: ReadonlySet<string> | undefined,
): string[] {
  if (!settled) return [...remaining];
  const found = new Set(doubted);
  return remaining.filter((user) => !offered.has(user) && !settled.has(user) && !found.has(user));
}

interface Offered {
  readonly ids: Set<string>;
  readonly users: Set<string>;
}

/** By run. Without batches whose record is lost, or is none. */
async function offeredBatches(redis: Redis, queue: string): Promise<Map<string, Offered>> {
  const users = userQueue(redis, queue);
  const ids = new Set<string>();
  // twice: batches move between the lists meanwhile
  for (let round = 0; round < 2; round++) {
    for (const id of await redis.zrange(users.toKey('delayed'), '0', '-1')) ids.add(id);
    for (const list of ['wait', 'paused', 'active']) {
      for (const id of await redis.lrange(users.toKey(list), 0, -1)) ids.add(id);
    }
  }
  const runs = new Map<string, Offered>();
  for await (const [id, batch] of readBatches(redis, queue, [...ids])) {
    const offered = runs.get(batch.run) ?? { ids: new Set(), users: new Set() };
    runs.set(batch.run, offered);
    offered.ids.add(id);
    for (const user of batch.users) offered.users.add(user);
  }
  return runs;
}

const READ_AT_ONCE = 50;

/** Leaves out those whose record is lost, or is none. @param ids of their jobs */
export async function* readBatches(
  redis: Redis,
  queue: string,
  ids: readonly string[],
): AsyncGenerator<[id: string, batch: UserBatch]> {
  const users = userQueue(redis, queue);
  for (const some of chunks(ids, READ_AT_ONCE)) {
    const reading = redis.pipeline();
    for (const id of some) reading.hget(users.toKey(id), 'data');
    const answers = (await reading.exec()) ?? [];
    for (const [index, id] of some.entries()) {
      const [error, data] = answers[index] ?? [];
      if (error) throw error;
      const batch = typeof data === 'string' ? decodeBatch(jsonIn(data)) : undefined;
      if (batch && 'users' in batch) yield [id, batch];
    }
  }
}

/** Users who ended with gaps, were left to a later run, or were given up. */
export async function settledUsers(redis: Redis, queue: string, run: RunJob): Promise<Set<string>> {
  const { processed = {}, ignored = {} } = await run.getDependencies();
  const settled = new Set<string>();
  for (const value of Object.values(processed)) {
    const { failed = [], incomplete = [], left = [] } = decodeBatchResult(value) ?? {};
    for (const user of [...failed, ...incomplete, ...left]) settled.add(user);
  }
  for await (const [, { users }] of readBatches(redis, queue, idsOf(Object.keys(ignored)))) {
    for (const user of users) settled.add(user);
  }
  return settled;
}

async function staleBatches(
  redis: Redis,
  queue: string,
  run: RunJob,
  offered: ReadonlySet<string>,
): Promise<string[]> {
  const key = runQueue(redis, queue).toKey(`${run.id ?? ''}:dependencies`);
  return idsOf(await redis.smembers(key)).filter((id) => !offered.has(id));
}

/** The job ids in keys of the queue. */
export function idsOf(keys: readonly string[]): string[] {
  return keys.map((key) => key.slice(key.lastIndexOf(':') + 1));
}

/**
 * @returns how many users were put back
 * @throws {UsageError} the run is just being finished
 */
export async function putBack(
  redis: Redis,
  { run, queue, record, remaining, lost, expected, offered, stale }: LostRun,
  { attempts, retryDelayMs }: AttemptOptions,
): Promise<number> {
  const putting = { redis, queue, record, expected, attempts, retryDelayMs };
  const job = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  const state = await job?.getState();
  if (state === 'waiting-children') {
    await addUsers({ ...putting, users: lost });
    await forget(redis, queue, run, stale);
    return lost.length;
  }
  if (job && !['failed', 'completed', 'unknown'].includes(state ?? '')) {
    throw new UsageError(`the run ${run} is just being finished; run the same command again`);
  }
  // nobody would wait for what is still on the queue: all of it is put there again
  await job?.remove({ removeChildren: false });
  await forget(redis, queue, run, [...offered, ...stale]);
  await putRun({ ...putting, users: remaining });
  return lost.length;
}

const FORGOTTEN_AT_ONCE = 100;

/** Removes batches: the run would wait for those that no worker will be offered. @param ids of their jobs */
async function forget(
  redis: Redis,
  queue: string,
  run: string,
  ids: readonly string[],
): Promise<void> {
  const users = userQueue(redis, queue);
  const dependencies = runQueue(redis, queue).toKey(`${runJobId(run)}:dependencies`);
  for (const some of chunks(ids, FORGOTTEN_AT_ONCE)) {
    const removal = redis.pipeline();
    for (const id of some) {
      for (const list of ['wait', 'paused', 'active']) removal.lrem(users.toKey(list), 0, id);
      for (const set of ['delayed', 'failed', 'completed']) removal.zrem(users.toKey(set), id);
      removal.del(users.toKey(id));
      removal.srem(dependencies, users.toKey(id));
    }
    for (const [error] of (await removal.exec()) ?? []) if (error) throw error;
  }
}
