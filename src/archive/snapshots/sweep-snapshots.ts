/** Removes the snapshots that nobody needs, and the states that only they name. */
import { deleteObjects } from '../../storage/small-objects.js';
import type { Archive } from '../archive.js';
import { type StatesPart } from './packed-states.js';
import { SnapshotReader, storedStates, storedSnapshots } from './snapshot-reader.js';

/** How many snapshots stay that no commit names: a run may be about to put a commit that names one, or has died before. */
const KEPT_UNNAMED = 2;

/**
 * Deletes the snapshots that nobody needs: all but the newest two that commits name (a reader may be about to read the
 * older one), and the newest of those that a commit may still come to name; and those from before an erasure, which may
 * have what was erased, with their states. A run that was killed may have left one where an erasure has looked already.
 */
export async function sweepSnapshots({ storage, index }: Archive): Promise<number> {
  const stored = await storedSnapshots(storage);
  await index.refresh();
  const { lastErasure, view } = index;
  const newest = view.snapshots[0]?.through ?? 0;
  const needed = new Set(view.snapshots.map(({ path }) => path));
  const unnamed = stored.filter(
    ({ path, through }) => !needed.has(path) && through > newest && through >= lastErasure,
  );
  for (const { path } of unnamed.slice(0, KEPT_UNNAMED)) needed.add(path);
  const useless = stored.filter(({ path }) => !needed.has(path));
  const outdated =
    lastErasure === 0
      ? []
      : (await storedStates(storage)).filter(({ through }) => through < lastErasure);
  const paths = [...useless, ...outdated].map(({ path }) => path);
  await deleteObjects(storage, paths);
  return paths.length;
}

/**
 * Deletes the states that none of the stored snapshots names, if they are older than these: another run may be about to
 * name newer ones.
 *
 * @param known what snapshots name, by their paths
 */
export async function sweepStates(
  { storage, log, index }: Archive,
  known: ReadonlyMap<string, readonly StatesPart[]>,
): Promise<void> {
  const stored = await storedSnapshots(storage);
  const oldest = stored.at(-1)?.through ?? 0;
  const named = new Set<string>();
  const reader = new SnapshotReader(storage, log);
  for (const storedSnapshot of stored) {
    const states =
      known.get(storedSnapshot.path) ?? (await reader.statesOf(storedSnapshot, index.through));
    for (const { path } of states) named.add(path);
  }
  const unnamed = (await storedStates(storage)).filter(
    ({ path, through }) => through < oldest && !named.has(path),
  );
  await deleteObjects(
    storage,
    unnamed.map(({ path }) => path),
  );
}
