/** Goes through everything for its side effects; whatever ends it, what is read from is closed. */
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
