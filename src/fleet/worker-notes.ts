/** A worker's entry in Redis: renewed while it runs, expires soon after it dies. */
import type { Redis } from 'ioredis';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { Runtime } from '../base/runtime.js';
import { parseJson } from '../base/text/parse-json.js';
import { runName } from './queue-records.js';

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

/** Renewals of an entry in its life: two may fail. */
const RENEWALS = 3;

interface NoteOptions extends Pick<Runtime, 'clock' | 'terms'> {
  readonly redis: Redis;
  readonly queue: string;
  readonly worker: string;
}

/** Renews the entry until the signal is aborted, then removes it. Never fails. */
export async function keepNote(
  { redis, queue, worker, clock, terms }: NoteOptions,
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
      redis.set(key, JSON.stringify(note), 'PX', terms.workerNoteMs).catch(() => undefined);
      await clock.sleep(terms.workerNoteMs / RENEWALS, signal);
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
