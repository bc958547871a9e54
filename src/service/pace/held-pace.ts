/** Sends the last of a known number of requests together, without a wait between them, at any rate. */
import type { Pace, ReleaseHold } from './pace.js';

export class HeldPace implements Pace {
  #early: number;
  #remaining: number;
  #held: Promise<ReleaseHold> | undefined;

  /**
   * @param count requests that will be sent
   * @param together how many of the last ones may follow each other without a wait
   */
  constructor(
    readonly pace: Pace,
    count: number,
    together: number,
  ) {
    this.#remaining = Math.min(count, together);
    this.#early = count - this.#remaining;
  }

  /** Requests that need not wait, once the first of those together is sent. */
  get left(): number {
    return this.#remaining;
  }

  /** Requests beyond the announced number wait like any other. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (this.#early > 0) {
      this.#early--;
      return this.pace.acquire(signal);
    }
    if (this.#remaining === 0) return this.pace.acquire(signal);
    this.#held ??= this.pace.hold(this.#remaining, signal);
    const release = await this.#held;
    if (--this.#remaining === 0) release(0);
  }

  hold(count: number, signal?: AbortSignal): Promise<ReleaseHold> {
    return this.pace.hold(count, signal);
  }

  answered(sentAtMs: number, atMs: number): void {
    this.pace.answered(sentAtMs, atMs);
  }

  slowDown(ms: number, sentAtMs: number): void {
    this.pace.slowDown(ms, sentAtMs);
  }

  /** Returns unused permissions. Safe to repeat. */
  async close(): Promise<void> {
    const unsent = this.#remaining;
    this.#remaining = 0;
    const release = await this.#held?.catch(() => undefined);
    release?.(unsent);
  }
}
