/** Work and pauses that end as soon as a signal is aborted. */
import type { Clock } from './runtime.js';

/**
 * Waits for work until the signal is aborted: who stops must not wait for a peer that does not answer.
 *
 * @throws the signal's reason as soon as it is aborted; the result of the work is then ignored
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}

/** Like `abortable`, but gives the work `ms` more after the abort. */
export async function abortableAfter<T>(
  ms: number,
  work: Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const done = new AbortController();
  const late = new AbortController();
  const wait = () => {
    clock.sleep(ms, done.signal).then(
      () => {
        late.abort(signal.reason);
      },
      () => undefined,
    );
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  try {
    return await abortable(work, late.signal);
  } finally {
    done.abort();
    signal.removeEventListener('abort', wait);
  }
}
