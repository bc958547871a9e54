/** Times of checks of one user, as runs save and read them. */
import {
  ChecksWriter,
  SavedChecks,
  type KnownLog,
} from '../../../src/archive/state/saved-checks.js';
import { checksLine, type UserChecks } from '../../../src/archive/state/user-checks.js';
import { asUserId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { runOf } from './archive-samples.js';

/** The ULID in the path of what `saveChecks` writes. */
export const CHECKS_ID = runOf('K');

/** @param of.through the newest commit that was known when the old times were read */
export async function saveChecks(
  storage: Storage,
  index: KnownLog,
  checks: UserChecks | readonly UserChecks[],
  of: { readonly through: number; readonly savedMs?: number; readonly id?: string },
): Promise<void> {
  const { through, savedMs = 1, id = CHECKS_ID } = of;
  const writer = new ChecksWriter(storage, index, () => id);
  const all = 'user' in checks ? [checks] : checks;
  for (const one of all) writer.add(checksLine(one, savedMs), through);
  await writer.save();
}

export async function savedChecks(
  storage: Storage,
  index: KnownLog,
  user: string,
): Promise<UserChecks | undefined> {
  const saved = new SavedChecks(storage, index, { assertsHeads: true });
  await saved.refresh();
  return saved.get(asUserId(user));
}
