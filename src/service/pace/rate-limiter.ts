/** Spaces requests evenly so that in no second more than `rate` of them reach the service; slows down when told. */
import type { Clock } from '../../base/clock.js';
import type { Pace } from './pace.js';
import { Mutex } from '../../base/mutex.js';

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Requests a second; may be a fraction, such as 0.5. */
  readonly rate: number;
}

/**
 * How late a timer may wake without the schedule slipping: what was missed is made up for, as far as the
 * second allows.
 */
const LATENESS_MS = 250;
/** Answers that tell how soon one can come: enough that one of them was held up next to nothing. */
const REMEMBERED = 1000;
/** One that comes sooner than any before. */
const LEAST_SLACK_MS = 5;
/** So many were nearly as quick as the quickest: what lies between them may lie between it and the quickest possible. */
const QUICK = 2;
/** The most that a request is thought to have been held up on its way: more costs more than it saves. */
const MAX_SLACK_MS = 100;
/** Of the first requests, which wait for connections and for code that runs for the first time. */
const MAX_FIRST_SLACK_MS = 1000;
/** After a 429 the rate is cut to this share, then grows back by a step every interval without one. */
const CUT = 0.7;
const LOWEST_SHARE = 0.1;
const STEP = 0.05;
const STEP_INTERVAL_MS = 1000;

interface Sent {
  /** On the monotonic clock, in milliseconds. */
  readonly atMs: number;
  /** At most, in milliseconds. */
  readonly maxSlackMs: number;
  /** Until its answer began; undefined before it did. */
  tookMs: number | undefined;
}

/**
 * What counts is when requests arrive, not when they leave: one that was held up on its way meets those
 * sent after it. A request `rate` places after another must arrive a second after it. The other arrived
 * before its answer began, so it was held up no longer than its answer came late, against the quickest
 * of late; so much later, and no more, the new one leaves.
 */
export class RateLimiter implements Pace {
  readonly #clock: Clock;
  readonly #rate: number;
  readonly #turns = new Mutex();
  /** When the newest permission was due, on the monotonic clock; the next is due an interval later. */
  #lastDueMs = Number.NEGATIVE_INFINITY;
  /** The newest requests, oldest first: as many as a second may hold. */
  readonly #sent: Sent[] = [];
  /** Requests so far. */
  #count = 0;
  /** How long the answers of the last requests took to begin. */
  readonly #tookMs: number[] = [];
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #share = 1;
  #shareSinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#clock = options.clock;
    this.#rate = options.rate;
  }

  /**
   * Resolves when a request may be sent, at once; first come, first served.
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
   * No second holds more requests than `rate`, those that are sent together included, as long as `count`
   * is no larger itself.
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
   * Nobody sends anything for `ms` milliseconds, and less than before afterwards.
   *
   * @param sentAtMs when the request that was refused went out: refusals of requests from before the
   *   newest cut tell nothing new, so that a burst of them cuts the rate once
   */
  slowDown(ms: number, sentAtMs: number): void {
    const now = this.#clock.monotonic();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + ms);
    if (sentAtMs < this.#shareSinceMs) return;
    this.#share = Math.max(LOWEST_SHARE, this.#currentShare() * CUT);
    this.#shareSinceMs = this.#pausedUntilMs;
  }

  answered(sentAtMs: number, atMs: number): void {
    const sent = this.#sent.findLast((one) => one.tookMs === undefined && one.atMs <= sentAtMs);
    if (!sent) return;
    sent.tookMs = atMs - sent.atMs;
    this.#tookMs.push(sent.tookMs);
    if (this.#tookMs.length > REMEMBERED) this.#tookMs.shift();
  }

  /** Requests a second that are let through at present, where none is held up on its way. */
  get currentRate(): number {
    return this.#currentShare() * this.#rate;
  }

  get #intervalMs(): number {
    return 1000 / this.currentRate;
  }

  /** Requests that are looked back at: as many as a second may hold, and at least one. */
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
        // Only who waited was late by the timer's fault; idle time is never saved up.
        this.#lastDueMs = hasWaited ? Math.max(dueMs, now - LATENESS_MS) : now;
        this.#remember(now);
        return;
      }
      // A timer may fire early, and a pause may begin meanwhile: hence the loop.
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

  /** When so many more requests fit into a second that begins with the oldest one that they do not replace. */
  #secondOverMs(now: number, together: number): number {
    const before = this.#sent.at(Math.min(together, this.#window) - 1 - this.#window);
    if (!before) return Number.NEGATIVE_INFINITY;
    return before.atMs + this.#window * this.#intervalMs + this.#slackMs(before, now);
  }

  /**
   * How long a request may have been held up on its way: at most what its answer is late against the
   * quickest possible. That is quicker than the quickest so far by what lies between the first few of these.
   */
  #slackMs({ atMs, tookMs, maxSlackMs }: Sent, now: number): number {
    const known = this.#quickest();
    if (!known) return maxSlackMs;
    const [quickest, next] = known;
    const lateMs = Math.max(0, (tookMs ?? now - atMs) - quickest);
    return Math.min(maxSlackMs, lateMs + Math.max(LEAST_SLACK_MS, next - quickest));
  }

  /** Of the answers remembered: how long the quickest took, and another of the quickest. */
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
