/** A staged object of S3, hashed while it is written. Its body decides where the bytes wait. */
import { createHash, type Hash } from 'node:crypto';
import {
  assertObjectPath,
  type ByteRange,
  type ContentDigest,
  type StagedObject,
} from '../storage.js';

/** The bytes of a staged object. */
export interface StagedBody {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  publish(path: string, bytes: number): Promise<void>;
  /** Removes the bytes; safe after `publish`. */
  remove(): Promise<void>;
}

export class S3StagedObject implements StagedObject {
  #state: 'writing' | 'closed' | 'published' | 'discarded' = 'writing';
  /** Only while writing: thousands of closed objects wait for a checkpoint at a time. */
  #hash: Hash | undefined = createHash('sha256');
  #bytes = 0;
  readonly #body: StagedBody;
  /** Called once, after the object was published or discarded. */
  readonly #finished: (object: S3StagedObject) => void;

  constructor(body: StagedBody, finished: (object: S3StagedObject) => void) {
    this.#body = body;
    this.#finished = finished;
  }

  async write(chunk: Uint8Array): Promise<void> {
    const hash = this.#stillWriting();
    hash.update(chunk);
    this.#bytes += chunk.byteLength;
    await this.#orDiscard(() => this.#body.write(chunk));
  }

  async close(): Promise<ContentDigest> {
    const sha256 = this.#stillWriting().digest('hex');
    this.#hash = undefined;
    this.#state = 'closed';
    await this.#orDiscard(() => this.#body.close());
    return { bytes: this.#bytes, sha256 };
  }

  read(range?: ByteRange): AsyncIterable<Uint8Array> {
    this.#expectClosed();
    return this.#body.read(range);
  }

  async publish(path: string): Promise<void> {
    this.#expectClosed();
    assertObjectPath(path);
    await this.#orDiscard(() => this.#body.publish(path, this.#bytes));
    this.#state = 'published';
    // the object is published, even if removing its file fails
    await this.#body.remove().catch(() => undefined);
    this.#finished(this);
  }

  async discard(): Promise<void> {
    if (this.#state === 'published' || this.#state === 'discarded') return;
    this.#state = 'discarded';
    this.#hash = undefined;
    // harmless if it stays: the next run removes it
    await this.#body.remove().catch(() => undefined);
    this.#finished(this);
  }

  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  #stillWriting(): Hash {
    if (this.#hash) return this.#hash;
    throw new Error(`a staged object must be writing for this, but it is ${this.#state}`);
  }

  #expectClosed(): void {
    if (this.#state === 'closed') return;
    throw new Error(`a staged object must be closed for this, but it is ${this.#state}`);
  }
}
