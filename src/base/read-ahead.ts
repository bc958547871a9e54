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
