/** Ends what has left the archive: out of its place at once, gone when its grace is over. */
import type { Archive } from '../archive/archive.js';
import { uselessArtifacts } from '../archive/parts/artifact-places.js';
import { originalOfRetired, RETIRED_PREFIX } from '../archive/paths.js';
import { retireRemoved } from '../archive/parts/retired.js';
import type { Clock } from '../base/clock.js';

export interface SweepRetiredOptions {
  readonly archive: Archive;
  readonly clock: Clock;
  /** How long after the commit that removed it an object may still be read. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

export interface SweptRetired {
  /** Taken out of their places, where a run had been killed before it could. */
  readonly moved: number;
  readonly deleted: number;
}

/** @throws {IntegrityError} the log is damaged */
export async function sweepRetired(options: SweepRetiredOptions): Promise<SweptRetired> {
  const { archive, clock, graceMs, signal } = options;
  const { storage, index } = archive;
  await index.refresh();
  const moved = await retireRemoved(archive);
  let deleted = 0;
  for (const path of await uselessArtifacts(archive)) {
    await storage.delete(path);
    deleted++;
  }
  for await (const object of storage.list(RETIRED_PREFIX)) {
    signal.throwIfAborted();
    const path = originalOfRetired(object.path);
    if (path === undefined) continue;
    // what the log does not know of counts from when it was put there
    const sinceMs = index.contents.removed.get(path) ?? object.modifiedAtMs;
    if (clock.now() - sinceMs < graceMs) continue;
    await storage.delete(object.path);
    deleted++;
  }
  return { moved, deleted };
}
