/**
 * Copies the objects of an archive: content first, then the log in order, the identity last. An incomplete copy
 * has no `jobvault.json`, so nobody can open it as an archive (I-47 in FORMAT.md).
 */
import { currentContents, type ArchiveTask } from '../archive/archive.js';
import { artifactAt } from '../archive/objects/artifact-rows.js';
import { copyChecked, type NamedObject } from '../archive/objects/checked-objects.js';
import { ulid } from '../base/ulid.js';
import { concurrently } from '../base/concurrently.js';
import { NamedArtifacts } from '../archive/objects/named-artifacts.js';
import { encodeIdentity } from '../archive/identity.js';
import { listOwn } from '../archive/objects/unnamed-objects.js';
import { readIdentity } from '../archive/open-archive.js';
import {
  commitNumberOf,
  commitPath,
  COMMITS_PREFIX,
  LAPS_PREFIX,
  ARTIFACTS_PREFIX,
  deltaObjectOf,
  COPY_MARKER_PATH,
  IDENTITY_PATH,
  QUARANTINE_PREFIX,
  SNAPSHOTS_PREFIX,
  stampedCommitOf,
  TABLES_PREFIX,
  TIMESTAMPS_PREFIX,
  WORKBOOKS_PREFIX,
} from '../archive/paths.js';
import { storedLaps, writeLap } from '../archive/laps.js';
import { storedSnapshots, storedStates } from '../archive/snapshots/snapshot-reader.js';
import { DeltaTables } from '../archive/delta/delta-tables.js';
import { repairDelta } from '../archive/delta/verify-delta.js';
import { assertErasuresFinished } from '../archive/erasing/erasures.js';
import { type Storage } from '../storage/storage.js';
import { getIfThere } from '../storage/small-objects.js';
import { PublishBatch } from '../storage/publish-batch.js';
import { assertTarget, putCommit } from './copy-target.js';

export interface CopyOptions extends ArchiveTask {
  readonly target: Storage;
  /** Objects at a time. */
  readonly concurrency: number;
}

export interface CopyCounts {
  /** Number of the newest commit in the copy; 0 if the log is empty. */
  through: number;
  copied: { objects: number; bytes: number };
  /** Objects that were there already: commits with the same bytes, others with the same size. */
  present: number;
  /** Objects that were deleted, because the archive does not have them any more. */
  removed: number;
}

/**
 * Copies what is missing, so that an interrupted copy continues.
 *
 * @throws {UsageError} the target has other files, commits that the archive does not have, or a run at work, or is the archive
 * @throws {ErasureUnfinishedError} the log is half redacted: copy it after the erasure
 * @throws {IntegrityError} the archive is damaged
 */
export async function copyObjects(options: CopyOptions): Promise<CopyCounts> {
  const { archive, target, signal } = options;
  const counts = { through: 0, copied: { objects: 0, bytes: 0 }, present: 0, removed: 0 };
  await assertTarget(options);
  // what a killed copy has staged there may be of somebody who was erased since
  await target.sweep();
  const { files, manifests } = await currentContents(archive);
  const through = archive.index.through;
  counts.through = through;
  await assertErasuresFinished(archive);
  await using artifacts = await NamedArtifacts.read(archive, { files: files.values(), signal });
  artifacts.assertWhole();
  const named = new Map<string, NamedObject>(files);
  for (const jobs of manifests.values()) if (jobs) named.set(jobs.path, jobs);
  const changed = await changedCommits(options);
  const there = await namesIn(target);
  const doomed = [...there.keys()].filter(
    (path) =>
      !named.has(path) && commitNumberOf(path) === undefined && deltaObjectOf(path) === undefined,
  );
  let closing: Promise<void> | undefined;
  // otherwise a reader could open it and find commits whose files are not there
  const close = (): Promise<void> => (closing ??= target.delete(IDENTITY_PATH));
  if (changed.length > 0 || doomed.length > 0) await close();
  async function* due(): AsyncGenerator<readonly [NamedObject, number | undefined]> {
    for (const object of named.values()) yield [object, there.get(object.path)];
    for await (const { artifact, object } of artifacts.beside(listOwn(target, ARTIFACTS_PREFIX))) {
      if (artifact) yield [artifact, object?.bytes];
      else if (object) doomed.push(object.path);
    }
  }
  const batch = new PublishBatch(target);
  await concurrently(due(), options.concurrency, async ([object, bytes]) => {
    signal.throwIfAborted();
    if (bytes === object.bytes) {
      counts.present++;
      batch.found(object.path);
      return;
    }
    await close();
    await copyOne(options, object, batch, counts);
  });
  if (doomed.length > 0) await close();
  counts.present += through - changed.length;
  if (changed.length < through) batch.found(commitPath(through));
  await batch.makeDurable();
  await removeCaches(options);
  for (const number of changed) {
    signal.throwIfAborted();
    const bytes = await archive.storage.get(commitPath(number));
    await putCommit(target, { number, bytes });
    count(counts, bytes.byteLength);
  }
  // before the files go that its earlier versions name
  await publishDelta(options, through);
  await concurrently(doomed, options.concurrency, (path) => target.delete(path));
  counts.removed = doomed.length;
  await copyTimestamps(options, through, counts);
  await copyCaches(options, through, counts);
  const identity = (await readIdentity(archive.storage)) ?? archive.identity;
  const copy = ulid(archive.clock, archive.random);
  await target.put(IDENTITY_PATH, encodeIdentity({ ...identity, copy }));
  await target.delete(COPY_MARKER_PATH);
  return counts;
}

