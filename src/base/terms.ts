/** For how long a run waits: before it takes over what a dead process held, asks again, or gives up. Tests give short ones. */
export interface Terms {
  /** A process of another machine that has not renewed its lease for so long is dead. */
  readonly leaseMs: number;
  /**
   * A worker that has not renewed its lock on a batch of users for so long is dead. Measured with the defaults: other
   * workers have its users six to nine seconds after its death.
   */
  readonly lockMs: number;
  /** Between two searches of the queue for locks that have expired. */
  readonly stalledCheckMs: number;
  /** For so long a worker is shown after it has said last that it lives. */
  readonly workerNoteMs: number;
  /** Between two looks at an empty queue, or at a run that has not ended. */
  readonly pollMs: number;
  /** A worker's pause after a temporary failure, such as a service that cannot be reached. */
  readonly recoveryMs: number;
  /** For so long a worker that shuts down waits for Redis. Its locks expire soon anyway. */
  readonly shutdownMs: number;
  /** The end of a queued run waits so long for a worker that has not said what it spent of the budget. */
  readonly settlingMs: number;
  /** The longest pause before a request to the service or a file host is sent a second time. It doubles with each attempt, up to sixty times as long. */
  readonly retryMs: number;
  /** The pause before the second attempt to connect to Redis; each later one is longer by as much, at most twenty times. */
  readonly reconnectMs: number;
}

export const DEFAULT_TERMS: Terms = {
  leaseMs: 30_000,
  lockMs: 5000,
  stalledCheckMs: 2000,
  workerNoteMs: 9000,
  pollMs: 1000,
  recoveryMs: 30_000,
  shutdownMs: 5000,
  settlingMs: 10_000,
  retryMs: 500,
  reconnectMs: 100,
};
