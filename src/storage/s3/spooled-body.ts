/**
 * The bytes of a staged object of a bucket, which wait on this machine until it is published: small objects in memory
 * within a common limit, others in a file of the spool directory. From there one request sends them, again if need be.
 */
import { rm, type FileHandle } from 'node:fs/promises';
import { type JobvaultError } from '../../base/error.js';
import { systemFileSystem, writeAll } from '../local/file-system.js';
import { localFailure } from '../local/local-failure.js';
import { readFileRange } from '../local/read-file-range.js';
import { MemoryBuffer, type MemoryBudget, type StagedBody } from '../staged-object.js';
import type { ByteRange, ContentDigest } from '../storage.js';
import type { PutBody } from './s3-put.js';
import type { SpoolDirectory } from './spool-directory.js';

interface SpooledBodyOptions {
  readonly spool: SpoolDirectory;
  readonly room: MemoryBudget;
  readonly put: (path: string, body: PutBody) => Promise<void>;
}

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

  async publish(path: string, { bytes, sha256 }: ContentDigest): Promise<void> {
    const content =
      this.#file === undefined ? Buffer.concat(this.#waiting.chunks) : () => this.read();
    await this.#options.put(path, { bytes, sha256, content });
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
