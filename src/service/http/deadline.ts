/** Joins the two causes that end a request early in one signal: its deadline and the caller's signal. */
import type { Clock } from '../../base/runtime.js';
import { linkSignals } from './link-signals.js';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the deadline has passed. */
  readonly isOver: boolean;
  /** Must be called when the work is done: releases the timer and the caller's signal. */
  release(): void;
}

/** @param ms from now, on the monotonic clock */
export function startDeadline(clock: Clock, ms: number, signal?: AbortSignal): Deadline {
  const { controller, release } = linkSignals([signal]);
  const timer = new AbortController();
  let isOver = false;
  clock.sleep(ms, timer.signal).then(
    () => {
      isOver = !controller.signal.aborted;
      controller.abort(new Error('the deadline is over'));
    },
    () => undefined, // released in time
  );
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    release() {
      timer.abort();
      release();
    },
  };
}
