/** Runs work under a total timeout: unlike an idle timeout, it also ends a download of one byte per second. */
import type { Runtime } from '../base/runtime.js';

export interface TimeLimit extends Pick<Runtime, 'clock' | 'signal'> {
  readonly ms: number;
  /** The reason that the work's signal is aborted with when the time is over. */
  tooLate(): Error;
}

/** Created once: without a reason Node creates an exception for each abort. */
const WORK_IS_DONE = new Error('the work is done');

/** Runs `work` under a signal that follows `limit.signal` and is aborted when the time is over. */
export async function withinTime<T>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, ms, signal } = limit;
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const follow = () => inner.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  clock.sleep(ms, timer.signal).then(
    () => inner.abort(limit.tooLate()),
    () => undefined, // the work was done first
  );
  try {
    return await work(inner.signal);
  } finally {
    signal.removeEventListener('abort', follow);
    timer.abort(WORK_IS_DONE);
  }
}
