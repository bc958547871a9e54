/**
 * A directory on this machine for objects that wait for their upload. Only this user can read it. Names identify
 * the process, so that files of dead processes can be removed.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { Processes } from '../../base/process-identity.js';
import { systemFileSystem } from '../local/file-system.js';
import {
  countUnknown,
  stagingPrefix,
  type SweepOptions,
  sweepStaging,
} from '../local/staging-directory.js';
import { StorageError } from '../storage-errors.js';

/** Negative on systems without numeric users. A container's user may have a number and no name. */
const OWN = process.getuid?.() ?? -1;

export class SpoolDirectory {
  /** Absolute. */
  readonly directory: string;
  readonly #prefix: string;
  #count = 0;
  #made: Promise<void> | undefined;
  readonly #processes: Processes;

  /** @param parent default: the machine's temporary directory (`TMPDIR`) */
  constructor(processes: Processes, parent = tmpdir()) {
    this.#processes = processes;
    this.directory = join(parent, `jobvault-spool-${OWN}`);
    this.#prefix = stagingPrefix(processes.self, randomBytes(8).toString('hex'));
  }

  /** Makes a file that only this user can read. @throws what the file system throws; {StorageError} */
  async create(): Promise<{ file: string; handle: FileHandle }> {
    await this.#ensure();
    const file = join(this.directory, this.#nextName());
    return { file, handle: await open(file, 'wx', 0o600) };
  }

  /** Removes the files of dead processes. @returns how many files */
  async sweep(): Promise<number> {
    return sweepStaging(await this.#sweeping());
  }

  /** Counts the files of processes of which nobody knows whether they live. */
  async countElsewhere(): Promise<number> {
    return countUnknown(await this.#sweeping());
  }

  async #sweeping(): Promise<SweepOptions> {
    await this.#ensure();
    return {
      fileSystem: systemFileSystem,
      staging: this.directory,
      processes: this.#processes,
      probe: this.#nextName(),
    };
  }

  #nextName(): string {
    return `${this.#prefix}-${this.#count++}`;
  }

  async #ensure(): Promise<void> {
    await (this.#made ??= this.#make());
  }

  /** Refuses a directory of another user: in a shared temporary directory anybody may have made it first. */
  async #make(): Promise<void> {
    const { directory } = this;
    await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const stats = await lstat(directory);
    const isOurs = stats.isDirectory() && (OWN < 0 || stats.uid === OWN);
    const isPrivate = OWN < 0 || (stats.mode & (constants.S_IRWXG | constants.S_IRWXO)) === 0;
    if (isOurs && isPrivate) return;
    throw new StorageError(
      `${directory} cannot be used for temporary files: other users can access it; remove it, or set TMPDIR`,
      { trouble: 'path' },
    );
  }
}
