/** Plans an erasure as of the newest commit: which files are rewritten, and what is deleted. */
import { systemRandom, systemClock } from '../../base/runtime.js';
import { ulid } from '../../base/ulid.js';
import { type Archive, rowFormatsOf, type ArchiveTask } from '../../archive/archive.js';
import { NamedArtifacts } from '../../archive/objects/named-artifacts.js';
import type { ArtifactCounts, BegunErasure } from '../../archive/log/commit.js';
import {
  filesWithRows,
  learnFromLog,
  type ErasureTarget,
} from '../../archive/erasing/erasure-target.js';
import { type ErasurePlan } from '../../archive/erasing/write-plan.js';
import {
  isArtifactPath,
  originalOfQuarantined,
  QUARANTINE_PREFIX,
  userLeasePath,
} from '../../archive/paths.js';
import { assertErasuresFinished, type LostErasure } from '../../archive/erasing/erasures.js';
import { writtenIntents, type WrittenIntent } from '../../archive/open-deletions.js';
import { replacedObjects } from '../../archive/objects/replaced-objects.js';
import { unnamedParts } from '../../archive/objects/unnamed-objects.js';
import { LeaseHeldError } from '../../archive/archive-errors.js';
import { mayBeAtWork } from '../../archive/runs/lease.js';
import { type RunId } from '../../model/ids.js';
import type { ErasedSession } from './erase-options.js';
import { targetedSessions } from './erasure-preview.js';
import type { ErasedPart, PartEraser } from './part-eraser.js';
import { leaveUsers, queuedFiles } from '../../archive/runs/queued-runs.js';
import type { Row } from '../../model/table-schema.js';
import { counting } from '../../model/user-spelling.js';
import type { Storage } from '../../storage/storage.js';

export interface PlannedErasure {
  /** The newest commit that was read. */
  readonly base: number;
  /** Paths of files that lose rows. */
  readonly removed: readonly string[];
  /** What each of them loses. */
  readonly parts: readonly ErasedPart[];
  readonly sessions: readonly ErasedSession[];
  readonly erased: BegunErasure['erased'];
}

export interface PlanErasureOptions extends ArchiveTask {
  readonly target: ErasureTarget;
  readonly eraser: PartEraser;
  /** Erasures without a plan: they are open, and the log is read without them. Default: none. */
  readonly lost?: readonly LostErasure[];
}

/**
 * @throws {ErasureUnfinishedError} another erasure is open: its redactions must be finished first
 * @throws {IntegrityError} the log or a file is damaged
 */
export async function planErasure(options: PlanErasureOptions): Promise<PlannedErasure> {
  const { archive, target, eraser, signal, lost = [] } = options;
  await archive.index.refresh();
  const disregarded = new Set<string>(lost.map(({ id }) => id));
  const isOpen = [...archive.index.openErasures.keys()].some((id) => !disregarded.has(id));
  if (isOpen) await assertErasuresFinished(archive);
  const base = archive.index.through;
  const parts: ErasedPart[] = [];
  await learnFromLog(archive, target);
  for (const file of filesWithRows(archive, target)) {
    signal.throwIfAborted();
    const part = await eraser.look(file);
    if (part.dropped > 0) parts.push(part);
  }
  const [format] = await rowFormatsOf(archive);
  const gone = await artifactsGoing(archive, target, signal);
  const sessions = await targetedSessions(archive, target);
  return {
    base,
    removed: parts.map(({ file }) => file.path),
    parts,
    sessions,
    erased: countsOf(target, format?.extension ?? '', { parts, sessions, gone }),
  };
}

interface Erased extends Pick<PlannedErasure, 'parts' | 'sessions'> {
  readonly gone: ArtifactCounts;
}

/** The artifacts that only the erased have. @throws {IntegrityError} rows cannot be read: others may have them */
async function artifactsGoing(
  archive: Archive,
  target: ErasureTarget,
  signal: AbortSignal,
): Promise<ArtifactCounts> {
  await using named = await NamedArtifacts.read(archive, {
    files: archive.index.contents.files.values(),
    markOf: (row) => (isOfOthers(row, target) ? 1 : 0),
    marked: ['user_id', 'session_id'],
    signal,
  });
  named.assertWhole();
  return await named.counts(({ mark }) => mark === 0);
}

function isOfOthers(row: Row, target: ErasureTarget): boolean {
  return !target.hasRow(row['user_id'], row['session_id']);
}

