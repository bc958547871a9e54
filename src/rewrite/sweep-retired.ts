/** Cleans up after rewrites: retires removed files, and deletes retired files after their grace period. */
import type { Archive } from '../archive/archive.js';
import { uselessArtifacts } from '../archive/parts/artifact-places.js';
import { originalOfRetired, RETIRED_PREFIX } from '../archive/paths.js';
import { retireRemoved } from '../archive/parts/retired.js';
import type { Clock } from '../base/clock.js';

export interface SweepRetiredOptions {
  readonly archive: Archive;
  readonly clock: Clock;
  /** How long an object stays readable after the commit that removed it. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

export interface SweptRetired {
  /** Files that a killed run had not retired. */
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
    // for files that the log does not know, the time counts from when they were put there
    const sinceMs = index.contents.removed.get(path) ?? object.modifiedAtMs;
    if (clock.now() - sinceMs < graceMs) continue;
    await storage.delete(object.path);
    deleted++;
  }
  return { moved, deleted };
}
