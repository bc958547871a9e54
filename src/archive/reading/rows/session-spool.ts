/** Sets lines aside on disk by session, so that those of a session come together. Memory holds a bucket of sessions. */
import type { Storage } from '../../../storage/storage.js';
import { Spool } from './spool.js';

/** The characters of a bucket that is read at once; one of several sessions that has more is divided first. */
const MOST_CHARACTERS = 64e6;
const MAX_PIECES = 128;

export class SessionSpool {
  readonly #storage: Storage;
  readonly #spool: Spool;
  /** By session. */
  readonly #bucketOf: readonly number[];
  /** By session: characters that were added. */
  readonly #added: number[];
  readonly #most: number;

  private constructor(storage: Storage, spool: Spool, bucketOf: readonly number[], most: number) {
    this.#storage = storage;
    this.#spool = spool;
    this.#bucketOf = bucketOf;
    this.#added = bucketOf.map(() => 0);
    this.#most = most;
  }

  /**
   * @param weights how much each session will have, in any unit; their indexes are the sessions' numbers from here on
   * @param buckets into how many all is divided, so that each has about the same weight; a session is never divided
   */
  static async open(
    storage: Storage,
    weights: readonly number[],
    buckets: number,
    most = MOST_CHARACTERS,
  ): Promise<SessionSpool> {
    const size = Math.max(1, Math.ceil(sumOf(weights) / buckets));
    let before = 0;
    const bucketOf = weights.map((weight) => {
      const bucket = Math.floor(before / size);
      before += weight;
      return bucket;
    });
    const spool = await Spool.open(storage, (bucketOf.at(-1) ?? 0) + 1);
    return new SessionSpool(storage, spool, bucketOf, most);
  }

  /** @param line as `Spool.add` */
  async add(session: number, line: string): Promise<void> {
    this.#added[session] = (this.#added[session] ?? 0) + line.length;
    await this.#spool.add(this.#bucketOf[session] ?? 0, `${session} ${line}`);
  }

  /** Ends adding. */
  async close(): Promise<void> {
    await this.#spool.close();
  }

  /** For each session in turn, also for those without any: its lines in the order in which they were added. */
  async *sessions(): AsyncGenerator<readonly string[]> {
    let session = 0;
    for (let bucket = 0; bucket < this.#spool.size; bucket++) {
      const first = session;
      while (this.#bucketOf[session] === bucket) session++;
      const added = this.#added.slice(first, session);
      if (added.length > 1 && sumOf(added) > this.#most) yield* this.#divided(bucket, first, added);
      else yield* this.#linesOf(bucket, first, added.length);
    }
  }

  async *#linesOf(
    bucket: number,
    first: number,
    sessions: number,
  ): AsyncGenerator<readonly string[]> {
    const linesOf = new Map<number, string[]>();
    for await (const [session, line] of this.#linesIn(bucket)) {
      const lines = linesOf.get(session) ?? [];
      lines.push(line);
      linesOf.set(session, lines);
    }
    for (let session = first; session < first + sessions; session++) {
      yield linesOf.get(session) ?? [];
      linesOf.delete(session);
    }
  }

  /** Its sessions have much more than their weights told. */
  async *#divided(
    bucket: number,
    first: number,
    added: readonly number[],
  ): AsyncGenerator<readonly string[]> {
    const bucketOf = inPieces(added, Math.max(this.#most, sumOf(added) / MAX_PIECES));
    const spool = await Spool.open(this.#storage, (bucketOf.at(-1) ?? 0) + 1);
    const pieces = new SessionSpool(this.#storage, spool, bucketOf, this.#most);
    try {
      for await (const [session, line] of this.#linesIn(bucket)) {
        await pieces.add(session - first, line);
      }
      await pieces.close();
      yield* pieces.sessions();
    } finally {
      await pieces.discard();
    }
  }

  async *#linesIn(bucket: number): AsyncGenerator<readonly [session: number, line: string]> {
    for await (const line of this.#spool.lines(bucket)) {
      const space = line.indexOf(' ');
      yield [Number(line.slice(0, space)), line.slice(space + 1)];
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }
}

/** No piece has more than that, unless it is of one session. */
function inPieces(weights: readonly number[], most: number): number[] {
  let [piece, sum] = [0, 0];
  return weights.map((weight) => {
    if (sum > 0 && sum + weight > most) [piece, sum] = [piece + 1, 0];
    sum += weight;
    return piece;
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
