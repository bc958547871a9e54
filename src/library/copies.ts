/** Copies of an open archive: the place that becomes one is opened for the time of the copy. */
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { Storage } from '../storage/storage.js';
import type { CopyChoices, CopySummary } from '../rewrite/copy-archive.js';
import type {
  PseudonymiseChoices,
  PseudonymiseSummary,
} from '../rewrite/pseudonymise/copy-pseudonymised.js';
import type { CallContext } from './call-context.js';

/** @throws {UsageError} the target is no copy of this archive */
export async function copyTo(
  context: CallContext,
  target: string,
  choices: CopyChoices,
): Promise<CopySummary> {
  const { copyArchive } = await import('../rewrite/copy-archive.js');
  const { archive, signal } = context;
  return withTarget(context, target, choices, (storage) =>
    copyArchive(archive, storage, { ...choices, signal }),
  );
}

/** @throws {UsageError} the target is not empty, or the key is too short */
export async function pseudonymiseTo(
  context: CallContext,
  target: string,
  choices: PseudonymiseChoices,
): Promise<PseudonymiseSummary> {
  const { copyPseudonymised } = await import('../rewrite/pseudonymise/copy-pseudonymised.js');
  const { archive, signal } = context;
  return withTarget(context, target, choices, (storage) =>
    copyPseudonymised(archive, storage, { ...choices, signal }),
  );
}

async function withTarget<T>(
  { options }: CallContext,
  target: string,
  choices: { readonly storage?: StorageOptions | undefined },
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(target, choices.storage ?? options.storage, options.logger);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
