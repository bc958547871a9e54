/** Lets the last of a known number of requests go out together: whatever the rate, no wait lies between them. */
import type { Pace } from './pace.js';

export class HeldPace implements Pace {
  #early: number;
  #remaining: number;
  #held: Promise<() => void> | undefined;

  /**
   * @param count requests that are going to be sent
   * @param together how many of them, the last ones, may follow each other without a wait
   */
  constructor(
    readonly pace: Pace,
    count: number,
    together: number,
  ) {
    this.#remaining = Math.min(count, together);
    this.#early = count - this.#remaining;
  }

  /** Requests that need not wait any more, once the first of those together has gone out. */
  get left(): number {
    return this.#remaining;
  }

  /** More requests than were announced wait their turn like any other. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (this.#early > 0) {
      this.#early--;
      return this.pace.acquire(signal);
    }
    if (this.#remaining === 0) return this.pace.acquire(signal);
    this.#held ??= this.pace.hold(this.#remaining, signal);
    const release = await this.#held;
    if (--this.#remaining === 0) release();
  }

  hold(count: number, signal?: AbortSignal): Promise<() => void> {
    return this.pace.hold(count, signal);
  }

  answered(sentAtMs: number, atMs: number): void {
    this.pace.answered(sentAtMs, atMs);
  }

  slowDown(ms: number, sentAtMs: number): void {
    this.pace.slowDown(ms, sentAtMs);
  }

  /** Gives back what was not used. Harmless when repeated. */
  async close(): Promise<void> {
    this.#remaining = 0;
    const release = await this.#held?.catch(() => undefined);
    release?.();
  }
}
