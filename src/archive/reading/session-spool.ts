/** Sets lines aside on disk by session, so that those of a session come together. Memory holds a bucket of sessions. */
import type { Storage } from '../../storage/storage.js';
import { Spool } from './spool.js';

export class SessionSpool {
  readonly #spool: Spool;
  /** By session. */
  readonly #bucketOf: readonly number[];

  private constructor(spool: Spool, bucketOf: readonly number[]) {
    this.#spool = spool;
    this.#bucketOf = bucketOf;
  }

  /**
   * @param weights how much each session will have, in any unit; their indexes are the sessions' numbers from here on
   * @param buckets into how many all is divided, so that each has about the same weight; a session is never divided
   */
  static async open(
    storage: Storage,
    weights: readonly number[],
    buckets: number,
  ): Promise<SessionSpool> {
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const size = Math.max(1, Math.ceil(all / buckets));
    let before = 0;
    const bucketOf = weights.map((weight) => {
      const bucket = Math.floor(before / size);
      before += weight;
      return bucket;
    });
    return new SessionSpool(await Spool.open(storage, (bucketOf.at(-1) ?? 0) + 1), bucketOf);
  }

  /** @param line as `Spool.add` */
  async add(session: number, line: string): Promise<void> {
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
      const linesOf = new Map<number, string[]>();
      for await (const line of this.#spool.lines(bucket)) {
        const space = line.indexOf(' ');
        const number = Number(line.slice(0, space));
        const lines = linesOf.get(number) ?? [];
        lines.push(line.slice(space + 1));
        linesOf.set(number, lines);
      }
      for (; this.#bucketOf[session] === bucket; session++) {
        yield linesOf.get(session) ?? [];
        linesOf.delete(session);
      }
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }
}
