/**
 * Gives each new job of a session its number, which never changes (I-66 in FORMAT.md): its place in the history, but above the numbers of
 * all jobs that were archived before. So a number tells which jobs came before a reading, whatever it shows.
 */
import type { JobPlace } from './job-places.js';

export class JobNumbers {
  /** Above all numbers that were archived before this reading. */
  readonly first: number;
  readonly #numbers: Map<string, number>;
  readonly #taken: Set<number>;

  /** @param archived of the session, with those that were withdrawn from it */
  constructor(archived: Iterable<readonly [string, { readonly index: number }]>) {
    this.#numbers = new Map([...archived].map(([id, { index }]) => [id, index]));
    this.#taken = new Set(this.#numbers.values());
    this.first = [...this.#taken].reduce((next, number) => Math.max(next, number + 1), 0);
  }

  /** @param places of the jobs of a page, in the order of the ids */
  numbered(ids: readonly string[], places: readonly JobPlace[]): JobPlace[] {
    const byPlace = [...places.entries()].sort(([, a], [, b]) => a.index - b.index);
    let next = this.first;
    for (const [at, { index }] of byPlace) {
      const id = ids[at] ?? '';
      if (this.#numbers.has(id)) continue;
      next = Math.max(next, index);
      while (this.#taken.has(next)) next++;
      this.#numbers.set(id, next);
      this.#taken.add(next);
    }
    return places.map((place, at) => {
      return { ...place, index: this.#numbers.get(ids[at] ?? '') ?? place.index };
    });
  }
}
