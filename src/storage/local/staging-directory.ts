/** The directory of staged files. It is inside the archive, so that a rename never crosses file systems; `list` leaves it out. */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { Processes } from '../../base/process-identity.js';
import type { LocalPaths } from '../local-paths.js';
import type { DurableDirectories } from './durable-directories.js';
import type { FileSystem } from './file-system.js';
import { stagingPrefix } from './staging-names.js';
import { sweepStaging } from './staging-sweep.js';

export const STAGING = '_staging';

/** Attempts: another process that closes may remove the empty directory before we open a file in it. */
const ATTEMPTS = 20;

export interface StagingDirectoryParts {
  readonly root: string;
  readonly fileSystem: FileSystem;
  readonly processes: Processes;
  readonly paths: LocalPaths;
  readonly directories: DurableDirectories;
}

/** Every method throws what the file system throws. */
export class StagingDirectory {
  /** Absolute. */
  readonly directory: string;
  /** Prefix of the names of our own staged files. */
  readonly #prefix: string;
  #count = 0;
  readonly #parts: StagingDirectoryParts;

  constructor(parts: StagingDirectoryParts) {
    this.#parts = parts;
    this.directory = join(parts.root, STAGING);
    this.#prefix = stagingPrefix(parts.processes.self, randomBytes(8).toString('hex'));
  }

  /** A unique name. */
  nextName(): string {
    return `${this.#prefix}-${this.#count++}`;
  }

  fileOf(name: string): string {
    return join(this.directory, name);
  }

  /** @throws {SymbolicLinkError} a link stands in its place */
  async ensure(): Promise<void> {
    await this.#inside(() => Promise.resolve());
  }

  /** Makes a new file. @throws as `ensure` */
  async create(name: string): Promise<FileHandle> {
    return this.#inside(() => this.#parts.fileSystem.open(this.fileOf(name), 'wx'));
  }

  /** Removes the staged files of dead writers. @returns how many files */
  async sweep(): Promise<number> {
    const { fileSystem, processes, paths } = this.#parts;
    await paths.fileOf(STAGING);
    return sweepStaging({
      fileSystem,
      processes,
      staging: this.directory,
      probe: this.nextName(),
    });
  }

  /** Removes the directory if it is empty. */
  async removeIfEmpty(): Promise<void> {
    const { fileSystem, directories } = this.#parts;
    directories.forget(this.directory);
    await fileSystem.rmdir(this.directory).catch(() => undefined);
  }

  async #inside<T>(work: () => Promise<T>): Promise<T> {
    const { directories, paths, root } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      try {
        await directories.ensure(this.directory);
        return await work();
      } catch (error) {
        await paths.fileOf(STAGING);
        if (codeOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
        directories.forget(root);
      }
    }
  }
}
