/**
 * Finds the file of an object on disk, and refuses symbolic links below the root: in an archive from somebody else they may
 * lead anywhere. The root itself may be a link, or lie behind one.
 *
 * Node cannot open a file relative to an open directory. So a process that writes into the archive at the same
 * time can still swap a directory between the check and the read. Files are opened with O_NOFOLLOW, and
 * bytes that were read count only after a second check.
 */
import { constants, type Stats, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';
import { assertObjectPath, type ByteRange, type ObjectInfo } from '../storage.js';
import { SymbolicLinkError } from '../storage-errors.js';
import { readAhead } from '../../base/concurrently.js';

/** Windows has neither flag. Without O_NONBLOCK, opening a named pipe in place of a file would block for ever. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
export const READ_FLAGS = (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK;

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);

export class LocalPaths {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #location: string;

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
    const directory = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
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

function partsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, last) => parts.slice(0, last + 1).join('/'));
}

/** Streams a file, or a range of it, in chunks of bounded size; always closes the handle. */

const CHUNK_BYTES = 256 * 1024;

interface ReadOptions extends Partial<ByteRange> {
  /** Called when the file is open, before the first chunk. */
  readonly check?: () => Promise<unknown>;
}

/** Yields fewer bytes than the range has if the file is shorter. Throws what the file system throws. */
export async function* readFileRange(
  fileSystem: FileSystem,
  file: string,
  { start = 0, end: until = Infinity, check }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const handle = await fileSystem.open(file, READ_FLAGS);
  try {
    const stats = await handle.stat();
    // most file systems refuse to read a directory; some return no bytes
    if (!stats.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    await check?.();
    let position = start;
    const end = Math.min(until, stats.size);
    while (position < end) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Lists the files of a directory tree in the order of their paths, as an object store does. */

/** Files that are looked at together. Node's thread pool has four threads by default. */
const BATCH = 32;
/** Batches that are looked at before the caller asks for them. */
const AHEAD = 8;
const VANISHED = new Set(['ENOENT', 'ENOTDIR']);

interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
}

export interface HashedObject extends ObjectInfo {
  /** Of the object's `bytes`, in lower-case hexadecimal; absent if it was not hashed. */
  readonly sha256?: string | undefined;
}

/** Looks at files of one directory faster than lstat; undefined for a file that it leaves to lstat. */
export type QuickLook = (
  paths: readonly string[],
) => Promise<readonly (HashedObject | undefined)[]>;

interface ListedRange {
  readonly prefix: string;
  /** Only files whose paths come after this one. Default: all. */
  readonly after: string | undefined;
  /** Names at the top that are not listed. */
  readonly skip: ReadonlySet<string>;
}

/**
 * Every regular file of a range below `root`, one directory's names in memory. Files that vanish during the listing
 * are left out; symbolic links are not followed.
 */
export async function* listFiles(
  fileSystem: FileSystem,
  root: string,
  { prefix, after = '', skip }: ListedRange,
  look: QuickLook = () => Promise.resolve([]),
): AsyncGenerator<HashedObject> {
  const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (skip.has(start.split('/', 1)[0] ?? '')) return;
  for await (const infos of readAhead(walk(start), AHEAD, infosOf)) {
    yield* infos.filter((info) => info !== undefined);
  }

  /** Yields paths of files that lie in one directory. */
  async function* walk(directory: string): AsyncGenerator<readonly string[]> {
    const entries = await entriesOf(directory);
    for (let at = 0; at < entries.length;) {
      const entry = entries[at];
      if (entry?.isDirectory) {
        yield* walk(entry.path);
        at++;
        continue;
      }
      const files = takeFiles(entries, at);
      yield files;
      at += files.length;
    }
  }

  async function infosOf(paths: readonly string[]): Promise<(HashedObject | undefined)[]> {
    const infos = await look(paths);
    return Promise.all(paths.map(async (path, index) => infos[index] ?? infoOf(path)));
  }

  async function entriesOf(directory: string): Promise<Entry[]> {
    const children = await unlessVanished<Dirent[]>(
      fileSystem.readdir(join(root, directory), { withFileTypes: true }),
    );
    return (children ?? [])
      .filter((child) => child.isFile() || child.isDirectory())
      .filter((child) => directory !== '' || !skip.has(child.name))
      .map((child) => ({
        // with the slash, `a.b` sorts before the files in `a/`, as it does in full paths
        path: directory + child.name + (child.isDirectory() ? '/' : ''),
        isDirectory: child.isDirectory(),
      }))
      .filter(({ path }) => path.startsWith(prefix) || prefix.startsWith(path))
      .filter(({ path, isDirectory }) => path > after || (isDirectory && after.startsWith(path)))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async function infoOf(path: string): Promise<ObjectInfo | undefined> {
    const stats = await unlessVanished(fileSystem.lstat(join(root, path)));
    if (!stats?.isFile()) return undefined;
    return { path, bytes: stats.size, modifiedAtMs: stats.mtimeMs };
  }
}

function takeFiles(entries: readonly Entry[], start: number): string[] {
  const some = entries.slice(start, start + BATCH);
  const end = some.findIndex(({ isDirectory }) => isDirectory);
  return (end < 0 ? some : some.slice(0, end)).map(({ path }) => path);
}

async function unlessVanished<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (VANISHED.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
