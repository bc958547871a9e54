/**
 * Moves replaced files to `_retired/`: at once, so that globs match only current files, and readers of an older
 * commit still find them (I-37 in FORMAT.md).
 */
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { ByteRange, Storage } from '../../storage/storage.js';
import type { LogIndex } from '../log/log-index.js';
import { CONTENT_PREFIXES, isContent, retiredPath } from '../paths.js';

interface StoredLog {
  readonly storage: Storage;
  /** It must be up to date. */
  readonly index: LogIndex;
}

/** The same storage, but `read` also finds content that was moved to `_retired/`. */
export function readingRetired(storage: Storage): Storage {
  async function* read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    let missing: ObjectNotFoundError;
    try {
      yield* storage.read(path, range);
      return;
    } catch (error) {
      if (!(error instanceof ObjectNotFoundError) || !isContent(path)) throw error;
      missing = error;
    }
    try {
      yield* storage.read(retiredPath(path), range);
    } catch (error) {
      throw error instanceof ObjectNotFoundError ? missing : error;
    }
  }
  return new Proxy(storage, {
    get(target, key) {
      if (key === 'read') return read;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/**
 * Retires the files that the log has removed and a killed run has paths at their paths.
 *
 * @param archive whose index is up to date
 * @returns how many objects were moved
 */
export async function retireRemoved({ storage, index }: StoredLog): Promise<number> {
  // an erasure deletes its files itself
  if (index.openErasures.size > 0) return 0;
  const paths = await removedInPlace({ storage, index });
  for (const path of paths) await retire(storage, path);
  return paths.length;
}

/** Paths that the log has removed and that still exist: a run is about to retire them, or was killed before. */
export async function removedInPlace({ storage, index }: StoredLog): Promise<string[]> {
  const found: string[] = [];
  if (index.contents.removed.size === 0) return found;
  for (const prefix of CONTENT_PREFIXES) {
    for await (const { path } of storage.list(prefix)) {
      if (hasLeft({ index }, path)) found.push(path);
    }
  }
  return found;
}

/** Whether the log has removed the path and has not added it again. */
export function hasLeft({ index }: Pick<StoredLog, 'index'>, path: string): boolean {
  const { removed, files, artifacts } = index.contents;
  return removed.has(path) && !files.has(path) && !artifacts.has(path);
}

/** Moves the file to `_retired/`. Safe to repeat, also while another run does the same. */
export async function retire(storage: Storage, path: string): Promise<void> {
  const to = retiredPath(path);
  try {
    if (storage.move) await storage.move(path, to);
    else await copyThenDelete(storage, path, to);
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
  }
}

async function copyThenDelete(storage: Storage, from: string, to: string): Promise<void> {
  const staged = await storage.stage();
  try {
    for await (const chunk of storage.read(from)) await staged.write(chunk);
    await staged.close();
    await staged.publish(to);
  } finally {
    await staged.discard();
  }
  await storage.delete(from);
}
