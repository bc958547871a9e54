/** Moves orphans that no commit has named for a long time to `_quarantine/`, from where they can be restored. */
import { type Archive, currentContents, type ArchiveReading } from '../archive/archive.js';
import { NamedArtifacts } from '../archive/objects/named-artifacts.js';
import { isArtifactPath, QUARANTINE_PREFIX } from '../archive/paths.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import { checkObject } from '../archive/objects/checked-objects.js';
import { ObjectNotFoundError } from '../storage/storage-errors.js';
import { timeOfUlid, ulid } from '../base/ulid.js';
import { type ObjectInfo, type Storage } from '../storage/storage.js';

/** A run uses an artifact again that is younger than a day: none of these may be moved (I-35 in FORMAT.md). */
const LEAST_OF_ARTIFACTS_MS = 2 * 86_400_000;

export interface SweepOptions extends ArchiveReading {
  /** Minimum time since an object was last written or named. */
  readonly minAgeMs: number;
}

export interface Swept {
  /** Their new prefix, `_quarantine/<ULID>/`; null if nothing was moved. */
  readonly quarantine: string | null;
  readonly moved: readonly string[];
  /** Orphans that stay: a run may be about to commit them. */
  readonly young: readonly string[];
}

/**
 * Requires a sound log and sound rows: what cannot be read may name any of the orphans. A run may publish the same
 * object between the last check and the removal. So objects that are named by the end are moved back, and
 * one that is named later can be restored from the quarantine.
 */
export async function sweepOrphans(
  options: SweepOptions,
  orphans: readonly ObjectInfo[],
  log: LogFindings,
): Promise<Swept> {
  const { archive, minAgeMs, signal } = options;
  const { storage, clock, random } = archive;
  const nowMs = clock.now();
  const leastOf = (path: string) =>
    isArtifactPath(path) ? Math.max(minAgeMs, LEAST_OF_ARTIFACTS_MS) : minAgeMs;
  const isOld = (object: ObjectInfo) => nowMs - lastUsedAtMs(object, log) >= leastOf(object.path);
  const prefix = `${QUARANTINE_PREFIX}${ulid(clock, random)}/`;
  const moved: string[] = [];
  for (const orphan of orphans.filter(isOld)) {
    signal?.throwIfAborted();
    if (await moveAway(storage, orphan, prefix, signal)) moved.push(orphan.path);
  }
  const back = await putBackNamed(archive, moved, prefix, signal);
  const gone = moved.filter((path) => !back.has(path));
  return {
    quarantine: gone.length > 0 ? prefix : null,
    moved: gone,
    young: orphans.filter((object) => !isOld(object)).map(({ path }) => path),
  };
}

/** The latest of the storage's time, the time in the run id of its name, and the log's time. */
function lastUsedAtMs({ path, modifiedAtMs }: ObjectInfo, { lastNamedAtMs }: LogFindings): number {
  const run = /\/([0-9A-Z]{26})-\d+\.[^/]+$/.exec(path)?.[1];
  const madeAtMs = run === undefined ? undefined : timeOfUlid(run);
  return Math.max(modifiedAtMs, madeAtMs ?? 0, lastNamedAtMs.get(path) ?? 0);
}

async function moveAway(
  storage: Storage,
  orphan: ObjectInfo,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { path, bytes, modifiedAtMs } = orphan;
  try {
    await copyObject(storage, path, prefix + path, signal);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return false; // another process has removed it
    throw error;
  }
  const now = await storage.stat(path);
  if (now?.bytes === bytes && now.modifiedAtMs === modifiedAtMs) {
    await storage.delete(path);
    return true;
  }
  await storage.delete(prefix + path); // written again meanwhile: it is in use
  return false;
}

async function putBackNamed(
  archive: Archive,
  moved: readonly string[],
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const back = new Set<string>();
  if (moved.length === 0) return back;
  const { files, manifests } = await currentContents(archive);
  const isArtifactNamed = await namedNow(archive, moved, signal);
  for (const path of moved) {
    if (!files.has(path) && !manifests.has(path) && !isArtifactNamed(path)) continue;
    if (!(await archive.storage.stat(path)))
      await copyObject(archive.storage, prefix + path, path, signal);
    await archive.storage.delete(prefix + path);
    back.add(path);
  }
  return back;
}

/** Whether rows name an artifact by now; of all where that is not known. */
async function namedNow(
  archive: Archive,
  moved: readonly string[],
  signal: AbortSignal | undefined,
): Promise<(path: string) => boolean> {
  const asked = new Set(moved.filter(isArtifactPath));
  if (asked.size === 0) return () => false;
  const files = archive.index.contents.files.values();
  await using artifacts = await NamedArtifacts.read(archive, { files, signal });
  if (!artifacts.isWhole) return (path) => asked.has(path);
  const named = new Set<string>();
  for await (const { path } of artifacts) if (asked.has(path)) named.add(path);
  return (path) => named.has(path);
}

/**
 * The copy is read back: it may soon be the only one.
 *
 * @throws {ObjectNotFoundError} there is nothing at `from`
 * @throws {IntegrityError} the storage has not got what it says it has
 */
async function copyObject(
  storage: Storage,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const staged = await storage.stage();
  try {
    for await (const chunk of storage.read(from)) await staged.write(chunk);
    const digest = await staged.close();
    await staged.publish(to);
    await checkObject(storage, { path: to, ...digest }, signal);
  } finally {
    await staged.discard();
  }
}
