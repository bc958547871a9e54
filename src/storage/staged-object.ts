/**
 * The staged object of every storage: its states, and its hash, which is made while it is written. Where the bytes wait is
 * its body's: the small ones in memory, within a common limit.
 */
import { createHash, type Hash } from 'node:crypto';
import type { ByteRange, ContentDigest, PublishChoice, StagedObject } from './storage.js';
import { assertObjectPath } from './object-path.js';

/** Larger objects are written to a file. */
const MAX_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** @param expectedBytes an estimate; undefined: unknown */
export function mayWait(expectedBytes = 0): boolean {
  return expectedBytes <= MAX_BYTES;
}

/** The memory limit that all staged objects of a storage share. */
export class MemoryBudget {
  #freeBytes = 32 * 1024 * 1024;

  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#freeBytes += bytes;
  }
}

/** Keeps the bytes of a small staged object in memory, within a common limit. */
export class MemoryBuffer {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  readonly #room: MemoryBudget;

  constructor(room: MemoryBudget) {
    this.#room = room;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Copies a chunk. False if it does not fit: then all bytes must be written to a file. */
  take(chunk: Uint8Array): boolean {
    if (this.#bytes + chunk.byteLength > MAX_BYTES || !this.#room.take(chunk.byteLength)) {
      return false;
    }
    this.#chunks.push(Uint8Array.from(chunk));
    this.#bytes += chunk.byteLength;
    return true;
  }

  /** Joins the chunks the first time alone: a scratch file of thousands of records is read once for each of them. */
  *read(range?: ByteRange): Generator<Uint8Array> {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    const [bytes = new Uint8Array()] = this.#chunks;
    const end = Math.min(range?.end ?? Infinity, bytes.byteLength);
    for (let at = range?.start ?? 0; at < end; at += CHUNK_BYTES) {
      yield bytes.subarray(at, Math.min(at + CHUNK_BYTES, end));
    }
  }

  /** Releases the memory. Safe to repeat. */
  forget(): void {
    this.#room.giveBack(this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
  }
}

/** The bytes of a staged object. Its errors name what failed. */
export interface StagedBody {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Makes the closed bytes durable; safe to repeat. Absent if `publish` does everything. */
  sync?(): Promise<void>;
  /** @param how also the digest of all that was written */
  publish(path: string, how: PublishChoice & ContentDigest): Promise<void>;
  /** Removes the bytes, if they are still there; safe after `publish`. */
  remove(): Promise<void>;
}

export class HashedStagedObject implements StagedObject {
  #state: 'writing' | 'closed' | 'published' | 'discarded' = 'writing';
  /**
   * Only while writing: thousands of closed objects wait for a checkpoint at a time, and a hash holds memory in V8
   * and outside it (measured, with a handle: 20 MB of 17,000).
   */
  #hash: Hash | undefined = createHash('sha256');
  #bytes = 0;
  /** Empty until it is closed. */
  #sha256 = '';
  readonly #body: StagedBody;
  /** Called once, after the object was published or discarded. */
  readonly #finished: (object: HashedStagedObject) => void;

  constructor(body: StagedBody, finished: (object: HashedStagedObject) => void) {
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
    this.#sha256 = this.#stillWriting().digest('hex');
    this.#hash = undefined;
    this.#state = 'closed';
    await this.#orDiscard(() => this.#body.close());
    return this.#digest();
  }

  read(range?: ByteRange): AsyncIterable<Uint8Array> {
    this.#expectClosed();
    return this.#body.read(range);
  }

  async sync(): Promise<void> {
    this.#expectClosed();
    await this.#body.sync?.();
  }

  async publish(path: string, choice?: PublishChoice): Promise<void> {
    this.#expectClosed();
    assertObjectPath(path);
    await this.#orDiscard(() => this.#body.publish(path, { ...this.#digest(), ...choice }));
    this.#state = 'published';
    await this.#end();
  }

  async discard(): Promise<void> {
    if (this.#state === 'published' || this.#state === 'discarded') return;
    this.#state = 'discarded';
    this.#hash = undefined;
    await this.#end();
  }

  #digest(): ContentDigest {
    return { bytes: this.#bytes, sha256: this.#sha256 };
  }

  /** Bytes that stay are harmless: the next run removes them, and the disk may be full. */
  async #end(): Promise<void> {
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