/** The Delta logs of a copy are made from its log: they have the same bytes as those of the archive. */
async function publishDelta({ archive, target }: CopyOptions, through: number): Promise<void> {
  const delta = new DeltaTables(target, archive.identity, {
    index: archive.index,
    whole: archive.index,
  });
  if (await archive.delta.isThere()) await delta.publish({ begin: true, through });
  else await delta.publish({ through });
}

/** Copies damaged or missing objects again. */
export async function copyAgain(options: CopyOptions, paths: readonly string[]): Promise<void> {
  const { archive, target, signal } = options;
  const { files } = await currentContents(archive);
  const { identity, index } = archive;
  await repairDelta({ storage: target, identity, index, signal }, paths);
  const counts = { through: 0, copied: { objects: 0, bytes: 0 }, present: 0, removed: 0 };
  const batch = new PublishBatch(options.target);
  for (const path of paths) {
    const entry = files.get(path) ?? (await artifactAt(archive.storage, path));
    if (entry) await copyOne(options, entry, batch, counts);
  }
  await batch.makeDurable();
}

/** Paths and sizes in the target, without artifacts; including quarantined and replaced files, and its own workbooks, which may have erased persons. */
async function namesIn(target: Storage): Promise<Map<string, number>> {
  const there = new Map<string, number>();
  for (const prefix of [COMMITS_PREFIX, TABLES_PREFIX, WORKBOOKS_PREFIX, QUARANTINE_PREFIX]) {
    for await (const { path, bytes } of listOwn(target, prefix)) there.set(path, bytes);
  }
  return there;
}

/** In the order of the log. */
async function changedCommits(options: CopyOptions): Promise<number[]> {
  const { archive, target, concurrency, signal } = options;
  const changed: number[] = [];
  await concurrently(archive.index.commits, concurrency, async ({ number }) => {
    signal.throwIfAborted();
    if (!(await isSame(archive.storage, target, commitPath(number)))) changed.push(number);
  });
  return changed.sort((a, b) => a - b);
}

/** Whether a commit is the same: an erasure changes commits under the same name. */
async function isSame(from: Storage, target: Storage, path: string): Promise<boolean> {
  const there = await getIfThere(target, path);
  return there !== undefined && Buffer.compare(there, await from.get(path)) === 0;
}

async function copyOne(
  { archive, target }: CopyOptions,
  object: NamedObject,
  batch: PublishBatch,
  counts: CopyCounts,
): Promise<void> {
  const staged = await target.stage({ expectedBytes: object.bytes });
  try {
    await copyChecked(archive.storage, object, staged);
    await batch.publish(staged, object.path);
    count(counts, object.bytes);
  } finally {
    await staged.discard();
  }
}

/** Removes what is derived from the log before any commit changes: it must match the log. */
async function removeCaches({ target, concurrency }: CopyOptions): Promise<void> {
  for (const prefix of [LAPS_PREFIX, SNAPSHOTS_PREFIX]) {
    await concurrently(listOwn(target, prefix), concurrency, ({ path }) => target.delete(path));
  }
}

/** Copies laps, and snapshots with their states: those that are not newer than the copy. */
async function copyCaches(
  { archive, target, signal }: CopyOptions,
  through: number,
  counts: CopyCounts,
): Promise<void> {
  const { storage, index } = archive;
  for (const lap of await storedLaps(storage)) {
    // it is of a run at work that the copy does not have, and would tell of a log that was cut
    if (lap.head.number > through) continue;
    count(counts, await writeLap(target, lap.scope, lap));
  }
  const stored = [...(await storedStates(storage)), ...(await storedSnapshots(storage))];
  for (const { path, through: upTo } of stored) {
    if (upTo > through || upTo < index.lastErasure) continue;
    signal.throwIfAborted();
    const bytes = await getIfThere(storage, path);
    if (!bytes) continue;
    await target.put(path, bytes);
    count(counts, bytes.byteLength);
  }
}

/** After the log: a token of a commit that is not there would be damage. */
async function copyTimestamps(
  { archive, target, concurrency, signal }: CopyOptions,
  through: number,
  counts: CopyCounts,
): Promise<void> {
  await concurrently(listOwn(archive.storage, TIMESTAMPS_PREFIX), concurrency, async ({ path }) => {
    signal.throwIfAborted();
    if ((stampedCommitOf(path) ?? Infinity) > through) return;
    const bytes = await getIfThere(archive.storage, path);
    if (!bytes) return;
    if (await target.putIfAbsent(path, bytes)) count(counts, bytes.byteLength);
    else counts.present++;
  });
}

function count({ copied }: CopyCounts, bytes: number): void {
  copied.objects++;
  copied.bytes += bytes;
}
