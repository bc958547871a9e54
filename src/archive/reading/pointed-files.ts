/** The tables and images that rows point to: what counts or links them vouches that they are in the archive, as they were. */
import type { Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { checkObjects } from '../checked-objects.js';
import type { ArtifactEntry } from '../log/commit.js';

/** @param path as a row has it @throws {IntegrityError} the log does not name it */
export function pointedFile({ index }: Pick<Archive, 'index'>, path: string): ArtifactEntry {
  const entry = index.contents.artifacts.get(path);
  if (!entry) throw new IntegrityError(path, 'missing', 'is in a row, but in no commit');
  return entry;
}

/** Reads each of them. @throws {IntegrityError} the log does not name one, or it is missing or damaged */
export async function checkPointedFiles(
  archive: Pick<Archive, 'index' | 'storage'>,
  paths: Iterable<string>,
  signal?: AbortSignal,
): Promise<void> {
  const entries = Array.from(paths, (path) => pointedFile(archive, path));
  await checkObjects(archive.storage, entries, signal);
}
