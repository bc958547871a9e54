/** Spaces requests evenly so that in no second more than `rate` of them reach the service; slows down when told. */
import type { Clock } from '../../base/clock.js';
import type { Pace } from './pace.js';
import { Turnstile } from './turnstile.js';

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Requests a second; may be a fraction, such as 0.5. */
  readonly rate: number;
}

/**
 * The span, in milliseconds, over which `rate` requests are spread. The 40 ms beyond a second absorb
 * the jitter of the network, which brings requests closer together than they were sent; they cost
 * 4 % of the rate.
 */
const SECOND_MS = 1040;
/** How late a timer may wake without the schedule slipping; taken from the 40 ms above. */
const LATENESS_MS = 10;
/** After a 429 the rate is cut to this share, then grows back by a step every interval without one. */
const CUT = 0.7;
const LOWEST_SHARE = 0.1;
const STEP = 0.05;
const STEP_INTERVAL_MS = 1000;

export class RateLimiter implements Pace {
  readonly #clock: Clock;
  readonly #rate: number;
  readonly #turns = new Turnstile();
  /** When the newest permission was due, on the monotonic clock; the next is due an interval later. */
  #lastDueMs = Number.NEGATIVE_INFINITY;
  /** Intervals of silence after the newest permission: more than one after several requests together. */
  #silence = 1;
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
   * Requests that are sent together are as many as the silence before and after them makes up for: then
   * no second holds more of them than `rate`, as long as `count` is no larger itself.
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
      this.#lastDueMs = this.#clock.monotonic();
      this.#silence = count;
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

  /** Requests a second that are let through at present. */
  get currentRate(): number {
    return (this.#currentShare() * this.#rate * 1000) / SECOND_MS;
  }

  async #untilDue(signal?: AbortSignal, silenceBefore = 1): Promise<void> {
    for (let hasWaited = false; ; hasWaited = true) {
      signal?.throwIfAborted();
      const now = this.#clock.monotonic();
      const dueMs = this.#nextDueMs(silenceBefore);
      if (dueMs <= now) {
        // Only who waited was late by the timer's fault; idle time is never saved up.
        this.#lastDueMs = hasWaited ? Math.max(dueMs, now - LATENESS_MS) : now;
        this.#silence = 1;
        return;
      }
      // A timer may fire early, and a pause may begin meanwhile: hence the loop.
      await this.#clock.sleep(dueMs - now, signal);
    }
  }

  #nextDueMs(silenceBefore: number): number {
    const intervals = Math.max(silenceBefore, this.#silence);
    return Math.max(this.#lastDueMs + (intervals * 1000) / this.currentRate, this.#pausedUntilMs);
  }

  #currentShare(): number {
    const quietMs = Math.max(0, this.#clock.monotonic() - this.#shareSinceMs);
    return Math.min(1, this.#share + STEP * Math.floor(quietMs / STEP_INTERVAL_MS));
  }
}
