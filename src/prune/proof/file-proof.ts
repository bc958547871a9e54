/** Reads archive files back and compares their SHA-256; each file once, however many sessions need it. */
import { IntegrityError } from '../../archive/archive-errors.js';
import { checkObject, type NamedObject } from '../../archive/objects/checked-objects.js';
import type { Storage } from '../../storage/storage.js';

export class FileProof {
  readonly #problems = new Map<string, Promise<string | undefined>>();

  constructor(readonly storage: Storage) {}

  /** What is wrong with the file, going on where its path ends; undefined where it is as committed. */
  problemOf(file: NamedObject, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#problems.get(file.path);
    if (known) return known;
    const reading = this.#read(file, signal);
    this.#problems.set(file.path, reading);
    // what could not be read to the end proves nothing in either direction
    reading.catch(() => this.#problems.delete(file.path));
    return reading;
  }

  async #read(file: NamedObject, signal: AbortSignal): Promise<string | undefined> {
    try {
      await checkObject(this.storage, file, signal);
      return undefined;
    } catch (error) {
      if (error instanceof IntegrityError) return error.detail;
      throw error;
    }
  }
}
