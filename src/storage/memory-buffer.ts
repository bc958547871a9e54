/** Keeps the bytes of small staged objects in memory, within a common limit. */
import type { ByteRange } from './storage.js';

/** Larger objects are written to a file. */
const MAX_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** @param expectedBytes an estimate; undefined: unknown */
export function mayWait(expectedBytes = 0): boolean {
  return expectedBytes <= MAX_BYTES;
}

/** The memory limit that all staged objects of a storage share. */
export class MemoryBudget {
  #freeBytes: number;

  constructor(freeBytes = 32 * 1024 * 1024) {
    this.#freeBytes = freeBytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#freeBytes += bytes;
  }
}

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

  *read(range?: ByteRange): Generator<Uint8Array> {
    const bytes = Buffer.concat(this.#chunks);
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
