/** Decides when a request may be sent; holds permissions for requests that follow each other without a wait. */

/** Ends a hold. Safe to repeat, then with 0. */
export type ReleaseHold = (unsent: number) => void;

/** Decides when a request may be sent, for one process or for several that share a limit. */
export interface Pace {
  /**
   * Resolves when a request may be sent; it must then be sent at once.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  acquire(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when `count` requests may be sent, each as soon as the previous one is answered. Other requests of this
   * process wait until the returned function is called with the number of requests that will not be sent. It must be
   * called when the last one is sent.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  hold(count: number, signal?: AbortSignal): Promise<ReleaseHold>;
  /**
   * The answer to a request has begun. Late answers show how late requests may arrive.
   *
   * @param sentAtMs when the request was sent, on the monotonic clock
   * @param atMs when its answer began
   */
  answered(sentAtMs: number, atMs: number): void;
  /**
   * No request is sent for `ms` milliseconds, and fewer per second afterwards.
   *
   * @param sentAtMs when the refused request was sent, on the monotonic clock: refusals of requests from
   *   before the last slowdown are ignored
   */
  slowDown(ms: number, sentAtMs: number): void;
}

/** Sends the last of a known number of requests together, without a wait between them, at any rate. */
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
