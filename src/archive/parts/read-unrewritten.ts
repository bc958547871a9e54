/** Reads a whole archive, or says that a compaction or an erasure has come between. */
import type { Archive } from '../archive.js';
import { RewrittenMeanwhileError, type Made } from './rewritten-meanwhile-error.js';

/**
 * @param made what is being made of the archive; counts only when this resolves
 * @param read whatever it throws is thrown, unless that may come from what has left the archive since
 * @throws {RewrittenMeanwhileError} read once more
 */
export async function readUnrewritten<T>(
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

/** @returns tells whether since this moment something was erased, or a file has left the archive */
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
