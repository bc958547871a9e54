/** Opens the archive that a command names, and closes it behind. */
import type { Archive } from '../../archive/archive.js';
import { openArchive } from '../../archive/open-archive.js';
import { openStorage } from '../../storage/open-storage.js';
import type { storageSettings } from '../../config/storage-settings.js';
import type { Invocation } from '../command.js';
import { storageOptionsOf } from './storage-options.js';

export async function withArchive<T>(
  { positionals, settings }: Pick<Invocation<typeof storageSettings>, 'positionals' | 'settings'>,
  use: (archive: Archive) => Promise<T>,
): Promise<T> {
  const storage = openStorage(positionals['archive'] ?? '', storageOptionsOf(settings));
  try {
    return await use(await openArchive(storage));
  } finally {
    await storage.close();
  }
}
