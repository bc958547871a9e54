/** Opens the archive that a command names, and closes it behind. */
import type { Archive } from '../archive/archive.js';
import { openArchive } from '../archive/open-archive.js';
import { openStorage } from '../storage/open-storage.js';
import type { Invocation } from './command.js';

export async function withArchive<T>(
  { positionals }: Pick<Invocation, 'positionals'>,
  use: (archive: Archive) => Promise<T>,
): Promise<T> {
  const storage = openStorage(positionals['archive'] ?? '');
  try {
    return await use(await openArchive(storage));
  } finally {
    await storage.close();
  }
}
