/**
 * Data of batches on their way to the queue. A transaction with a million users would be in memory several times; here they
 * go to Redis some at a time, and the transaction that adds a run moves them to its batches.
 */
import type { Redis } from 'ioredis';
import {
  FlowProducer,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
  type FlowJob,
} from './bullmq.js';
import { USERS_QUEUE, withErrorListener } from './queues.js';

const STAGED_BYTES = 512 * 1024;
/** What a run that was never put on the queue has left in Redis is gone after an hour. */
const STAGED_MS = 3_600_000;
/** All of them are there, or none is moved. */
const MOVE = `
for at = 1, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[at]) == 0 then
    return redis.error_reply('ERR the users of a batch are gone: ' .. KEYS[at])
  end
end
for at = 1, #KEYS, 2 do
  redis.call('HSET', KEYS[at + 1], 'data', redis.call('GET', KEYS[at]))
  redis.call('DEL', KEYS[at])
end
return #KEYS / 2`;

type Adding = Parameters<RedisQueueBackend['addJobToTransaction']>;

/** Adds one run as BullMQ does, and moves the data once the last of its jobs is in the transaction. */
class MovingBackend extends RedisQueueBackend {
  /** Key of the data and key of the batch, for each. */
  readonly #moves: readonly string[];
  /** Jobs that the transaction has not yet: the batches, and the run. */
  #left: number;

  constructor(redis: Redis, queue: string, moves: readonly string[]) {
    const keys = new QueueKeys(queue);
    const connection = new RedisConnection(redis, { shared: true });
    const toKey = (type: string) => keys.toKey('', type);
    super(connection, '', keys.getKeys(''), toKey, { connection: redis });
    this.#moves = moves;
    this.#left = moves.length / 2 + 1;
  }

  override async addJobToTransaction(...[transaction, ...job]: Adding): Promise<string> {
    const added = await super.addJobToTransaction(transaction, ...job);
    // behind the jobs: there BullMQ fails where Redis answers with an error
    if (--this.#left === 0) {
      await transaction.runCommand('eval', [MOVE, this.#moves.length, ...this.#moves]);
    }
    return added;
  }
}

export class StagedBatches {
  readonly #redis: Redis;
  readonly #queue: string;
  readonly #moves: string[] = [];
  #waiting: (readonly [key: string, data: string])[] = [];
  #waitingBytes = 0;

  constructor(redis: Redis, queue: string) {
    this.#redis = redis;
    this.#queue = queue;
  }

  async put(job: string, data: string): Promise<void> {
    const key = `${this.#queue}:staged:${job}`;
    this.#moves.push(key, new QueueKeys(this.#queue).toKey(USERS_QUEUE, job));
    this.#waiting.push([key, data]);
    this.#waitingBytes += data.length;
    if (this.#waitingBytes >= STAGED_BYTES) await this.#flush();
  }

  /** Adds the run with all batches whose data were put, or nothing. */
  async add(run: FlowJob): Promise<void> {
    await this.#flush();
    const connection = this.#redis;
    const backend = new MovingBackend(connection, this.#queue, this.#moves);
    const producer = new FlowProducer({ connection, prefix: this.#queue }, () => backend);
    await withErrorListener(producer).add(run);
  }

  async #flush(): Promise<void> {
    const writing = this.#redis.pipeline();
    for (const [key, data] of this.#waiting) writing.set(key, data, 'PX', STAGED_MS);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const [error] of (await writing.exec()) ?? []) if (error) throw error;
  }
}
