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
