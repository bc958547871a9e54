/**
 * Staged bytes on this machine: small objects in memory within a common limit, others in a file of the spool
 * directory. For objects whose path depends on their content, or that are read back before they are published:
 * S3 can neither rename nor read an unfinished upload.
 */
import { rm, type FileHandle } from 'node:fs/promises';
import type { JobvaultError } from '../../base/error.js';
import { systemFileSystem, writeAll } from '../local/file-system.js';
import { localFailure } from '../local/local-failure.js';
import { readFileRange } from '../local/local-read.js';
import type { StagedBody } from './s3-staged-object.js';
import type { SpoolDirectory } from './spool-directory.js';
import type { ByteRange } from '../storage.js';
import { WaitingBytes, type MemoryRoom } from '../waiting-bytes.js';

export interface SpooledBodyOptions {
  readonly spool: SpoolDirectory;
  readonly room: MemoryRoom;
  /** Uploads the bytes. */
  readonly upload: (
    path: string,
    bytes: number,
    chunks: AsyncIterable<Uint8Array>,
  ) => Promise<void>;
}

export class SpooledBody implements StagedBody {
  readonly #waiting: WaitingBytes;
  #file: string | undefined;
  #handle: FileHandle | undefined;
  readonly #options: SpooledBodyOptions;

  constructor(options: SpooledBodyOptions) {
    this.#options = options;
    this.#waiting = new WaitingBytes(options.room);
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#file && this.#waiting.take(chunk)) return;
    await this.#onDisk(async () => {
      const handle = this.#handle ?? (await this.#moveToFile());
      await writeAll(handle, chunk);
    });
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await this.#onDisk(async () => handle?.close());
  }

  async *read(range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = this.#file;
    if (file === undefined) {
      yield* this.#waiting.read(range);
      return;
    }
    try {
      yield* readFileRange(systemFileSystem, file, range);
    } catch (error) {
      throw this.#failure('read', error);
    }
  }

  async publish(path: string, bytes: number): Promise<void> {
    await this.#options.upload(path, bytes, this.read());
  }

  async remove(): Promise<void> {
    this.#waiting.forget();
    const file = this.#file;
    const handle = this.#handle;
    this.#handle = undefined;
    this.#file = undefined;
    await handle?.close().catch(() => undefined);
    if (file !== undefined) await rm(file, { force: true });
  }

  async #moveToFile(): Promise<FileHandle> {
    const { file, handle } = await this.#options.spool.create();
    this.#file = file;
    this.#handle = handle;
    for (const chunk of this.#waiting.chunks) await writeAll(handle, chunk);
    this.#waiting.forget();
    return handle;
  }

  async #onDisk(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw this.#failure('write', error);
    }
  }

  #failure(action: 'write' | 'read', thrown: unknown): JobvaultError {
    const { directory } = this.#options.spool;
    return localFailure(action, 'data that waits to be uploaded', directory, thrown);
  }
}
