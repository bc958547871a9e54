/** Reads an archive, and notices a compaction or an erasure that interferes. */
import type { Archive } from './archive.js';
import { RewrittenMeanwhileError, type Made } from './archive-errors.js';

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
export async function watchRewrites({ index }: Archive): Promise<() => Promise<boolean>> {
  await index.refresh();
  const { through } = index;
  const files = [...index.contents.files.keys()];
  return async () => {
    await index.refresh();
    return index.lastErasure > through || files.some((path) => !index.contents.files.has(path));
  };
}