/** @param extension of the format whose rows are counted */
function countsOf(
  target: ErasureTarget,
  extension: string,
  { parts, sessions, gone }: Erased,
): BegunErasure['erased'] {
  const rows: Record<string, number> = {};
  for (const { file, dropped } of parts) {
    if (!file.path.endsWith(`.${extension}`)) continue;
    rows[file.table] = (rows[file.table] ?? 0) + dropped;
  }
  return {
    sessions: target.sessionCount,
    jobs: counting(sessions).reduce((sum, { jobs }) => sum + jobs, 0),
    rows,
    artifacts: gone.count,
    artifact_bytes: gone.bytes,
  };
}

/**
 * What is deleted beside current files: caches, intents, and unnamed part files. Another run may be about to commit
 * those; after the receipt the log refuses it, and the run starts over.
 *
 * @param run the run whose new files stay
 */
export async function leftovers(
  archive: Archive,
  run: RunId,
  target: ErasureTarget,
): Promise<Pick<ErasurePlan, 'leases' | 'doomed' | 'unnamed'>> {
  const { storage } = archive;
  const doomed: string[] = [];
  for await (const { path } of intentsOf(archive, target)) doomed.push(path);
  doomed.push(...(await replaceQueued(storage, target)));
  for await (const path of quarantinedInVain(archive, target)) doomed.push(path);
  for await (const { path } of replacedObjects(archive)) doomed.push(path);
  const unnamed: ErasurePlan['unnamed'] = [];
  for (const [other, paths] of await unnamedParts(archive)) {
    if (other !== run) unnamed.push(...paths);
  }
  const owners = [...target.allOwners];
  const leases = owners.map(userLeasePath);
  return { leases, doomed, unnamed };
}

/** What is in quarantine and not needed: nobody knows whose it is; what the archive may still need stays. */
async function* quarantinedInVain(archive: Archive, target: ErasureTarget): AsyncGenerator<string> {
  const { files } = archive.index.contents;
  const unknown = new Map<string, string[]>();
  for await (const { path } of archive.storage.list(QUARANTINE_PREFIX)) {
    const original = originalOfQuarantined(path);
    if (original === undefined || files.has(original)) continue;
    unknown.set(original, [...(unknown.get(original) ?? []), path]);
  }
  if ([...unknown.keys()].some(isArtifactPath)) {
    await using named = await NamedArtifacts.read(archive, {
      files: files.values(),
      markOf: (row) => (isOfOthers(row, target) ? 1 : 0),
      marked: ['user_id', 'session_id'],
    });
    named.assertWhole();
    for await (const { path, mark } of named) if (mark > 0) unknown.delete(path);
  }
  for (const paths of unknown.values()) yield* paths;
}

/**
 * Checks that no prune is about to delete the same sessions. The plan of the erasure is written by now, so a later
 * prune sees it and gives way (I-50 in FORMAT.md).
 *
 * @throws {LeaseHeldError} a living run is about to delete from the service what is to be erased
 */
export async function assertNotBeingDeleted(
  archive: Archive,
  target: ErasureTarget,
): Promise<void> {
  for await (const { run } of intentsOf(archive, target)) {
    if (run !== undefined && (await mayBeAtWork(run, archive))) {
      throw new LeaseHeldError('deleting from the service what is to be erased', undefined);
    }
  }
}

/**
 * Leaves the other users of queued runs in new files. Until the old ones are deleted, users stand in both.
 *
 * @returns the old files
 */
async function replaceQueued(storage: Storage, target: ErasureTarget): Promise<string[]> {
  const old: string[] = [];
  // one that cannot be read may be about the erased
  const onDamaged = (path: string) => {
    old.push(path);
  };
  for await (const { path, ...queued } of queuedFiles(storage, onDamaged)) {
    const users = queued.users.filter((user) => !target.hasUser(user));
    if (users.length === queued.users.length) continue;
    if (users.length > 0) {
      await leaveUsers(storage, ulid(systemClock, systemRandom), { ...queued, users });
    }
    old.push(path);
  }
  return old;
}

/** Intents to delete sessions that are erased; one that cannot be read may be about them. */
async function* intentsOf(
  { storage }: Archive,
  target: ErasureTarget,
): AsyncGenerator<Pick<WrittenIntent, 'path' | 'run'>> {
  for await (const { path, run, subject } of writtenIntents(storage)) {
    if (!subject || target.hasRow(subject.user, subject.session)) yield { path, run };
  }
}
