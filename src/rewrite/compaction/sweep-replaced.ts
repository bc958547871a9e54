/** Deletes what earlier rewrites have replaced, when its grace period is over. */
import type { Archive } from '../../archive/archive.js';
import { uselessArtifacts } from '../../archive/parts/artifact-places.js';
import { replacedObjects } from '../../archive/parts/replaced.js';
import type { Clock } from '../../base/clock.js';

export interface SweepReplacedOptions {
  readonly archive: Archive;
  readonly clock: Clock;
  /** How long an object stays readable after the commit that removed it. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

export interface SweptReplaced {
  /** Files that stay for their readers. */
  readonly kept: number;
  readonly deleted: number;
}

/** @throws {IntegrityError} the log is damaged */
export async function sweepReplaced(options: SweepReplacedOptions): Promise<SweptReplaced> {
  const { archive, clock, graceMs, signal } = options;
  const { storage, index } = archive;
  await index.refresh();
  let kept = 0;
  const due = await uselessArtifacts(archive);
  for await (const { path, removedAtMs } of replacedObjects(archive)) {
    if (clock.now() - removedAtMs < graceMs) kept++;
    else due.push(path);
  }
  for (const path of due) {
    signal.throwIfAborted();
    await storage.delete(path);
  }
  return { kept, deleted: due.length };
}
