/** Publishes many objects: on a disk each directory is synced once, rather than once per object. */
import { posix } from 'node:path';
import { concurrently } from '../base/concurrently.js';
import type { Storage, StagedObject } from './storage.js';

const CONCURRENCY = 16;

/** Readers see each object whole once it is published; the log must not name one before `makeDurable`. */
export class PublishBatch {
  /** One path of each directory that has changed since its last sync. */
  readonly #unsynced = new Map<string, string>();
  readonly #storage: Pick<Storage, 'makeDurable'>;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async publish(staged: StagedObject, path: string): Promise<void> {
    this.found(path);
    await staged.publish(path, { isUnsynced: true });
  }

  /** Adds an object that another process has published and may not have made durable. */
  found(path: string): void {
    this.#unsynced.set(posix.dirname(path), path);
  }

  /** Makes all objects that were published or added durable. */
  async makeDurable(): Promise<void> {
    const paths = [...this.#unsynced.values()];
    await concurrently(paths, CONCURRENCY, async (path) => this.#storage.makeDurable?.(path));
    this.#unsynced.clear();
  }
}
