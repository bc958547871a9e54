/** The files of TABLE and IMAGE blocks: made from the seed on demand, or added, damaged and removed by tests. */
import type { SeededWorld } from '../seed/seeded-world.js';
import type { FileContent } from '../seed/seeded-ids.js';

/** Seeded files are cheap to make again; those of about one page are cached. */
const CACHE_BYTES = 32 * 2 ** 20;

export class FileStore {
  /** Null marks a file that was removed. */
  readonly #changed = new Map<string, FileContent | null>();
  readonly #cache = new Map<string, FileContent>();
  #cachedBytes = 0;
  readonly #seeded: SeededWorld;

  constructor(seeded: SeededWorld) {
    this.#seeded = seeded;
  }

  get(key: string): FileContent | undefined {
    const changed = this.#changed.get(key);
    if (changed !== undefined) return changed ?? undefined; // null: removed
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const made = this.#seeded.file(key);
    if (made) this.#remember(key, made);
    return made;
  }

  put(key: string, content: FileContent): void {
    this.#changed.set(key, content);
  }

  /** From now on the file host answers 404 for the key. */
  remove(key: string): void {
    this.#changed.set(key, null);
  }

  #remember(key: string, content: FileContent): void {
    this.#cache.set(key, content);
    this.#cachedBytes += content.bytes.length;
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= bytes.length;
    }
  }
}
