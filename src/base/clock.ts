/** Time as the rest of the code sees it, so that tests can make it up. */
export interface Clock {
  /** Wall time in milliseconds since 1970 UTC: for stamps that people read, never for deadlines. */
  now(): number;
  /** Milliseconds that only ever grow, from an arbitrary start: for deadlines and rates. */
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
