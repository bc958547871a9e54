/** Moves objects that no commit has named for a long time to `_quarantine/`, from where they can be restored. */
import type { Archive } from '../archive/archive.js';
import { currentContents } from '../archive/archive.js';
import { QUARANTINE_PREFIX } from '../archive/paths.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import type { Clock } from '../base/clock.js';
import type { Random } from '../base/random.js';
import { timeOfUlid, ulid } from '../base/ulid.js';
import { ObjectNotFoundError } from '../storage/object-not-found-error.js';
import type { ContentDigest, ObjectInfo, Storage } from '../storage/storage.js';

export interface SweepOptions {
  readonly archive: Archive;
  readonly clock: Clock;
  readonly random: Random;
  /** Minimum time since an object was last written or named. */
  readonly minAgeMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Swept {
  /** Where they are now: `_quarantine/<ULID>/`, followed by their paths; null where nothing was moved. */
  readonly quarantine: string | null;
  readonly moved: readonly string[];
  /** Orphans that stay: a run may be about to commit them. */
  readonly young: readonly string[];
}

/**
 * Only for a log that is whole: a commit that cannot be read may name any of the orphans. A run that
 * publishes the very same object in the instant between the last look and the removal is caught
 * afterwards: what a commit names by then is put back, and what is named later is mended from here.
 */
export async function sweepOrphans(
  options: SweepOptions,
  orphans: readonly ObjectInfo[],
  log: LogFindings,
): Promise<Swept> {
  const { archive, clock, random, minAgeMs, signal } = options;
  const { storage } = archive;
  const before = clock.now() - minAgeMs;
  const isOld = (object: ObjectInfo) => lastUsedAtMs(object, log) <= before;
  const place = `${QUARANTINE_PREFIX}${ulid(clock, random)}/`;
  const moved: string[] = [];
  for (const orphan of orphans.filter(isOld)) {
    signal?.throwIfAborted();
    if (await moveAway(storage, orphan, place)) moved.push(orphan.path);
  }
  const back = await putBackNamed(archive, moved, place);
  const gone = moved.filter((path) => !back.has(path));
  return {
    quarantine: gone.length > 0 ? place : null,
    moved: gone,
    young: orphans.filter((object) => !isOld(object)).map(({ path }) => path),
  };
}

/** By whichever clock is the latest: the storage's, the one of the run whose name it bears, or the log's. */
function lastUsedAtMs({ path, modifiedAtMs }: ObjectInfo, { lastNamedAtMs }: LogFindings): number {
  const run = /\/([0-9A-Z]{26})-\d+\.[^/]+$/.exec(path)?.[1];
  const madeAtMs = run === undefined ? undefined : timeOfUlid(run);
  return Math.max(modifiedAtMs, madeAtMs ?? 0, lastNamedAtMs.get(path) ?? 0);
}

async function moveAway(storage: Storage, orphan: ObjectInfo, place: string): Promise<boolean> {
  const { path, bytes, modifiedAtMs } = orphan;
  try {
    await copyObject(storage, path, place + path);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return false; // another process has removed it
    throw error;
  }
  const now = await storage.stat(path);
  if (now?.bytes === bytes && now.modifiedAtMs === modifiedAtMs) {
    await storage.delete(path);
    return true;
  }
  await storage.delete(place + path); // written again meanwhile: it is in use
  return false;
}

async function putBackNamed(
  archive: Archive,
  moved: readonly string[],
  place: string,
): Promise<ReadonlySet<string>> {
  const back = new Set<string>();
  if (moved.length === 0) return back;
  const { files, artifacts, manifests } = await currentContents(archive);
  for (const path of moved) {
    if (![files, artifacts, manifests].some((named) => named.has(path))) continue;
    if (!(await archive.storage.stat(path))) await copyObject(archive.storage, place + path, path);
    await archive.storage.delete(place + path);
    back.add(path);
  }
  return back;
}

/** @throws {ObjectNotFoundError} there is nothing at `from` */
async function copyObject(storage: Storage, from: string, to: string): Promise<ContentDigest> {
  const staged = await storage.stage();
  try {
    for await (const chunk of storage.read(from)) await staged.write(chunk);
    const digest = await staged.close();
    await staged.publish(to);
    return digest;
  } finally {
    await staged.discard();
  }
}
