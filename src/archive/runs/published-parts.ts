/** Part files that a run has published and not committed yet. Only this run gives their names. */
import { concurrently } from '../../base/concurrently.js';
import { PathTakenError } from '../../storage/storage-errors.js';
import { deleteObjects, PublishBatch } from '../../storage/storage.js';
import type { Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { checkObjects } from '../checked-objects.js';
import type { WrittenPart } from '../part-files.js';
import type { RunId } from '../../model/ids.js';

const AT_ONCE = 16;
const DOUBLED =
  'is there already, and only this run makes files of this name: another process has the id of this run, as on a machine that was doubled, or put back to a snapshot of itself';

/**
 * A machine that is doubled, or put back to a snapshot of itself, goes on with the same run id. It must replace nothing
 * that its double has committed or is about to commit, and withdraw nothing of it: of a name, the first one counts.
 */
export class PublishedParts {
  readonly #archive: Pick<Archive, 'storage' | 'index' | 'log'>;
  /** By path, whether it is known to be published; of those of a double there is none. */
  readonly #parts = new Map<string, boolean>();

  constructor(archive: Pick<Archive, 'storage' | 'index' | 'log'>) {
    this.#archive = archive;
  }

  has(path: string): boolean {
    return this.#parts.get(path) === true;
  }

  /** All are durable when it resolves. @throws {IntegrityError} the run's double has published one of this name */
  async publish(parts: readonly WrittenPart[]): Promise<void> {
    const batch = new PublishBatch(this.#archive.storage);
    await concurrently(parts, AT_ONCE, async ({ entry: { path }, staged }) => {
      this.#parts.set(path, false);
      try {
        await batch.publish(staged, path, 'if-absent');
        this.#parts.set(path, true);
      } catch (error) {
        if (!(error instanceof PathTakenError)) throw error;
        this.#parts.delete(path);
        throw new IntegrityError(path, 'chain', DOUBLED);
      }
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
   * `tables/` must not have rows that no commit names. What the log names is of the run's double.
   *
   * @param kept paths of those that stay; default: none
   */
  async withdraw(kept: ReadonlySet<string> = new Set()): Promise<void> {
    const { storage, index } = this.#archive;
    const due = [...this.#parts.keys()].filter((path) => !kept.has(path));
    if (due.length === 0) return;
    await index.refresh();
    const unnamed = due.filter((path) => !index.contents.files.has(path));
    await deleteObjects(storage, unnamed);
    for (const path of due) this.#parts.delete(path);
  }
}
