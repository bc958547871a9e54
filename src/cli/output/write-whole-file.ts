/** Writes a file atomically: under a temporary name beside it, then renamed. */
import { basename, dirname, resolve } from 'node:path';
import { open, rename, rm } from 'node:fs/promises';
import { localFailure } from '../../storage/local/local-failure.js';
import { partialBeside } from '../../storage/local/whole-directory.js';

/**
 * Replaces an existing file.
 *
 * @throws {StorageError} it cannot be written
 * @throws what `chunks` throws; then nothing is left behind
 */
export async function writeWholeFile(
  place: string,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const target = resolve(place);
  const directory = dirname(target);
  const partial = await partialBeside(target);
  const failure = (error: unknown) => localFailure('write', basename(target), directory, error);
  const file = await open(partial, 'wx').catch((error: unknown) => {
    throw failure(error);
  });
  try {
    try {
      for await (const chunk of chunks) {
        await file.appendFile(chunk).catch((error: unknown) => {
          throw failure(error);
        });
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, target).catch((error: unknown) => {
      throw failure(error);
    });
  } catch (error) {
    // the first error matters more than one of this cleanup
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}
