/** Work side by side: several at a time, one at a time, read ahead, or given up. */

/**
 * Processes the items of an iterable, a bounded number at a time; takes an item only when it can start on it.
 * p-limit takes lists only; it is for a limit that several callers share.
 *
 * @param stop aborted with the first failure, at once: other items may take long
 */
export async function concurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
  stop?: AbortController,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let hasFailed = false;
  // Pulls are queued by async generators themselves, so workers may pull at the same time.
  const worker = async (): Promise<void> => {
    for (;;) {
      const next = hasFailed ? { done: true as const } : await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const workers = Array.from({ length: width }, async () => {
    try {
      await worker();
    } catch (error) {
      hasFailed = true;
      stop?.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(workers);
  await iterator.return?.();
  await Promise.all(workers);
}

/** Work that goes on behind its caller, a bounded number at a time. What it throws comes to a later caller. */
export class Background {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  /** Resolves when the work has begun. @throws what earlier work has thrown */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#width) await Promise.race(this.#running);
    if (this.#failure) throw this.#failure.error;
    const running = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Nothing is going on any more, whatever has come of it. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Everything is done. @throws what some work has thrown */
  async finish(): Promise<void> {
    await this.settle();
    if (this.#failure) throw this.#failure.error;
  }
}

/** Admits one caller at a time, in the order of arrival. */
export class Mutex {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /**
   * Resolves when it is the caller's turn, which lasts until the returned function is called.
   *
   * @throws the signal's reason, as soon as it is aborted; the place in the queue is given up
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#isTaken) await this.#wait(signal);
    this.#isTaken = true;
    return () => this.#leave();
  }

  /** The turn lasts as long as the work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(turn);
    });
  }
}

/** Loads several items at a time and yields the results in order. */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  width: number,
  load: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = [];
  for await (const item of items) {
    const loading = load(item);
    loading.catch(() => undefined); // thrown where it is awaited; an earlier one may fail before
    waiting.push(loading);
    const next = waiting.length >= width ? waiting.shift() : undefined;
    if (next) yield await next;
  }
  for (const next of waiting) yield await next;
}

/** The whole numbers from `from` to `to`, both included. */
export function* numbers(from: number, to: number): Generator<number> {
  for (let number = from; number <= to; number++) yield number;
}
