/** The bytes of a staged object on a disk: in memory if they are few, otherwise in a temporary file of the archive. */
import type { FileHandle } from 'node:fs/promises';
import { type JobvaultError } from '../../base/error.js';
import { writeAll } from './file-system.js';
import type { StagedBody, MemoryBuffer } from '../staged-object.js';
import type { ByteRange, PublishChoice } from '../storage.js';

/** The operations of the storage that staged bytes need. */
interface StagingPlace {
  /** The subject of messages: a path, or `a new file`. */
  readonly subject: string;
  /** Makes the temporary file. */
  open(): Promise<FileHandle>;
  /** Makes the closed temporary file durable. */
  sync(): Promise<void>;
  /** Moves the temporary file to its path. The name is durable only with `isNameDurable`. */
  publish(path: string, isNameDurable: boolean): Promise<void>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes the temporary file, if it is there. */
  remove(): Promise<void>;
  failure(path: string, thrown: unknown): JobvaultError;
}

/** No handle stays open after `close`. */
export class LocalStagedBody implements StagedBody {
  /** Undefined before the temporary file is made, and after it is closed. */
  #handle: FileHandle | undefined;
  /** Undefined once there is a temporary file. */
  #waiting: MemoryBuffer | undefined;
  /** Undefined until a sync is requested. */
  #syncing: Promise<void> | undefined;
  #isPublished = false;
  readonly #place: StagingPlace;

  /** @param waiting memory for a small object; undefined: a file from the first byte */
  constructor(waiting: MemoryBuffer | undefined, place: StagingPlace) {
    this.#waiting = waiting;
    this.#place = place;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#waiting?.take(chunk) === true) return;
    await this.#named(this.#place.subject, async () => {
      this.#handle ??= await this.#openFile();
      await writeAll(this.#handle, chunk);
    });
  }

  async close(): Promise<void> {
    await this.#named(this.#place.subject, async () => {
      if (!this.#waiting) this.#handle ??= await this.#openFile();
      await this.#closeFile();
    });
  }

  async *read(range?: ByteRange): AsyncGenerator<Uint8Array> {
    if (this.#waiting) yield* this.#waiting.read(range);
    else yield* this.#place.read(range);
  }

  async sync(): Promise<void> {
    await this.#named(this.#place.subject, () => this.#syncOnce());
  }

  async publish(path: string, { isUnsynced = false }: PublishChoice): Promise<void> {
    await this.#named(path, async () => {
      await this.#syncOnce();
      await this.#place.publish(path, !isUnsynced);
    });
    this.#isPublished = true;
  }

  async remove(): Promise<void> {
    await this.#syncing?.catch(() => undefined);
    const isInMemory = this.#waiting !== undefined && this.#handle === undefined;
    this.#waiting?.forget();
    await this.#closeFile().catch(() => undefined);
    if (!isInMemory && !this.#isPublished) await this.#place.remove();
  }

  /** After a failed sync the contents of the disk are unknown, so it is not tried again. */
  #syncOnce(): Promise<void> {
    this.#syncing ??= this.#syncBytes();
    return this.#syncing;
  }

  async #syncBytes(): Promise<void> {
    if (!this.#waiting) {
      await this.#place.sync();
      return;
    }
    const handle = await this.#openFile();
    await handle.sync();
    await this.#closeFile();
  }

  /** The temporary file, with the bytes that were in memory. */
  async #openFile(): Promise<FileHandle> {
    const handle = await this.#place.open();
    this.#handle = handle;
    for (const chunk of this.#waiting?.chunks ?? []) await writeAll(handle, chunk);
    this.#waiting?.forget();
    this.#waiting = undefined;
    return handle;
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #named(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw this.#place.failure(path, error);
    }
  }
}
