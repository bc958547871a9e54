/**
 * Content that a commit has removed and that still exists. Readers of an older commit find it where it was until its
 * grace period is over (I-37 in FORMAT.md).
 */
import type { ObjectInfo } from '../../storage/storage.js';
import type { Archive } from '../archive.js';
import { CONTENT_PREFIXES } from '../paths.js';

/** Its index must be up to date. */
type Indexed = Pick<Archive, 'index'>;

/** @yields what the log has removed; `removedAtMs` is the time of the commit, in milliseconds since 1970 UTC */
export async function* replacedObjects({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): AsyncGenerator<
  ObjectInfo & { readonly removedAtMs: number }
> {
  const { removed } = index.contents;
  if (removed.size === 0) return;
  for (const prefix of CONTENT_PREFIXES) {
    for await (const object of storage.list(prefix)) {
      const removedAtMs = removed.get(object.path);
      if (removedAtMs !== undefined && hasLeft({ index }, object.path)) {
        yield { ...object, removedAtMs };
      }
    }
  }
}

/** Whether the log has removed the path and has not added it again. */
export function hasLeft({ index }: Indexed, path: string): boolean {
  const { removed, files, artifacts } = index.contents;
  return removed.has(path) && !files.has(path) && !artifacts.has(path);
}
