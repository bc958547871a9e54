/**
 * Bytes that wait on this machine: small ones in memory, as long as there is room for all of them, others in
 * a file of the spool directory. For objects whose path follows from their content, or that are read back:
 * S3 can neither rename nor read what is not completed.
 */
import { rm, type FileHandle } from 'node:fs/promises';
import type { JobvaultError } from '../../base/error.js';
import { systemFileSystem } from '../local/file-system.js';
import { localFailure } from '../local/local-failure.js';
import { readFileRange } from '../local/local-read.js';
import type { StagedBody } from './s3-staged-object.js';
import type { SpoolDirectory } from './spool-directory.js';
import type { ByteRange } from '../storage.js';

/** Beyond it an object goes to a file. */
const MOST_IN_MEMORY = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Memory that all the waiting objects of a storage share. */
export class MemoryRoom {
  #left: number;

  constructor(left: number) {
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

export interface SpooledBodyOptions {
  readonly spool: SpoolDirectory;
  readonly room: MemoryRoom;
  /** Brings the bytes to the store. */
  readonly upload: (
    path: string,
    bytes: number,
    chunks: AsyncIterable<Uint8Array>,
  ) => Promise<void>;
}

export class SpooledBody implements StagedBody {
  #chunks: Uint8Array[] = [];
  #inMemory = 0;
  #file: string | undefined;
  #handle: FileHandle | undefined;
  readonly #options: SpooledBodyOptions;

  constructor(options: SpooledBodyOptions) {
    this.#options = options;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#file && this.#fits(chunk.byteLength)) {
      this.#chunks.push(Uint8Array.from(chunk));
      this.#inMemory += chunk.byteLength;
      return;
    }
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
      yield* slices(Buffer.concat(this.#chunks), range);
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
    this.#letGoOfMemory();
    const file = this.#file;
    const handle = this.#handle;
    this.#handle = undefined;
    this.#file = undefined;
    await handle?.close().catch(() => undefined);
    if (file !== undefined) await rm(file, { force: true });
  }

  #fits(bytes: number): boolean {
    return this.#inMemory + bytes <= MOST_IN_MEMORY && this.#options.room.take(bytes);
  }

  async #moveToFile(): Promise<FileHandle> {
    const { file, handle } = await this.#options.spool.create();
    this.#file = file;
    this.#handle = handle;
    for (const chunk of this.#chunks) await writeAll(handle, chunk);
    this.#letGoOfMemory();
    return handle;
  }

  #letGoOfMemory(): void {
    this.#options.room.giveBack(this.#inMemory);
    this.#inMemory = 0;
    this.#chunks = [];
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
    return localFailure(action, 'what waits to be uploaded', directory, thrown);
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  // a nearly full disk takes a part of the chunk and refuses the rest
  while (written < chunk.byteLength) written += (await handle.write(chunk, written)).bytesWritten;
}

function* slices(bytes: Uint8Array, range?: ByteRange): Generator<Uint8Array> {
  const end = Math.min(range?.end ?? Infinity, bytes.byteLength);
  for (let at = range?.start ?? 0; at < end; at += CHUNK_BYTES) {
    yield bytes.subarray(at, Math.min(at + CHUNK_BYTES, end));
  }
}
