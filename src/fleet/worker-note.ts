/** What a worker tells of itself in Redis: renewed while it lives, gone soon after it died. */
import type { Redis } from 'ioredis';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.js';
import { parseJson } from '../base/parse-json.js';

export interface WorkerNote {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  readonly state: 'waiting' | 'exporting' | 'finishing' | 'draining';
  /** The run that it is at work on. */
  readonly run: string | null;
  /** Users that it holds. */
  readonly in_hand: number;
  /** Users that it has brought to an end. */
  readonly done: number;
}

export type WorkerActivity = Pick<WorkerNote, 'state' | 'run' | 'in_hand' | 'done'>;

const RENEWAL_MS = 2500;
const LIFE_MS = 9000;

/** Tells it until the signal is aborted, and takes it back. Never fails. */
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
      // not waited for: while Redis is away there is nobody to tell
      redis.set(key, JSON.stringify(note), 'PX', LIFE_MS).catch(() => undefined);
      await clock.sleep(RENEWAL_MS, signal);
    }
  } catch {
    redis.del(key).catch(() => undefined);
  }
}

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
    notes.push(...texts.flatMap((text) => (text === null ? [] : [parseJson(text) as WorkerNote])));
  } while (cursor !== '0');
  return notes.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function notePrefix(queue: string): string {
  return `${queue}:worker:`;
}

/** A pattern that means just this text. */
function escaped(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
