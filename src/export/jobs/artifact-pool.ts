/**
 * The files of a run that no commit of it names yet: each is published with the first checkpoint whose rows name it, and
 * then forgotten. The beginnings of tables wait here until the rows that have them are written.
 */
import pLimit from 'p-limit';
import type { Archive } from '../../archive/archive.js';
import { unnamedArtifacts } from '../../archive/objects/unnamed-objects.js';
import { artifactPath, erasureKnownTo } from '../../archive/paths.js';
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
  /** When the same bytes were put at its path, in milliseconds since 1970 UTC; undefined if they were not. */
  putAtMs: number | undefined;
}

export class ArtifactPool {
  readonly #files = new Map<string, PooledFile>();
  /** Files that came again after an erasure; the log refuses commits that name them. */
  readonly #outdated: PooledFile[] = [];
  readonly #syncing = pLimit(SYNC_CONCURRENCY);
  readonly #texts = new TableTexts();
  /** Paths at which this run has put files that no commit of it names. */
  readonly #own = new Set<string>();
  /** Digests of files that were discarded, and did not come again. */
  readonly #discarded = new Set<string>();

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
      return factsOf(file, pooled.path);
    }
    if (pooled) this.#outdated.push(pooled);
    const path = artifactPath(sha256, extension, this.archive.index.lastErasure);
    const { staged, bytes } = file;
    const own: PooledFile = { sha256, bytes, path, staged, putAtMs: undefined };
    this.#files.set(sha256, own);
    this.#discarded.delete(sha256);
    const there = this.#own.has(path) ? undefined : await this.archive.storage.stat(path);
    if (there?.bytes === bytes) own.putAtMs = there.modifiedAtMs;
    await this.#syncing(() => staged.sync?.());
    return factsOf(file, path);
  }

  /** After an erasure the same bytes go to another path: those at the old one may be deleted. */
  #isValid({ path }: PooledFile): boolean {
    return erasureKnownTo(path) === this.archive.index.lastErasure;
  }

  /**
   * Undefined if a commit of this run names the file.
   *
   * @throws {RangeError} it was discarded
   */
  get(sha256: string): PooledFile | undefined {
    const file = this.#files.get(sha256);
    if (!file && this.#discarded.has(sha256)) {
      throw new RangeError(`the file with digest ${sha256} was discarded`);
    }
    return file;
  }

  /** Undefined if one of them has to be read back. */
  textsAtHand(files: Iterable<FileFacts>): TextsOfTables | undefined {
    return this.#texts.textsOf(files);
  }

  /** Reads the texts of tables; may not be called while files are published. */
  async readTexts(files: Iterable<FileFacts>): Promise<TextsOfTables> {
    return this.#texts.readBack(files, ({ sha256, path }, range) => {
      const staged = this.get(sha256)?.staged;
      return staged ? staged.read(range) : this.archive.storage.read(path, range);
    });
  }

  /** Publishes files durably at the paths that rows name; what another run has put there of late stays. */
  async publish(digests: readonly string[]): Promise<void> {
    const { storage, clock } = this.archive;
    const batch = new PublishBatch(storage);
    await concurrently(digests, PUBLISH_CONCURRENCY, async (sha256) => {
      const file = this.get(sha256);
      if (!file?.staged) return;
      const { staged, path, putAtMs } = file;
      this.#own.add(path);
      if (putAtMs !== undefined && clock.now() - putAtMs < USED_AGAIN_MS) {
        batch.found(path);
        await staged.discard();
      } else await batch.publish(staged, path);
      file.staged = undefined;
    });
    await batch.makeDurable();
  }

  /** Forgets files that a commit names now. */
  committed(digests: readonly string[]): void {
    for (const sha256 of digests) {
      const file = this.#files.get(sha256);
      if (!file) continue;
      this.#files.delete(sha256);
      this.#own.delete(file.path);
    }
  }

  /** Removes published files after an erasure that this run had not read: no row can name them any more. */
  async withdraw(): Promise<void> {
    const { index, storage } = this.archive;
    await index.refresh();
    const { lastErasure } = index;
    const files = [...this.#files.values(), ...this.#outdated];
    const late = files.filter(({ path, staged }) => !staged && erasureKnownTo(path) < lastErasure);
    if (late.length === 0) return;
    const own = new Set(late.map(({ path }) => path));
    for await (const path of unnamedArtifacts(this.archive, lastErasure)) {
      if (own.has(path)) await storage.delete(path);
    }
  }

  /** Forgets every file, and discards its staged bytes. */
  async discard(): Promise<void> {
    const files = [...this.#files.values(), ...this.#outdated.splice(0)];
    for (const sha256 of this.#files.keys()) this.#discarded.add(sha256);
    this.#files.clear();
    for (const { staged } of files) await staged?.discard();
  }
}

/** In one literal: another object spread before `path` would give each file a shape of its own in V8 of Node 20 (450 bytes). */
function factsOf(file: StoredFile, path: string): StoredFacts {
  return {
    path,
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
