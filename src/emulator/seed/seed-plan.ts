/** The amount of seed data, the seed, and the streams of random numbers that it determines. */

export type StreamKey = string | number;

export class RandomStream {
  #state: number;

  private constructor(state: number) {
    this.#state = state;
  }

  /** Different keys give independent streams; the same key always gives the same stream. */
  static of(...key: readonly StreamKey[]): RandomStream {
    let hash = 0x811c9dc5;
    for (const part of key) {
      const text = String(part);
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
      hash = Math.imul(hash ^ 0x1f, 0x01000193);
    }
    return new RandomStream(hash);
  }

  /** 32 bits. Algorithm: splitmix32, a full-period mixer of a counter. */
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** Uniform in [0, 1). */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** `count` lower-case digits of a base of at most 36. */
  digits(count: number, base: number): string {
    let text = '';
    for (let i = 0; i < count; i++) text += this.integer(0, base - 1).toString(base);
    return text;
  }

  /** The same items in random order; the input is not changed. */
  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.fraction() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

/** The amount of seed data, and the seed. */
export interface SeedPlan {
  /** The same plan gives the same bytes, on every machine and at any time. */
  readonly seed: number;
  readonly users: number;
  /** The sessions of every user. */
  readonly sessions: number;
  /** The maximum of jobs in a session; the number varies unless `exactJobs`. */
  readonly jobs: number;
  /** Every session has exactly `jobs` jobs. */
  readonly exactJobs: boolean;
  /** The exact number of blocks in every answer; undefined: the topic decides. */
  readonly blocksPerJob: number | undefined;
  /** The exact number of files in every answer; undefined: the topic decides. */
  readonly artifactsPerJob: number | undefined;
  /** Adds unusual names and contents: formulas, paths, markup, control characters, empty files. */
  readonly odd: boolean;
  /** Adds contents that leave a gap: bare storage keys, a file that is gone, a web page in a file's place. */
  readonly gaps: boolean;
}

/** Which job, counted from 0. */
export interface SeededJobPlace {
  readonly user: number;
  readonly session: number;
  readonly job: number;
}

/** The place of jobs made after the start: outside every plan, so that their files can be found. */
export const MADE_LATER = { user: 0xffffffff, session: 0 } as const;
