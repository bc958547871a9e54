/** The bytes of an object on their way into a request: streamed, or from a file that can be read again. */
import { rm, type FileHandle } from 'node:fs/promises';
import type { MultipartUpload } from './s3-multipart.js';
import { type StagedBody, MemoryBuffer, type MemoryBudget } from '../staged-object.js';
import type { JobvaultError } from '../../base/error.js';
import { systemFileSystem, writeAll, localFailure } from '../local/file-system.js';
import { readFileRange } from '../local/local-files.js';
import type { SpoolDirectory } from './spool-directory.js';
import type { ByteRange } from '../storage.js';

/**
 * Staged bytes in the store itself, as an unfinished upload, for objects whose path is known from the start.
 * Uses no disk space, and a checkpoint waits only for the last part.
 */
export class StreamedBody implements StagedBody {
  readonly #upload: MultipartUpload;
  readonly #path: string;

  constructor(upload: MultipartUpload, path: string) {
    this.#upload = upload;
    this.#path = path;
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#upload.write(chunk);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  read(): AsyncIterable<Uint8Array> {
    throw new Error(`${this.#path} was staged to be published, not to be read back`);
  }

  async publish(path: string): Promise<void> {
    if (path !== this.#path) throw new Error(`${path} was staged as ${this.#path}`);
    await this.#upload.complete();
  }

  remove(): Promise<void> {
    return this.#upload.abort();
  }
}

export interface SpooledBodyOptions {
  readonly spool: SpoolDirectory;
  readonly room: MemoryBudget;
  /** Uploads the bytes. */
  readonly upload: (
    path: string,
    bytes: number,
    chunks: AsyncIterable<Uint8Array>,
  ) => Promise<void>;
}

/**
 * Staged bytes on this machine: small objects in memory within a common limit, others in a file of the spool
 * directory. For objects whose path depends on their content, or that are read back before they are published:
 * S3 can neither rename nor read an unfinished upload.
 */
export class SpooledBody implements StagedBody {
  readonly #waiting: MemoryBuffer;
  #file: string | undefined;
  #handle: FileHandle | undefined;
  readonly #options: SpooledBodyOptions;

  constructor(options: SpooledBodyOptions) {
    this.#options = options;
    this.#waiting = new MemoryBuffer(options.room);
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
