/** A temporary file beside the archive's own files, hashed while it is written; no handle stays open after `close`. */
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { JobvaultError } from '../../base/error.js';
import { assertObjectPath } from '../object-path.js';
import type { ByteRange, ContentDigest, StagedObject } from '../storage.js';

/** What a staged object needs of the storage that made it. */
export interface StagingPlace {
  /** What is being written, for messages: a path, or words. */
  readonly told: string;
  /** Moves the temporary file to where readers see it. Durable when it resolves. */
  publish(path: string): Promise<void>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes the temporary file, if it is there. */
  remove(): Promise<void>;
  /** Called once, after it was published or discarded. */
  finished(): void;
  failure(path: string, thrown: unknown): JobvaultError;
}

export class LocalStagedObject implements StagedObject {
  #state: 'writing' | 'closed' | 'published' | 'discarded' = 'writing';
  /**
   * Only while writing: thousands of closed objects wait for a checkpoint at a time, and a handle and
   * a hash hold memory in V8 and outside it (measured: 20 MB of 17,000).
   */
  #writing: { readonly handle: FileHandle; readonly hash: Hash } | undefined;
  #bytes = 0;
  readonly #place: StagingPlace;

  constructor(handle: FileHandle, place: StagingPlace) {
    this.#place = place;

    this.#writing = { handle, hash: createHash('sha256') };
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { handle, hash } = this.#stillWriting();
    try {
      let written = 0;
      while (written < chunk.byteLength) {
        // A nearly full disk takes a part of the chunk and refuses the rest.
        written += (await handle.write(chunk, written)).bytesWritten;
      }
    } catch (error) {
      await this.discard();
      throw this.#place.failure(this.#place.told, error);
    }
    hash.update(chunk);
    this.#bytes += chunk.byteLength;
  }

  async close(): Promise<ContentDigest> {
    const { handle, hash } = this.#stillWriting();
    this.#state = 'closed';
    this.#writing = undefined;
    try {
      await handle.close();
    } catch (error) {
      await this.discard();
      throw this.#place.failure(this.#place.told, error);
    }
    return { bytes: this.#bytes, sha256: hash.digest('hex') };
  }

  read(range?: ByteRange): AsyncIterable<Uint8Array> {
    this.#expect('closed');
    return this.#place.read(range);
  }

  async publish(path: string): Promise<void> {
    this.#expect('closed');
    assertObjectPath(path);
    try {
      await this.#place.publish(path);
    } catch (error) {
      await this.discard();
      throw this.#place.failure(path, error);
    }
    this.#state = 'published';
    this.#place.finished();
  }

  async discard(): Promise<void> {
    if (this.#state === 'published' || this.#state === 'discarded') return;
    const open = this.#writing;
    this.#writing = undefined;
    this.#state = 'discarded';
    // What goes wrong here hides nothing: nobody names a temporary file, and the disk may be full.
    await open?.handle.close().catch(() => undefined);
    await this.#place.remove().catch(() => undefined);
    this.#place.finished();
  }

  #stillWriting(): { readonly handle: FileHandle; readonly hash: Hash } {
    if (this.#writing) return this.#writing;
    throw new Error(`a staged object must be writing for this, but it is ${this.#state}`);
  }

  #expect(state: 'closed'): void {
    if (this.#state !== state) {
      throw new Error(`a staged object must be ${state} for this, but it is ${this.#state}`);
    }
  }
}
