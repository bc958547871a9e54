/** Groups items, and adds counts up. */

/** Groups the items by key, in the order in which the keys first appear. (`Map.groupBy` needs Node 21.) */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Adds each count to the one of its name: how everything that is counted is added up. */
export function addCounts<Name extends string>(
  to: Record<Name, number>,
  from: Readonly<Partial<Record<Name, number>>>,
): void {
  // a table of which no row was written has no count yet
  const sums = to as Record<string, number | undefined>;
  for (const [name, count] of Object.entries(from) as [Name, number][]) {
    sums[name] = (sums[name] ?? 0) + count;
  }
}

/** Yields items in order, so many together; the last ones may be fewer. */
export function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
