/** Lists the files of a directory tree in the order of their paths, as an object store does. */
import { type Dirent } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';
import { type ObjectInfo } from '../storage.js';
import { readAhead } from '../../base/concurrently.js';

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
  /** The SHA-256 of the object's `bytes`, in lower-case hexadecimal; absent if it was not hashed. */
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
