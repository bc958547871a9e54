/** Part files that a run has published and not committed yet. Only this run gives their names. */
import { concurrently } from '../../base/concurrently.js';
import { deleteObjects } from '../../storage/small-objects.js';
import { PublishBatch } from '../../storage/publish-batch.js';
import type { Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { checkObjects } from '../objects/checked-objects.js';
import type { WrittenPart } from '../parts/part-files.js';
import type { RunId } from '../../model/ids.js';

const AT_ONCE = 16;

export class PublishedParts {
  readonly #archive: Archive;
  /** Paths of all that may be there, also where the store's answer was lost. */
  readonly #paths = new Set<string>();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** All are durable when it resolves. */
  async publish(parts: readonly WrittenPart[]): Promise<void> {
    const batch = new PublishBatch(this.#archive.storage);
    await concurrently(parts, AT_ONCE, async ({ entry: { path }, staged }) => {
      this.#paths.add(path);
      await batch.publish(staged, path);
    });
    await batch.makeDurable();
  }

  /**
   * Before what they replace may go: the store's answer to a write is not believed.
   *
   * @throws {RunAbandonedError} another run has declared this one dead, and removed what it finds of it
   * @throws {IntegrityError} one is not there as it was written
   */
  async readBack(parts: readonly WrittenPart[], run: RunId, signal: AbortSignal): Promise<void> {
    const { storage, index, log } = this.#archive;
    try {
      const files = parts.map(({ entry }) => entry);
      await checkObjects(storage, files, signal);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      await index.refresh();
      log.assertNotAbandoned(run);
      throw error;
    }
  }

  /**
   * `tables/` must not have rows that no commit names.
   *
   * @param kept paths of those that stay; default: none
   */
  async withdraw(kept: ReadonlySet<string> = new Set()): Promise<void> {
    const due = [...this.#paths].filter((path) => !kept.has(path));
    await deleteObjects(this.#archive.storage, due);
    for (const path of due) this.#paths.delete(path);
  }
}
