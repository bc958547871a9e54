/** An object that waits for its publication, hashed while it is written; where it waits is its body's affair. */
import { createHash, type Hash } from 'node:crypto';
import { assertObjectPath } from '../object-path.js';
import type { ByteRange, ContentDigest, StagedObject } from '../storage.js';

/** Where the bytes wait. */
export interface StagedBody {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  publish(path: string, bytes: number): Promise<void>;
  /** Leaves nothing of it; harmless after `publish`. */
  remove(): Promise<void>;
}

export class S3StagedObject implements StagedObject {
  #state: 'writing' | 'closed' | 'published' | 'discarded' = 'writing';
  /** Only while writing: thousands of closed objects wait for a checkpoint at a time. */
  #hash: Hash | undefined = createHash('sha256');
  #bytes = 0;
  readonly #body: StagedBody;
  /** Called once, after it was published or discarded. */
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
    // it is published, whatever becomes of the file it was in
    await this.#body.remove().catch(() => undefined);
    this.#finished(this);
  }

  async discard(): Promise<void> {
    if (this.#state === 'published' || this.#state === 'discarded') return;
    this.#state = 'discarded';
    this.#hash = undefined;
    // What goes wrong here hides nothing: nobody names it, and the next run sweeps it.
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
