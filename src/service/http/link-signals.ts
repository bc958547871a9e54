/** Several signals as one, without leaving anything behind on them. */
import { setMaxListeners } from 'node:events';

export interface LinkedSignal {
  /** Aborted, with the same reason, as soon as one of the signals is. */
  readonly controller: AbortController;
  /** Must be called when the work is done. */
  readonly release: () => void;
}

/**
 * Listens by hand: AbortSignal.any in Node.js 20 keeps something on a long-lived signal for every
 * call, and an export makes many calls under one signal.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const releases = signals.flatMap((signal) => {
    if (!signal) return [];
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    setMaxListeners(0, signal); // as many as there are calls at a time; Node.js warns from 11 on
    signal.addEventListener('abort', abort, { once: true });
    return [() => signal.removeEventListener('abort', abort)];
  });
  return {
    controller,
    release: () => {
      for (const release of releases) release();
    },
  };
}
