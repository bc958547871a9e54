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
