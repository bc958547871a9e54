/** Decides when a request may be sent: evenly, and more slowly after a 429. Permissions are held for requests that follow each other without a wait. */
import type { Clock } from '../../base/runtime.js';
import { Mutex } from '../../base/concurrently.js';

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

/** Spaces requests evenly so that in no second more than `rate` of them reach the service; slows down after a 429. */
interface RateLimiterOptions {
  readonly clock: Clock;
  /** Requests per second; may be a fraction, such as 0.5. */
  readonly rate: number;
}

/**
 * How late a timer may fire without delaying the schedule: missed requests are made up for, as far as the limit
 * of a second allows.
 */
const LATENESS_MS = 250;
/** Answers that are remembered: enough that one of them was hardly delayed. */
const REMEMBERED = 1000;
/** Answers quicker than all before. */
const LEAST_SLACK_MS = 5;
/** The number of quickest answers whose spread estimates how much quicker an answer could be. */
const QUICK = 2;
/** The most delay that is assumed for a request: more would cost more than it saves. */
const MAX_SLACK_MS = 100;
/** For the first requests, which wait for connections and for code that runs for the first time. */
const MAX_FIRST_SLACK_MS = 1000;
/** After a 429 the rate is cut to this share; it grows by a step every interval without a 429. */
const CUT = 0.7;
const LOWEST_SHARE = 0.1;
const STEP = 0.05;
const STEP_INTERVAL_MS = 1000;

interface Sent {
  /** When it was sent, on the monotonic clock, in milliseconds. */
  readonly atMs: number;
  /** Its maximum delay, in milliseconds. */
  readonly maxSlackMs: number;
  /** Time until its answer began; undefined before. */
  tookMs: number | undefined;
}

/**
 * The service counts requests when they arrive, and a delayed one arrives together with those sent after it. A
 * request must arrive a second after the one `rate` places before it. That one arrived before its answer began,
 * so its delay is at most the difference between its answer time and the quickest answer time. The new request
 * is sent that much later.
 */
