/**
 * The files of a run: each is stored once, and published with the first checkpoint whose rows name it. The beginnings of
 * tables wait here until the rows that have them are written.
 */
import pLimit from 'p-limit';
import type { Archive } from '../../archive/archive.js';
import { newArtifactPath, unnamedArtifacts } from '../../archive/unnamed-objects.js';
import { erasureKnownTo } from '../../archive/paths.js';
import type { FileFacts, StoredFacts } from '../../flatten/file-facts.js';
import type { StoredFile } from '../../artifacts/artifact-fetcher.js';
import { concurrently } from '../../base/concurrently.js';
import { type StagedObject } from '../../storage/storage.js';
import { PublishBatch } from '../../storage/publish-batch.js';
import { TableTexts, type TextsOfTables } from './table-texts.js';

/** Files published at a time. */
const PUBLISH_CONCURRENCY = 16;
/** Files synced at a time while others are downloaded. */
const SYNC_CONCURRENCY = 8;
/** One that is older is put again: nothing is moved to quarantine that was put within two days (I-35 in FORMAT.md). */
const USED_AGAIN_MS = 86_400_000;

interface PooledFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
  /** Set until the file is published. */
  staged: StagedObject | undefined;
  /** Whether rows of a commit of this run name the file. */
  isCommitted: boolean;
  /** When another run has put the same bytes at its path, in milliseconds since 1970 UTC; undefined if none has. */
  putAtMs: number | undefined;
}

export class ArtifactPool {
  readonly #files = new Map<string, PooledFile>();
  /** Files that came again after an erasure; the log refuses commits that name them. */
  readonly #outdated: PooledFile[] = [];
  readonly #syncing = pLimit(SYNC_CONCURRENCY);
  readonly #texts = new TableTexts();
  /** Paths at which this run has put files. */
  readonly #own = new Set<string>();

  constructor(readonly archive: Archive) {}

  /**
   * Takes a downloaded file; a second copy of the same bytes is discarded. A new file is synced at once, because
   * no file can be downloaded while a checkpoint waits for the disk.
   */
  async accept(file: StoredFile): Promise<StoredFacts> {
    const { sha256, extension, tableText } = file;
    if (tableText !== null) this.#texts.keep(sha256, tableText);
    const pooled = this.#files.get(sha256);
    if (pooled && this.#isValid(pooled)) {
      await file.staged.discard();
      // the bytes are the same, but the facts read from them may differ, such as the rows of a CSV
      return { ...factsOf(file), path: pooled.path };
    }
    if (pooled) this.#outdated.push(pooled);
    const path = newArtifactPath(this.archive, sha256, extension);
    const { staged, bytes } = file;
    const isNew = { staged, isCommitted: false, putAtMs: undefined };
    const own: PooledFile = { sha256, bytes, path, ...isNew };
    this.#files.set(sha256, own);
    const there = this.#own.has(path) ? undefined : await this.archive.storage.stat(path);
    if (there?.bytes === bytes) own.putAtMs = there.modifiedAtMs;
    await this.#syncing(() => staged.sync?.());
    return { ...factsOf(file), path };
  }

  /** After an erasure the same bytes go to another path: those at the old one may be deleted. */
  #isValid({ path }: PooledFile): boolean {
    return erasureKnownTo(path) === this.archive.index.lastErasure;
  }

  get(sha256: string): PooledFile {
    const file = this.#files.get(sha256);
    if (!file) throw new RangeError(`no file with digest ${sha256} is in the pool`);
    return file;
  }

  /** Undefined if one of them has to be read back. */
  textsAtHand(files: Iterable<FileFacts>): TextsOfTables | undefined {
    return this.#texts.textsOf(files);
  }

  /** Reads the texts of tables; may not be called while files are published. */
  async readTexts(files: Iterable<FileFacts>): Promise<TextsOfTables> {
    return this.#texts.readBack(files, (sha256, range) => {
      const { staged, path } = this.get(sha256);
      return staged ? staged.read(range) : this.archive.storage.read(path, range);
    });
  }

  /** Publishes files durably at the paths that rows name; what another run has put there of late stays. */
  async publish(digests: readonly string[]): Promise<void> {
    const { storage, clock } = this.archive;
    const batch = new PublishBatch(storage);
    await concurrently(digests, PUBLISH_CONCURRENCY, async (sha256) => {
      const file = this.get(sha256);
      const { staged, path, putAtMs } = file;
      if (!staged) return;
      this.#own.add(path);
      if (putAtMs !== undefined && clock.now() - putAtMs < USED_AGAIN_MS) {
        batch.found(path);
        await staged.discard();
      } else await batch.publish(staged, path);
      file.staged = undefined;
    });
    await batch.makeDurable();
  }

  /** Removes published files after an erasure that this run had not read: no row can name them any more. */
  async withdraw(): Promise<void> {
    const { index, storage } = this.archive;
    await index.refresh();
    const { lastErasure } = index;
    const files = [...this.#files.values(), ...this.#outdated];
    const late = files.filter(
      ({ path, staged, isCommitted }) =>
        !staged && !isCommitted && erasureKnownTo(path) < lastErasure,
    );
    if (late.length === 0) return;
    const own = new Set(late.map(({ path }) => path));
    for await (const path of unnamedArtifacts(this.archive, lastErasure)) {
      if (own.has(path)) await storage.delete(path);
    }
  }

  /** Forgets every file that no commit names, and discards its staged bytes. */
  async discardUncommitted(): Promise<void> {
    const files = [...this.#files.values(), ...this.#outdated.splice(0)];
    for (const file of files) {
      if (file.isCommitted) continue;
      if (this.#files.get(file.sha256) === file) this.#files.delete(file.sha256);
      await file.staged?.discard();
    }
  }
}

function factsOf(file: StoredFile): Omit<StoredFacts, 'path'> {
  return {
    sha256: file.sha256,
    bytes: file.bytes,
    mediaType: file.mediaType,
    sentName: file.sentName,
    suspicious: file.suspicious,
    rowCount: file.rowCount,
    columnCount: file.columnCount,
    width: file.width,
    height: file.height,
    encoding: file.encoding,
    separator: file.separator,
    headingLine: file.headingLine,
    hasTableText: file.tableText !== null,
  };
}
