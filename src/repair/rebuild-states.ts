/** Rebuilds states from the log, and removes wrong snapshots. A state is only a cache, unless it contradicts the log. */
import type { Archive } from '../archive/archive.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { statePath, STATES_PREFIX, throughOfSnapshot } from '../archive/paths.js';
import { decodeState } from '../archive/state/state-codec.js';
import { emptyState } from '../archive/state/user-state.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import { wasSavedSince } from '../archive/verify/verify-states.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import { ObjectNotFoundError } from '../storage/storage-errors.js';
import type { UserId } from '../model/ids.js';

/** Removes snapshots that differ from the log or cannot be read: readers use another one, and a run writes the next. */
export async function removeSnapshots(
  { storage }: Archive,
  problems: readonly Pick<VerifyProblem, 'path'>[],
): Promise<string[]> {
  const wrong = problems.flatMap(({ path }) =>
    throughOfSnapshot(path) === undefined ? [] : [path],
  );
  for (const path of wrong) await storage.delete(path);
  return wrong;
}

/**
 * A state that was made from another log is left alone: it is evidence that the log was changed.
 *
 * @param log must be sound
 * @returns the paths of the rebuilt states
 */
export async function rebuildStates(
  archive: Archive,
  log: LogFindings,
  problems: readonly Pick<VerifyProblem, 'path'>[],
): Promise<string[]> {
  const wrong = new Set(
    problems.map(({ path }) => path).filter((path) => path.startsWith(STATES_PREFIX)),
  );
  if (wrong.size === 0) return [];
  await archive.index.refresh();
  const users = new Map([...archive.index.users].map((user) => [statePath(user), user]));
  const rebuilt: string[] = [];
  for (const path of wrong) {
    const user = users.get(path);
    if (user === undefined || (await contradictsLog(archive, path, log))) continue;
    if (await rebuild(archive, user)) rebuilt.push(path);
  }
  return rebuilt;
}

/** Whether the state was made from another log. */
export async function contradictsLog(
  { storage }: Archive,
  path: string,
  { newest, index }: LogFindings,
): Promise<boolean> {
  try {
    const state = await decodeState(path, await storage.get(path));
    const { through, throughDigest } = state;
    if (await wasSavedSince(storage, state, { newest })) return false;
    return through > newest || index.digestOf(through) !== throughDigest;
  } catch (error) {
    if (error instanceof IntegrityError || error instanceof ObjectNotFoundError) return false;
    throw error;
  }
}

/** @returns false if a jobs manifest is damaged: then the state cannot be rebuilt */
async function rebuild({ states, index }: Archive, user: UserId): Promise<boolean> {
  try {
    await states.save(await states.replay(emptyState(user), index.through));
    return true;
  } catch (error) {
    if (error instanceof IntegrityError) return false;
    throw error;
  }
}
