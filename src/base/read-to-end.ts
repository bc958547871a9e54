/** Reads an iterable to its end for its side effects, and closes it in any case. */
export async function readToEnd(
  items: AsyncIterable<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    while ((await iterator.next()).done !== true) signal?.throwIfAborted();
  } finally {
    await iterator.return?.();
  }
}
