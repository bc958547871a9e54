/** A clock that a test advances; sleepers wake in the order in which they are due. */
import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '../../../src/base/runtime.js';

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #sleepers: Sleeper[] = [];

  /** @param wallMs wall time at the start, in milliseconds since 1970 UTC */
  constructor(wallMs = Date.UTC(2026, 10, 2)) {
    this.#wallMs = wallMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (ms <= 0) {
        resolve();
        return;
      }
      const sleeper = {
        dueMs: this.#monotonicMs + ms,
        wake: (): void => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      const abort = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** How many are asleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Advances both clocks, fires the timers that are due on the way, and lets their work run to its next wait. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms;
    await settle();
    for (;;) {
      const next = this.#nextDue(endMs);
      if (!next) break;
      this.#moveTo(next.dueMs);
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      next.wake();
      await settle();
    }
    this.#moveTo(endMs);
  }

  /** Moves the wall clock alone, as an administrator or NTP does. */
  shiftWall(ms: number): void {
    this.#wallMs += ms;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Of those due until `endMs` the earliest; of several the one that fell asleep first. */
  #nextDue(endMs: number): Sleeper | undefined {
    return this.#sleepers
      .filter(({ dueMs }) => dueMs <= endMs)
      .reduce<Sleeper | undefined>(
        (first, other) => (first && first.dueMs <= other.dueMs ? first : other),
        undefined,
      );
  }
}

/** Until every promise that can go on has gone on. */
async function settle(): Promise<void> {
  await macrotask();
}
