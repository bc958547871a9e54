/** Reads archive files back and compares their SHA-256; each file once, however many sessions need it. */
import { createHash } from 'node:crypto';
import { ObjectNotFoundError } from '../storage/object-not-found-error.js';
import type { Storage } from '../storage/storage.js';

export interface ProvableFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export class FileProof {
  readonly #problems = new Map<string, Promise<string | undefined>>();

  constructor(readonly storage: Pick<Storage, 'read'>) {}

  /** What is wrong with the file, going on where its path ends; undefined where it is as committed. */
  problemOf(file: ProvableFile, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#problems.get(file.path);
    if (known) return known;
    const reading = this.#read(file, signal);
    this.#problems.set(file.path, reading);
    // what could not be read to the end proves nothing in either direction
    reading.catch(() => this.#problems.delete(file.path));
    return reading;
  }

  async #read(file: ProvableFile, signal: AbortSignal): Promise<string | undefined> {
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of this.storage.read(file.path)) {
        signal.throwIfAborted();
        hash.update(chunk);
        bytes += chunk.byteLength;
      }
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return 'is missing';
      throw error;
    }
    if (bytes !== file.bytes) return `has ${bytes} bytes instead of ${file.bytes}`;
    return hash.digest('hex') === file.sha256 ? undefined : 'is damaged: its SHA-256 has changed';
  }
}
