/** Reads this process's shard from the environment variables of Kubernetes, AWS Batch and Slurm. */
import { shard, type Shard } from '../model/ids.js';
import { UsageError } from '../base/error.js';
import type { Redis } from 'ioredis';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../base/runtime.js';
import { parseJson } from '../base/text/parse-json.js';
import { runName } from './queue-records.js';

/** A worker's entry in Redis: renewed while it runs, expires soon after it dies. */

const count = z.int().nonnegative();
const workerNoteSchema = z.strictObject({
  worker: z.uuid(),
  host: z.string().max(255),
  pid: count,
  /** ISO 8601. */
  since: z.iso.datetime(),
  state: z.enum(['waiting', 'exporting', 'finishing', 'draining']),
  /** The run that it works on. */
  run: runName.nullable(),
  /** Users that it has claimed. */
  claimed: count,
  /** Users that it has settled. */
  done: count,
});
export type WorkerNote = Readonly<z.infer<typeof workerNoteSchema>>;

export type WorkerActivity = Pick<WorkerNote, 'state' | 'run' | 'claimed' | 'done'>;

const RENEWAL_MS = 2500;
const LIFE_MS = 9000;

/** Renews the entry until the signal is aborted, then removes it. Never fails. */
export async function keepNote(
  { redis, queue, worker, clock }: { redis: Redis; queue: string; worker: string; clock: Clock },
  activity: () => WorkerActivity,
  signal: AbortSignal,
): Promise<void> {
  const key = `${notePrefix(queue)}${worker}`;
  const since = new Date(clock.now()).toISOString();
  const identity = { worker, host: hostname(), pid: process.pid, since };
  try {
    for (;;) {
      const note: WorkerNote = { ...identity, ...activity() };
      // not awaited: an outage of Redis must not block the loop
      redis.set(key, JSON.stringify(note), 'PX', LIFE_MS).catch(() => undefined);
      await clock.sleep(RENEWAL_MS, signal);
    }
  } catch {
    redis.del(key).catch(() => undefined);
  }
}

/** Ignores invalid entries: other programs may write to Redis. */
export async function readNotes(redis: Redis, queue: string): Promise<WorkerNote[]> {
  const notes: WorkerNote[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(
      cursor,
      'MATCH',
      `${escaped(notePrefix(queue))}*`,
      'COUNT',
      1000,
    );
    cursor = next;
    const texts = keys.length === 0 ? [] : await redis.mget(keys);
    notes.push(...texts.flatMap((text) => decoded(text) ?? []));
  } while (cursor !== '0');
  return notes.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function decoded(text: string | null): WorkerNote | undefined {
  try {
    return workerNoteSchema.safeParse(parseJson(text ?? 'null')).data;
  } catch {
    return undefined;
  }
}

function notePrefix(queue: string): string {
  return `${queue}:worker:`;
}

/** A glob pattern that matches only this text. */
function escaped(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}

type Environment = Readonly<Record<string, string | undefined>>;

interface BatchSystem {
  readonly name: string;
  /** Variables: the number of this process, and the number of processes. */
  readonly index: string;
  readonly count: string;
  /** Variables: the numbers of the first and last process, and the step between two. */
  readonly first?: string;
  readonly last?: string;
  readonly step?: string;
}

/** Sources: documentation of Kubernetes Indexed Jobs, of AWS Batch array jobs, and sbatch(1). */
const SYSTEMS: readonly BatchSystem[] = [
  { name: 'Kubernetes', index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS' },
  { name: 'AWS Batch', index: 'AWS_BATCH_JOB_ARRAY_INDEX', count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  {
    name: 'Slurm',
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    first: 'SLURM_ARRAY_TASK_MIN',
    last: 'SLURM_ARRAY_TASK_MAX',
    step: 'SLURM_ARRAY_TASK_STEP',
  },
];

/**
 * The shard, or undefined if no batch system has started this process as one of many.
 *
 * @throws {UsageError} the variables are incomplete or contradict one another: a guess could omit users or
 *   export them several times
 */
export function shardOfEnvironment(environment: Environment): Shard | undefined {
  const found = SYSTEMS.flatMap((system) => {
    const value = shardOfSystem(system, environment);
    return value ? [{ system, value }] : [];
  });
  const [one, ...others] = found;
  const other = others.find(
    ({ value }) => value.index !== one?.value.index || value.count !== one.value.count,
  );
  if (one && other) {
    throw new UsageError(
      `${one.system.name} and ${other.system.name} name different shards in the environment; give --shard`,
    );
  }
  return one?.value;
}

function shardOfSystem(system: BatchSystem, environment: Environment): Shard | undefined {
  const [index, count] = [environment[system.index] ?? '', environment[system.count] ?? ''];
  if (index === '' && count === '') return undefined;
  const missing = index === '' ? system.index : count === '' ? system.count : undefined;
  if (missing !== undefined) {
    const present = missing === system.index ? system.count : system.index;
    throw new UsageError(
      `${present} is set, but ${missing} is not; set both for ${system.name}, or give --shard (1/1 for all users)`,
    );
  }
  const first = numberIn(environment, system.first) ?? 0;
  const step = numberIn(environment, system.step) ?? 1;
  const last = numberIn(environment, system.last);
  const value = shard((wholeNumber(index) - first) / step, wholeNumber(count));
  const isEven = last === undefined || (last - first) / step + 1 === value?.count;
  if (value && Number.isInteger(value.index) && isEven) return value;
  throw new UsageError(
    `${system.index} is ${JSON.stringify(index)} of ${system.count} ${JSON.stringify(count)}; ` +
      `the tasks must be evenly spaced; otherwise give --shard`,
  );
}

function numberIn(environment: Environment, name: string | undefined): number | undefined {
  const text = name === undefined ? undefined : environment[name];
  return text ? wholeNumber(text) : undefined;
}

/** NaN for anything else, which `shard` rejects. */
function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