export class RateLimiter implements Pace {
  readonly #clock: Clock;
  readonly #rate: number;
  readonly #turns = new Mutex();
  /** When the newest request was due, on the monotonic clock; the next is due an interval later. */
  #lastDueMs = Number.NEGATIVE_INFINITY;
  /** The newest requests, oldest first: as many as are allowed in a second. */
  readonly #sent: Sent[] = [];
  /** Requests so far. */
  #count = 0;
  /** The times until the answers of the last requests began. */
  readonly #tookMs: number[] = [];
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #share = 1;
  #shareSinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#clock = options.clock;
    this.#rate = options.rate;
  }

  /**
   * Resolves when a request may be sent; it must then be sent at once. First come, first served.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  async acquire(signal?: AbortSignal): Promise<void> {
    const leave = await this.#turns.enter(signal);
    try {
      await this.#untilDue(signal);
    } finally {
      leave();
    }
  }

  /**
   * No second has more than `rate` requests, including those sent together, provided that `count` is at most
   * `rate`.
   *
   * @throws the signal's reason, as soon as it is aborted
   */
  async hold(count: number, signal?: AbortSignal): Promise<() => void> {
    const leave = await this.#turns.enter(signal);
    try {
      await this.#untilDue(signal, count);
    } catch (error) {
      leave();
      throw error;
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const now = this.#clock.monotonic();
      this.#lastDueMs = now + Math.max(0, count - this.#window) * this.#intervalMs;
      for (let n = 1; n < count; n++) this.#remember(now, 0); // have arrived
      this.#remember(now);
      leave();
    };
  }

  /**
   * No request is sent for `ms` milliseconds, and fewer per second afterwards.
   *
   * @param sentAtMs when the refused request was sent: refusals of requests from before the last cut are
   *   ignored, so that a burst of them cuts the rate once
   */
  slowDown(ms: number, sentAtMs: number): void {
    const now = this.#clock.monotonic();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + ms);
    if (sentAtMs < this.#shareSinceMs) return;
    this.#share = Math.max(LOWEST_SHARE, this.#currentShare() * CUT);
    this.#shareSinceMs = this.#pausedUntilMs;
  }

  answered(sentAtMs: number, atMs: number): void {
    const sent = this.#sent.findLast(
      (request) => request.tookMs === undefined && request.atMs <= sentAtMs,
    );
    if (!sent) return;
    sent.tookMs = atMs - sent.atMs;
    this.#tookMs.push(sent.tookMs);
    if (this.#tookMs.length > REMEMBERED) this.#tookMs.shift();
  }

  /** The current rate in requests per second, if none is delayed. */
  get currentRate(): number {
    return this.#currentShare() * this.#rate;
  }

  get #intervalMs(): number {
    return 1000 / this.currentRate;
  }

  /** The number of earlier requests that count: as many as are allowed in a second, at least one. */
  get #window(): number {
    return Math.max(1, Math.floor(this.#rate));
  }

  async #untilDue(signal?: AbortSignal, together?: number): Promise<void> {
    for (let hasWaited = false; ; hasWaited = true) {
      signal?.throwIfAborted();
      const now = this.#clock.monotonic();
      const dueMs = this.#nextDueMs(now, together ?? 1);
      if (dueMs <= now) {
        if (together !== undefined) return;
        // only a request that waited was late because of the timer; idle time is not saved up
        this.#lastDueMs = hasWaited ? Math.max(dueMs, now - LATENESS_MS) : now;
        this.#remember(now);
        return;
      }
      // a loop, because a timer may fire early and a pause may begin meanwhile
      await this.#clock.sleep(dueMs - now, signal);
    }
  }

  #remember(atMs: number, tookMs?: number): void {
    const isFirst = this.#count++ < this.#window;
    const maxSlackMs = isFirst ? MAX_FIRST_SLACK_MS : MAX_SLACK_MS;
    this.#sent.push({ atMs, maxSlackMs, tookMs });
    if (this.#sent.length > this.#window) this.#sent.shift();
  }

  #nextDueMs(now: number, together: number): number {
    const ahead = Math.max(1, together - this.#window + 1);
    const spacedMs = this.#lastDueMs + ahead * this.#intervalMs;
    return Math.max(spacedMs, this.#secondOverMs(now, together), this.#pausedUntilMs);
  }

  /** When `count` more requests fit into the second that begins with the oldest request that still counts. */
  #secondOverMs(now: number, together: number): number {
    const before = this.#sent.at(Math.min(together, this.#window) - 1 - this.#window);
    if (!before) return Number.NEGATIVE_INFINITY;
    return before.atMs + this.#window * this.#intervalMs + this.#slackMs(before, now);
  }

  /**
   * The maximum delay of a request: the time of its answer less the quickest possible time. That is estimated as
   * the quickest time so far less the spread of the few quickest.
   */
  #slackMs({ atMs, tookMs, maxSlackMs }: Sent, now: number): number {
    const known = this.#quickest();
    if (!known) return maxSlackMs;
    const [quickest, next] = known;
    const lateMs = Math.max(0, (tookMs ?? now - atMs) - quickest);
    return Math.min(maxSlackMs, lateMs + Math.max(LEAST_SLACK_MS, next - quickest));
  }

  /** The time of the quickest remembered answer, and of another quick one. */
  #quickest(): readonly [number, number] | undefined {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    const [quickest] = sorted;
    return quickest === undefined ? undefined : [quickest, sorted[QUICK] ?? quickest];
  }

  #currentShare(): number {
    const quietMs = Math.max(0, this.#clock.monotonic() - this.#shareSinceMs);
    return Math.min(1, this.#share + STEP * Math.floor(quietMs / STEP_INTERVAL_MS));
  }
}
