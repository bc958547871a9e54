/** Who says when a request may be sent: one process for itself, or many with one another. */
export interface Pace {
  /**
   * Resolves when a request may be sent, at once.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  acquire(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when `count` requests may be sent, each as soon as the one before is answered. Until the
   * returned function is called, which is due when the last of them goes out, nobody else of this
   * process is let through.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  hold(count: number, signal?: AbortSignal): Promise<() => void>;
  /**
   * The answer to a request has begun to come: how late answers are tells how late requests may arrive.
   *
   * @param sentAtMs when the request went out, on the monotonic clock
   * @param atMs when its answer began
   */
  answered(sentAtMs: number, atMs: number): void;
  /**
   * Nobody sends anything for `ms` milliseconds, and less than before afterwards.
   *
   * @param sentAtMs when the request that was refused went out, on the monotonic clock: refusals of
   *   requests from before the newest slowing down tell nothing new
   */
  slowDown(ms: number, sentAtMs: number): void;
}
