/** Joins several signals in one, and leaves no listeners on them. */
import { setMaxListeners } from 'node:events';

interface LinkedSignal {
  /** Aborted with the reason of the first signal that is aborted. */
  readonly controller: AbortController;
  /** Must be called when the work is done. */
  readonly release: () => void;
}

/**
 * AbortSignal.any is not used: in Node.js 20 each call leaves something on a long-lived signal, and an export
 * makes many calls under one signal.
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
