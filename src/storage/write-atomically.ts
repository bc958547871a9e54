/** Fills a new directory or a new bucket prefix; removes everything after a failure. */
import { UsageError } from '../base/error.js';
import {
  writeDirectoryAtomically,
  type EarlierDirectory,
  type Replaceable,
} from './local/whole-directory.js';
import { encodedPieces } from '../base/text/short-texts.js';
import { openStorage, schemeOf, type StorageOptions } from './open-storage.js';
import type { Storage, ContentDigest, StagedObject } from './storage.js';

/**
 * A bucket cannot show all objects at once, so `fill` must write the object that marks the whole as complete last.
 *
 * @param place a directory, or `s3://bucket/prefix`, that is empty or not there
 * @param replaceable a directory that was made here before and may be replaced
 * @throws {UsageError} something else is there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws
 */
export async function writeAtomically<T>(
  place: string,
  options: StorageOptions,
  fill: (storage: Storage, earlier?: EarlierDirectory) => Promise<T>,
  replaceable?: Replaceable,
): Promise<T> {
  const storage = await openStorage(place, options);
  if (schemeOf(place) === undefined) return writeDirectoryAtomically(place, fill, replaceable);
  try {
    for await (const { path } of storage.list('')) {
      throw new UsageError(`${place} is not empty (it has ${path}): name a new place`);
    }
    try {
      return await fill(storage);
    } catch (error) {
      // a failed cleanup is harmless: the object that marks the whole as complete is missing
      await clear(storage).catch(() => undefined);
      throw error;
    }
  } finally {
    await storage.close();
  }
}

async function clear(storage: Storage): Promise<void> {
  for await (const { path } of storage.list('')) await storage.delete(path);
}

/** Text that grows in a staged object: many may write at a time, each piece stays whole. */

const BLOCK_BYTES = 64 * 1024;

export class StagedText {
  #waiting: string[] = [];
  #waitingBytes = 0;
  #flushing: Promise<void> = Promise.resolve();
  #length = 0;
  readonly #staged: StagedObject;

  constructor(staged: StagedObject) {
    this.#staged = staged;
  }

  /** Where the next piece will begin, in bytes. */
  get bytes(): number {
    return this.#length;
  }

  /** @param texts written one right after the other: joining a text of 64 MB with a line end would copy it */
  async write(...texts: string[]): Promise<void> {
    for (const text of texts) {
      const bytes = Buffer.byteLength(text);
      this.#waiting.push(text);
      this.#waitingBytes += bytes;
      this.#length += bytes;
    }
    if (this.#waitingBytes >= BLOCK_BYTES) await this.#flush();
  }

  async close(): Promise<ContentDigest> {
    await this.#flush();
    return this.#staged.close();
  }

  #flush(): Promise<void> {
    if (this.#waiting.length === 0) return this.#flushing;
    const texts = this.#waiting;
    const isSmall = this.#waitingBytes <= 2 * BLOCK_BYTES;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // a staged object takes one write at a time
    this.#flushing = this.#flushing.then(async () => {
      const pieces = isSmall
        ? [Buffer.concat(texts.map((text) => Buffer.from(text)))]
        : encoded(texts);
      for (const piece of pieces) await this.#staged.write(piece);
    });
    return this.#flushing;
  }
}

function* encoded(texts: readonly string[]): Generator<Uint8Array> {
  for (const text of texts) yield* encodedPieces(text);
}
