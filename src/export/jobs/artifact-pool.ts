/** The files of a run: each stored once, published with the first checkpoint whose rows name it. */
import type { StoredFacts } from '../../flatten/file-facts.js';
import type { StoredFile } from '../../artifacts/artifact-fetcher.js';
import type { StagedObject } from '../../storage/storage.js';

export interface PooledFile extends StoredFacts {
  /** Present until it is published. */
  staged: StagedObject | undefined;
  /** Named by a commit. */
  isCommitted: boolean;
}

export class ArtifactPool {
  readonly #files = new Map<string, PooledFile>();

  /** @param isArchived whether a commit names the file at this path: then it need not be stored again */
  constructor(
    readonly pathOf: (sha256: string, extension: string) => string,
    readonly isArchived: (path: string) => boolean,
  ) {}

  /** Takes over a downloaded file; a second copy of the same bytes is discarded. */
  async accept(file: StoredFile): Promise<StoredFacts> {
    const pooled = this.#files.get(file.sha256);
    // an erasure may have removed it since it was committed: then it is stored again
    if (pooled && (!pooled.isCommitted || this.isArchived(pooled.path))) {
      await file.staged.discard();
      // the bytes are the same, but what was looked for in them may differ: a CSV's rows, say
      return { ...factsOf(file), path: pooled.path };
    }
    const facts = { ...factsOf(file), path: this.pathOf(file.sha256, file.extension) };
    const isCommitted = this.isArchived(facts.path);
    const staged = isCommitted ? undefined : file.staged;
    this.#files.set(file.sha256, { ...facts, staged, isCommitted });
    if (isCommitted) await file.staged.discard();
    return facts;
  }

  get(sha256: string): PooledFile {
    const file = this.#files.get(sha256);
    if (!file) throw new RangeError(`no file with digest ${sha256} is in the pool`);
    return file;
  }

  /** Puts the file where rows say it is; one that is there already stays. */
  async publish(sha256: string): Promise<void> {
    const file = this.get(sha256);
    await file.staged?.publish(file.path);
    file.staged = undefined;
  }

  /** Forgets every file that no commit names, and what was staged of it. */
  async discardUncommitted(): Promise<void> {
    for (const [sha256, file] of this.#files) {
      if (file.isCommitted) continue;
      this.#files.delete(sha256);
      await file.staged?.discard();
    }
  }
}

function factsOf(file: StoredFile): Omit<StoredFacts, 'path'> {
  return {
    sha256: file.sha256,
    bytes: file.bytes,
    mediaType: file.mediaType,
    suspicious: file.suspicious,
    rowCount: file.rowCount,
    columnCount: file.columnCount,
    width: file.width,
    height: file.height,
  };
}
