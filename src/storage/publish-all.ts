/** Publishes many objects. On a disk each directory is synced once, not once per object. */
import { posix } from 'node:path';
import { concurrently } from '../base/concurrently.js';
import type { StagedObject, Storage } from './storage.js';

const CONCURRENCY = 16;

/** Readers see each object whole as soon as it is published; nothing may name one before `makeDurable`. */
export class PublishedTogether {
  /** A path in each directory that is not synced since. */
  readonly #unsynced = new Map<string, string>();
  readonly #storage: Pick<Storage, 'makeDurable'>;

  constructor(storage: Pick<Storage, 'makeDurable'>) {
    this.#storage = storage;
  }

  async publish(staged: StagedObject, path: string): Promise<void> {
    if (!staged.publishUnsynced || !this.#storage.makeDurable) {
      await staged.publish(path);
      return;
    }
    this.found(path);
    await staged.publishUnsynced(path);
  }

  /** Notes an object that another process has published and perhaps not made durable. */
  found(path: string): void {
    this.#unsynced.set(posix.dirname(path), path);
  }

  /** Makes everything durable that was published or found before. */
  async makeDurable(): Promise<void> {
    const paths = [...this.#unsynced.values()];
    await concurrently(paths, CONCURRENCY, async (path) => this.#storage.makeDurable?.(path));
    this.#unsynced.clear();
  }
}

export interface Publication {
  readonly staged: StagedObject;
  readonly path: string;
}

/** All are durable when it resolves. */
export async function publishAll(
  storage: Pick<Storage, 'makeDurable'>,
  publications: Iterable<Publication>,
): Promise<void> {
  const together = new PublishedTogether(storage);
  await concurrently(publications, CONCURRENCY, ({ staged, path }) =>
    together.publish(staged, path),
  );
  await together.makeDurable();
}
