/** What a run takes from its machine: the clock, and chance. Tests give their own. */
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, type Logger } from './logger.js';
import { DEFAULT_TERMS, type Terms } from './terms.js';
import { randomBytes } from 'node:crypto';

/** A longer timer fires at once: Node.js counts its milliseconds in 31 bits (24.8 days). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    try {
      for (let remainingMs = ms; remainingMs > 0; remainingMs -= LONGEST_TIMER_MS) {
        await delay(Math.min(remainingMs, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
      }
    } catch (error) {
      signal?.throwIfAborted(); // the reason, not the timer's own AbortError
      throw error;
    }
  },
};

/** Reads the time and waits; tests replace it. */
export interface Clock {
  /** Wall time in milliseconds since 1970 UTC: for timestamps, never for deadlines. */
  now(): number;
  /** Milliseconds from an arbitrary start, which never go back: for deadlines and rates. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds (at once when it is 0 or less).
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Wall time in microseconds since 1970 UTC, the unit of every `ts` column. */
export function nowMicros(clock: Clock): bigint {
  return BigInt(Math.floor(clock.now())) * 1000n;
}

/** What a caller may replace: clock, randomness, log, how long to wait, and the signal to stop. */
export interface Runtime {
  /** Default: that of the system. */
  readonly clock: Clock;
  /** Default: that of the system. */
  readonly random: Random;
  /** Default: nothing is logged. */
  readonly logger: Logger;
  /** Default: `DEFAULT_TERMS`. */
  readonly terms: Terms;
  /** Aborted to stop. Default: never. */
  readonly signal: AbortSignal;
}

export type RuntimeOptions = { readonly [K in keyof Runtime]?: Runtime[K] | undefined };

export function runtimeOf(options: RuntimeOptions): Runtime {
  return {
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger ?? silentLogger,
    terms: options.terms ?? DEFAULT_TERMS,
    signal: options.signal ?? new AbortController().signal,
  };
}

/** Randomness; tests replace it by a seeded one. */
export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number;
  bytes(length: number): Uint8Array;
}

/** The machine's own source of randomness. */
export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
