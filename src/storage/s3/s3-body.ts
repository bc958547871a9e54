/** The bytes of an object on their way into a request: streamed, or from a file that can be read again. */
import { rm, type FileHandle } from 'node:fs/promises';
import { type StagedBody, MemoryBuffer, type MemoryBudget } from '../staged-object.js';
import { type JobvaultError, codeOf } from '../../base/error.js';
import { systemFileSystem, writeAll, localFailure } from '../local/file-system.js';
import { readFileRange } from '../local/local-files.js';
import type { ByteRange, PublishPlace } from '../storage.js';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as nodeFileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Processes } from '../../base/process-identity.js';
import { stagingPrefix, sweepStaging } from '../local/staging-directory.js';
import { StorageError } from '../storage-errors.js';

/** An upload that is not completed yet. */
interface OpenUpload {
  write(chunk: Uint8Array): Promise<void>;
  complete(place?: PublishPlace): Promise<unknown>;
  abort(): Promise<void>;
}

/**
 * Staged bytes in the store itself, as an unfinished upload, for objects whose path is known from the start.
 * Uses no disk space, and a checkpoint waits only for the last part.
 */
export class StreamedBody implements StagedBody {
  readonly #upload: OpenUpload;
  readonly #path: string;

  constructor(upload: OpenUpload, path: string) {
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

  async publish(path: string, _bytes?: number, place?: PublishPlace): Promise<void> {
    if (path !== this.#path) throw new Error(`${path} was staged as ${this.#path}`);
    await this.#upload.complete(place);
  }

  remove(): Promise<void> {
    return this.#upload.abort();
  }
}

interface SpooledBodyOptions {
  readonly spool: SpoolDirectory;
  readonly room: MemoryBudget;
  /** Uploads the bytes. */
  readonly upload: (
    path: string,
    bytes: number,
    chunks: AsyncIterable<Uint8Array>,
    place?: PublishPlace,
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

  async publish(path: string, bytes: number, place?: PublishPlace): Promise<void> {
    await this.#options.upload(path, bytes, this.read(), place);
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

/**
 * A directory on this machine for objects that wait for their upload. Only this user can read it. Names identify
 * the process, so that files of dead processes can be removed.
 */

/** Negative on systems without numeric users. A container's user may have a number and no name. */
const OWN = process.getuid?.() ?? -1;

export class SpoolDirectory {
  /** Absolute. */
  readonly directory: string;
  readonly #prefix: string;
  #count = 0;
  #made: Promise<void> | undefined;
  readonly #processes: Processes;

  /** @param parent default: the machine's temporary directory */
  constructor(processes: Processes, parent = tmpdir()) {
    this.#processes = processes;

    this.directory = join(parent, `jobvault-spool-${OWN}`);
    this.#prefix = stagingPrefix(processes.self, randomBytes(8).toString('hex'));
  }

  /** Makes a file that only this user can read. @throws what the file system throws; {StorageError} */
  async create(suffix = ''): Promise<{ file: string; handle: nodeFileSystem.FileHandle }> {
    await this.#ensure();
    const file = join(this.directory, `${this.#prefix}-${this.#count++}${suffix}`);
    return { file, handle: await nodeFileSystem.open(file, 'wx', 0o600) };
  }

  /** Names and contents of the small files with a suffix. */
  async *notes(suffix: string): AsyncGenerator<{ readonly name: string; readonly text: string }> {
    const names = await nodeFileSystem.readdir(this.directory).catch(() => []);
    for (const name of names.filter((candidate) => candidate.endsWith(suffix))) {
      const text = await nodeFileSystem
        .readFile(join(this.directory, name), 'utf8')
        .catch(() => '');
      yield { name, text };
    }
  }

  async remove(name: string): Promise<void> {
    await nodeFileSystem.rm(join(this.directory, name), { force: true });
  }

  /** Removes the files of dead processes. @returns how many files */
  async sweep(): Promise<number> {
    const processes = this.#processes;
    const { directory } = this;
    const probe = `${this.#prefix}-${this.#count++}`;
    await this.#ensure();
    return sweepStaging({ fileSystem: systemFileSystem, staging: directory, processes, probe });
  }

  async #ensure(): Promise<void> {
    await (this.#made ??= this.#make());
  }

  /** Refuses a directory of another user: in a shared temporary directory anybody may have made it first. */
  async #make(): Promise<void> {
    const { directory } = this;
    await nodeFileSystem.mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const stats = await nodeFileSystem.lstat(directory);
    const isOurs = stats.isDirectory() && (OWN < 0 || stats.uid === OWN);
    const isPrivate = OWN < 0 || (stats.mode & (constants.S_IRWXG | constants.S_IRWXO)) === 0;
    if (isOurs && isPrivate) return;
    throw new StorageError(
      `${directory} cannot be used for temporary files: other users can access it; remove it, or set TMPDIR`,
      { trouble: 'path' },
    );
  }
}
