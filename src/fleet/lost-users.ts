/**
 * Finds the users of a run that its queue has lost. The archive's files below `_runs/` say who was put on the queue,
 * and the log who is done; the rest must be on the queue.
 */
import type { Redis } from 'ioredis';
import { openRuns, type OpenRun } from '../archive/runs/queued-runs.js';
import type { Archive } from '../archive/archive.js';
import { readable, runJobId, runQueue, userJobId, userQueue, type RunJob } from './queues.js';

export interface LostRun extends OpenRun {
  /** Users that are neither done nor on the queue; may be empty if only the run's own job is lost. */
  readonly lost: readonly string[];
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
export async function lostRuns(
  redis: Redis,
  queue: string,
  archive: Pick<Archive, 'storage' | 'log'>,
): Promise<LostRun[]> {
  const offered = await offeredUsers(redis, queue);
  const runs: LostRun[] = [];
  for (const run of await openRuns(archive)) {
    if (run.queue !== queue) continue;
    const job = await readable(runQueue(redis, queue).getJob(runJobId(run.run)));
    const settled = job ? await settledUsers(redis, queue, job) : undefined;
    const lost = usersLost(run, offered, settled);
    if (!job || lost.length > 0) runs.push({ ...run, lost });
  }
  return runs;
}

/**
 * Users of the run that no worker will be offered any more, of those who are left.
 *
 * @param offered job ids of users that a worker will be offered, or is working on
 * @param settled job ids of users whose result the run's job keeps; undefined if there is no such job: then workers
 * refuse every user of the run
 */
export function usersLost(
  { run, left }: Pick<OpenRun, 'run' | 'left'>,
  offered: ReadonlySet<string>,
  settled: ReadonlySet<string> | undefined,
): string[] {
  if (!settled) return [...left];
  return left.filter((user) => {
    const id = userJobId(run, user);
    return !offered.has(id) && !settled.has(id);
  });
}

/** @returns job ids, without those whose record is lost */
async function offeredUsers(redis: Redis, queue: string): Promise<Set<string>> {
  const users = userQueue(redis, queue);
  const offered = new Set<string>();
  // twice: users move between the lists meanwhile
  for (let round = 0; round < 2; round++) {
    for (const id of await redis.zrange(users.toKey('delayed'), '0', '-1')) offered.add(id);
    for (const list of ['wait', 'paused', 'active']) {
      for (const id of await redis.lrange(users.toKey(list), 0, -1)) offered.add(id);
    }
  }
  const all = [...offered];
  for (let from = 0; from < all.length; from += CHECKED_AT_ONCE) {
    const some = all.slice(from, from + CHECKED_AT_ONCE);
    const checks = redis.pipeline();
    for (const id of some) checks.exists(users.toKey(id));
    const answers = (await checks.exec()) ?? [];
    some.forEach((id, n) => {
      const [error, isThere] = answers[n] ?? [];
      if (error) throw error;
      if (isThere === 0) offered.delete(id);
    });
  }
  return offered;
}

const CHECKED_AT_ONCE = 1000;

/** @returns job ids of the users whose result the run has, or who were given up */
async function settledUsers(redis: Redis, queue: string, run: RunJob): Promise<Set<string>> {
  const prefix = userQueue(redis, queue).toKey('');
  const { processed = {}, ignored = {} } = await run.getDependencies();
  return new Set(
    [...Object.keys(processed), ...Object.keys(ignored)].map((key) =>
      key.startsWith(prefix) ? key.slice(prefix.length) : key,
    ),
  );
}
