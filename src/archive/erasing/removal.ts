/**
 * Deletes objects of an erasure, and sees that they are gone. The store's answer to a deletion is not believed: a proxy or
 * a gateway may have given it.
 */
import { type Storage } from '../../storage/storage.js';
import { deleteObjects } from '../../storage/small-objects.js';
import { concurrently } from '../../base/concurrently.js';
import { StorageError } from '../../storage/storage-errors.js';

/** A run that does not know of the erasure may put an artifact again that no commit can name. */
const MOST_TRIES = 3;
const CONCURRENCY = 16;

export class Removal {
  readonly #paths = new Set<string>();
  readonly #storage: Pick<Storage, 'delete' | 'deleteAll' | 'stat' | 'location'>;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async delete(path: string): Promise<void> {
    await this.deleteAll([path]);
  }

  async deleteAll(paths: readonly string[]): Promise<void> {
    await deleteObjects(this.#storage, paths);
    for (const path of paths) this.#paths.add(path);
  }

  /** @throws {StorageError} one of the objects is still there */
  async assertGone(): Promise<void> {
    let remaining = [...this.#paths];
    for (let tries = 1; remaining.length > 0; tries++) {
      remaining = await this.#stillThere(remaining);
      if (tries === MOST_TRIES) break;
      await deleteObjects(this.#storage, remaining);
    }
    const [path] = remaining;
    if (path === undefined) return;
    const { location } = this.#storage;
    const more = remaining.length > 1 ? `, with ${remaining.length - 1} more` : '';
    throw new StorageError(
      `${path} is still in ${location}${more}, which has said that it is deleted: the erasure is not finished, and the next run goes on with it`,
      { trouble: 'front' },
    );
  }

  async #stillThere(paths: readonly string[]): Promise<string[]> {
    const remaining: string[] = [];
    await concurrently(paths, CONCURRENCY, async (path) => {
      if (await this.#storage.stat(path)) remaining.push(path);
    });
    return remaining.sort();
  }
}
