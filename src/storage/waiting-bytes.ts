/** Bytes of a staged object that wait in memory: those of small objects, as long as there is room for all of them. */
import type { ByteRange } from './storage.js';

/** Beyond it an object goes to a file. */
const MOST_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** @param expectedBytes a guess; undefined where nobody knows */
export function mayWait(expectedBytes = 0): boolean {
  return expectedBytes <= MOST_BYTES;
}

/** Memory that all the waiting objects of a storage share. */
export class MemoryRoom {
  #left: number;

  constructor(left = 32 * 1024 * 1024) {
    this.#left = left;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

export class WaitingBytes {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  readonly #room: MemoryRoom;

  constructor(room: MemoryRoom) {
    this.#room = room;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Copies a chunk. False where it does not fit, and so must go elsewhere, with what waits. */
  take(chunk: Uint8Array): boolean {
    if (this.#bytes + chunk.byteLength > MOST_BYTES || !this.#room.take(chunk.byteLength)) {
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

  /** Can be called more than once. */
  forget(): void {
    this.#room.giveBack(this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
  }
}
