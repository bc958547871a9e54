/**
 * Part files that a commit has removed and that still exist. Readers of an older commit find it where it was until its
 * grace period is over (I-37 in FORMAT.md).
 */
import type { Archive } from '../archive.js';
import type { ObjectInfo } from '../../storage/storage.js';
import { TABLES_PREFIX } from '../paths.js';
import type { FileEntry } from '../log/commit.js';

/** @yields what the log has removed; `removedAtMs` is the time of the commit, in milliseconds since 1970 UTC */
export async function* replacedObjects(
  archive: Archive,
): AsyncGenerator<ObjectInfo & { readonly removedAtMs: number }> {
  const { storage, index } = archive;
  const { removed } = index.contents;
  if (removed.size === 0) return;
  for await (const object of storage.list(TABLES_PREFIX)) {
    const removedAtMs = removed.get(object.path);
    if (removedAtMs !== undefined && hasLeft(archive, object.path)) {
      yield { ...object, removedAtMs };
    }
  }
}

/**
 * The files that the log has now in place of what it has removed, through later rewrites, too. Where one of them is
 * missing or damaged, what it replaces may be all that there is.
 */
export function replacementsOf({ index }: Archive, removed: Iterable<string>): FileEntry[] {
  const { files: current } = index.contents;
  const gone = new Set(removed);
  const found = new Map<string, FileEntry>();
  for (const change of index.fileChanges) {
    if (!change.removed.some((path) => gone.has(path))) continue;
    for (const file of change.files) {
      if (current.has(file.path)) found.set(file.path, file);
      else gone.add(file.path);
    }
  }
  return [...found.values()];
}

/** Whether the log has removed the path and has not added it again. */
export function hasLeft({ index }: Archive, path: string): boolean {
  const { removed, files } = index.contents;
  return removed.has(path) && !files.has(path);
}
