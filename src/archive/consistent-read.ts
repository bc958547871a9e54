/** Reads an archive, and notices a compaction or an erasure that interferes. */
import type { Archive } from './archive.js';
import { RewrittenMeanwhileError, type Made } from './archive-errors.js';
import type { ObjectInfo } from '../storage/storage.js';
import { CONTENT_PREFIXES } from './paths.js';
import type { FileEntry } from './log/commit.js';

/**
 * @param made what is made from the archive, for the error
 * @param read its errors are passed on, unless files have left the archive since it began
 * @throws {RewrittenMeanwhileError} the caller should read again
 */
export async function readConsistently<T>(
  archive: Archive,
  made: Made,
  read: () => Promise<T>,
): Promise<T> {
  const { index, log, storage } = archive;
  const isRewritten = await watchRewrites(archive);
  const { through } = index;
  let cause: unknown;
  try {
    const result = await read();
    await index.refresh();
    if (index.lastErasure <= through) return result;
  } catch (error) {
    if (!(await isRewritten())) throw error;
    cause = error;
  }
  log.forget();
  throw new RewrittenMeanwhileError(storage.location, made, { cause });
}

/** @returns a function that says whether something was erased, or a file has left the archive, since this call */
export async function watchRewrites({
  index,
}: Pick<Archive, 'index'>): Promise<() => Promise<boolean>> {
  await index.refresh();
  const { through } = index;
  const files = [...index.contents.files.keys()];
  return async () => {
    await index.refresh();
    return index.lastErasure > through || files.some((path) => !index.contents.files.has(path));
  };
}

/** Repeats a read of the archive when another run has compacted it or erased from it meanwhile. */

const MAX_ATTEMPTS = 10;

/** @param make its results count only when it resolves */
export async function retryOnRewrite<T>(make: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof RewrittenMeanwhileError)) throw error;
    }
  }
}

/**
 * Content that a commit has removed and that still exists. Readers of an older commit find it where it was until its
 * grace period is over (I-37 in FORMAT.md).
 */

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

/**
 * The files that the log has now in place of what it has removed, through later rewrites, too. Where one of them is
 * missing or damaged, what it replaces may be all that there is.
 */
export function replacementsOf({ index }: Indexed, removed: Iterable<string>): FileEntry[] {
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
export function hasLeft({ index }: Indexed, path: string): boolean {
  const { removed, files, artifacts } = index.contents;
  return removed.has(path) && !files.has(path) && !artifacts.has(path);
}
