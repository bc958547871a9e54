/**
 * Processes the items of an iterable, a bounded number at a time; takes an item only when it can start on it.
 * p-limit takes lists only; it is for a limit that several callers share.
 */
export async function concurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
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
      throw error;
    }
  });
  await Promise.allSettled(workers);
  await iterator.return?.();
  await Promise.all(workers);
}
