/**
 * Finds the file of an object on disk, and refuses symbolic links below the root: in an archive from somebody else they may
 * lead anywhere. The root itself may be a link, or lie behind one.
 *
 * Node cannot open a file relative to an open directory. So a process that writes into the archive at the same
 * time can still swap a directory between the check and the read. Files are opened with O_NOFOLLOW, and
 * bytes that were read count only after a second check.
 */
import { constants, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';
import { assertObjectPath } from '../object-path.js';
import { SymbolicLinkError } from '../storage-errors.js';

/** Windows has neither flag. Without O_NONBLOCK, opening a named pipe in place of a file would block for ever. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
export const READ_FLAGS = (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK;

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);

export class LocalPaths {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #location: string;
  /** Directories that were found to be none behind a link. */
  readonly #directories = new Set<string>();

  /**
   * @param root absolute
   * @param location for messages
   */
  constructor(fileSystem: FileSystem, root: string, location: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#location = location;
  }

  /**
   * The file of an object, which need not be there.
   *
   * @throws {RangeError} a bad path is a bug
   * @throws {SymbolicLinkError} it, or a directory above it within the root, is a link
   */
  async fileOf(path: string): Promise<string> {
    await this.statOf(path);
    return this.fullPath(path);
  }

  /**
   * The same for whoever checks the path once more when the file is open: its directory is looked at the first time
   * alone, and the file not at all.
   */
  async fileToOpen(path: string): Promise<string> {
    const file = this.fullPath(path);
    const directory = directoryOf(path);
    if (directory === '' || this.#directories.has(directory)) return file;
    if ((await this.statOf(directory))?.isDirectory()) this.#directories.add(directory);
    return file;
  }

  /** The same without a look at the disk. */
  fullPath(path: string): string {
    assertObjectPath(path);
    return join(this.#root, path);
  }

  /** Stats of the file itself, without following a link; undefined if there is none. @throws as `fileOf` */
  async statOf(path: string): Promise<Stats | undefined> {
    const found = await Promise.all(this.filesOf(path).map((file) => this.#lstat(file)));
    const link = found.findIndex((stats) => stats?.isSymbolicLink());
    if (link < 0) return found.at(-1);
    throw this.linkError(path, link);
  }

  /**
   * Absolute: each directory below the root that leads to an object, and its file.
   *
   * @throws {RangeError} a bad path is a bug
   */
  filesOf(path: string): string[] {
    assertObjectPath(path);
    return partsOf(path).map((part) => join(this.#root, part));
  }

  /** The error for a link at this index of `filesOf`. */
  linkError(path: string, index: number): SymbolicLinkError {
    return new SymbolicLinkError(partsOf(path)[index] ?? path, this.#location);
  }

  /** Checks the directory of a prefix. @throws as `fileOf` */
  async checkPrefix(prefix: string): Promise<void> {
    const directory = directoryOf(prefix);
    if (directory !== '') await this.statOf(directory);
  }

  async #lstat(file: string): Promise<Stats | undefined> {
    try {
      return await this.#fileSystem.lstat(file);
    } catch (error) {
      if (NOT_THERE.has(codeOf(error) ?? '')) return undefined;
      throw error;
    }
  }
}

/** Empty at the top. */
function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function partsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, last) => parts.slice(0, last + 1).join('/'));
}
