/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** The most frequent first; equal ones by name. */
  entries(): [string, number][] {
    return [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Adds what another has counted. */
  merge(entries: Iterable<readonly [string, number]>): void {
    for (const [name, count] of entries) this.add(name, count);
  }

  get sum(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
