/**
 * A directory on this machine for objects that wait for their upload. Only this user can read it. Names identify
 * the process, so that files of dead processes can be removed.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as nodeFileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import { systemFileSystem } from '../local/file-system.js';
import type { Processes } from '../../base/process-identity.js';
import { stagingPrefix, sweepStaging } from '../local/staging-directory.js';
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
