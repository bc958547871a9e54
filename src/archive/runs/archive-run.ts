/** A run in an archive: holds its run lease, cleans up after dead runs, and leases users. */
import type { UserId, RunId } from '../../model/ids.js';
import type { Row } from '../../model/table-schema.js';
import type { Archive } from '../archive.js';
import {
  REWRITE_LEASE_PATH,
  runLeasePath,
  userLeasePath,
  LEASES_PREFIX,
  runOfLease,
} from '../paths.js';
import {
  writeSnapshotIfDue,
  type SnapshotPace,
  sweepSnapshots,
} from '../snapshots/write-snapshot.js';
import { writePart, type PartTarget, type WrittenPart } from '../part-files.js';
import {
  acquireLease,
  type AcquireOptions,
  type Lease,
  type LeaseOptions,
  leaseStanding,
} from './lease.js';
import { StorageError } from '../../storage/storage-errors.js';
import { deleteObjects } from '../../storage/storage.js';
import { assertNotCut } from '../cut-log.js';
import { erasuresUnderWay } from '../erasures.js';
import { finishErasures } from '../erasing/finish-erasure.js';
import { uselessArtifacts, unnamedParts, uselessManifests } from '../unnamed-objects.js';

export interface ArchiveRunOptions extends Pick<LeaseOptions, 'run'> {
  readonly archive: Archive;
}

export interface UserLeaseOptions extends Pick<AcquireOptions, 'wait' | 'signal'> {
  /** Whether the user must not be named in logs and errors. Default false. */
  readonly isSecret?: boolean;
}

/** A list that lacks what is there is asked for again. */
const PAUSES_BETWEEN_LISTS_MS = [100, 1000];

export class ArchiveRun {
  /** Numbers of the commits made. */
  readonly commits: number[] = [];
  readonly #leases: Lease[] = [];
  #parts = 0;

  constructor(readonly options: ArchiveRunOptions) {}

  get run() {
    return this.options.run;
  }

  get nextCheckpoint(): number {
    return this.commits.length + 1;
  }

  /** Counts the files of the run, from 1. */
  nextPart(): number {
    return ++this.#parts;
  }

  /** Writes a part file of the run without publishing it. */
  writePart(
    part: Omit<PartTarget, 'storage' | 'run' | 'n'>,
    rows: AsyncIterable<readonly Row[]>,
  ): Promise<WrittenPart> {
    const { storage } = this.options.archive;
    return writePart({ ...part, storage, run: this.run, n: this.nextPart() }, rows);
  }

  /**
   * Takes the run lease. Without it, files published before a commit would look like those of a dead run (I-33 in FORMAT.md).
   *
   * @throws {StorageError} trouble `lists`: the storage does not list what is there, so nothing may rest on its lists
   */
  async begin(): Promise<void> {
    const { archive, run } = this.options;
    const files = await archive.storage.sweep();
    if (files > 0) archive.logger.info({ files }, 'removed files that interrupted runs had staged');
    const path = runLeasePath(run);
    this.#leases.push(await this.#lease({ path, subject: `run ${run}`, wait: 'none' }));
    await this.#assertListed(path);
  }

  /**
   * What a run cleans up, erases or counts is what lists show. A file system may give names back in another case, and a
   * store, or a cache before it, may list what was there before. One list beside many changes proves nothing.
   */
  async #assertListed(path: string): Promise<void> {
    const { storage, clock } = this.options.archive;
    for (const pauseMs of [...PAUSES_BETWEEN_LISTS_MS, null]) {
      for await (const listed of storage.list(path)) if (listed.path === path) return;
      // somebody may have removed it meanwhile: nothing depends on a lease
      if (!(await storage.stat(path))) return;
      if (pauseMs !== null) await clock.sleep(pauseMs);
    }
    const text = `${path} was just written to ${storage.location} and is not in its list under that name`;
    throw new StorageError(text, { trouble: 'lists' });
  }

  /** Waits for other rewrites. Two at a time would be safe, but the log would refuse the second, and its work would be lost. */
  async leaseArchive(signal: AbortSignal): Promise<void> {
    const { logger } = this.options.archive;
    const lease = await this.#lease({
      path: REWRITE_LEASE_PATH,
      subject: 'the archive',
      wait: 'endless',
      signal,
      onWait: (holder) => {
        logger.info({ run: holder?.run }, 'another run is rewriting the archive; waiting for it');
      },
    });
    this.#leases.push(lease);
  }

  /**
   * Cleans up after dead runs; call it after `begin`.
   *
   * @param survey as `abandonDeadRuns` has it
   * @throws {IntegrityError} the log is damaged
   */
  async abandonDead(survey?: Archive): Promise<void> {
    const { commits } = await abandonDeadRuns({ ...this.options, survey });
    this.commits.push(...commits);
  }

  /**
   * Leases a user, so that no other run does the same work. The caller releases it.
   *
   * @throws {LeaseHeldError} another run works on the user, and `wait` says not to wait
   */
  async leaseUser(user: UserId, options: UserLeaseOptions): Promise<Lease> {
    const { isSecret = false, ...waiting } = options;
    const subject = isSecret ? 'one of the users' : `user ${user}`;
    return this.#lease({
      ...waiting,
      path: userLeasePath(user),
      subject,
      onWait: (holder) => {
        const { run, host, pid } = holder ?? {};
        const details = isSecret ? {} : { user, run, host, pid };
        const whom = isSecret ? subject : 'this user';
        this.options.archive.logger.info(
          details,
          `another run is at work on ${whom}; waiting for it`,
        );
      },
    });
  }

  /**
   * Leaves a snapshot for readers, where one is due; call it after the last commit.
   *
   * @param reading the archive with an index that may begin with a snapshot; default: as the run has it
   * @returns the number of the commit that names it; undefined if there is none
   */
  async leaveSnapshot(reading?: Archive, pace?: SnapshotPace): Promise<number | undefined> {
    return writeSnapshotIfDue({ archive: reading ?? this.options.archive, run: this.run, pace });
  }

  /** Releases all leases, after all work of the run has ended. Never fails. */
  async end(): Promise<void> {
    for (const lease of this.#leases.splice(0).reverse()) await lease.release();
  }

  #lease(lease: Omit<AcquireOptions, keyof Omit<LeaseOptions, 'path'>>): Promise<Lease> {
    const { archive, ...ofRun } = this.options;
    return acquireLease({ ...archive, ...ofRun, ...lease });
  }
}

/** Abandons dead runs: the log takes no more commits of theirs, and their uncommitted files are removed (I-33, I-34 in FORMAT.md). */

export interface DeadRunsOptions {
  readonly archive: Archive;
  /** The same one as a reader opens it, whose index may begin with a snapshot: where it shows nothing to do, no other commit is read. */
  readonly survey?: Archive | undefined;
  /** The run that cleans up. It must hold its run lease, which tells the time of the storage's clock. */
  readonly run: RunId;
}

export interface AbandonedRuns {
  readonly runs: readonly RunId[];
  /** Numbers of the commits made: one that abandons the runs, one for each erasure of theirs. */
  readonly commits: readonly number[];
  /** Objects that were removed. */
  readonly removed: number;
}

/** A run on another machine is dead after this time without renewal: as long as its staged files are kept. */
const ABANDON_AFTER_MS = 24 * 3_600_000;

/**
 * Abandons dead runs and removes their uncommitted files. Artifacts stay: another run may use them. A run on another
 * machine counts as dead after a day without renewal. If it lives after all, the log refuses its commits: it can lose
 * work, never a row.
 *
 * @throws {IntegrityError} the log is damaged, or its end is lost: nothing is removed
 */
export async function abandonDeadRuns(options: DeadRunsOptions): Promise<AbandonedRuns> {
  const { archive, run, survey } = options;
  if (survey && !(await isWorkLeft({ ...options, archive: survey }))) {
    return { runs: [], commits: [], removed: await sweepSnapshots(survey) };
  }
  // every commit is read before anything is abandoned or removed (I-58 in FORMAT.md)
  const { storage, log, index, tool, logger } = archive;
  const runs = await deadRuns(options);
  const commits: number[] = [];
  let removed = 0;
  const remove = async (paths: readonly string[]): Promise<void> => {
    await deleteObjects(storage, paths);
    removed += paths.length;
  };
  if (runs.length > 0) {
    // what a lost commit names looks the same, and may be all that is left of its sessions
    await assertNotCut(archive);
    const { number: commit } = await log.append({
      kind: 'abandon',
      run,
      checkpoint: 1,
      tool,
      base: index.through,
      scope: {},
      abandoned: runs,
    });
    commits.push(commit);
    logger.warn(
      { runs, commit },
      'cleaned up after runs that did not end; their uncommitted data will be fetched again',
    );
    await index.refresh(); // a run may have committed its parts before it was abandoned
    const unnamed = await unnamedParts(archive);
    await remove(runs.flatMap((dead) => unnamed.get(dead) ?? []));
  }
  const finishing = { archive, run, checkpoint: commits.length + 1 };
  const isGone = async (other: RunId) =>
    runs.includes(other) ||
    (await leaseStanding({ ...archive, path: runLeasePath(other) })) === 'free';
  commits.push(...(await finishErasures(finishing, isGone)));
  if (runs.length > 0) await remove([...(await uselessArtifacts(archive))]);
  await remove([...(await uselessManifests(archive))]);
  removed += await sweepSnapshots(archive);
  // last: if this run dies before, the next one still sees the leases
  await deleteObjects(storage, runs.map(runLeasePath));
  return { runs, commits, removed };
}

/** Whether there is anything to abandon, to finish or to remove but snapshots, as far as the archive's index knows. */
async function isWorkLeft(options: DeadRunsOptions): Promise<boolean> {
  const { archive } = options;
  const { storage, index } = archive;
  if ((await deadRuns(options)).length > 0 || index.openErasures.size > 0) return true;
  return (await erasuresUnderWay(storage)).size > 0 || (await uselessManifests(archive)).length > 0;
}

/** Runs that died with their lease, and runs without lease that have left parts. */
async function deadRuns(options: DeadRunsOptions): Promise<RunId[]> {
  const { archive, run } = options;
  const leases = await runLeases(options);
  await archive.index.refresh();
  const before = await unnamedParts(archive);
  const dead = new Set<RunId>();
  const withoutLease = new Set<RunId>();
  for (const other of new Set([...leases.keys(), ...before.keys()])) {
    if (other === run) continue;
    const standing = await leaseStanding({ ...archive, path: runLeasePath(other) });
    if (standing === 'dead' || (standing === 'unknown' && isExpired(leases, other, run))) {
      dead.add(other);
    }
    if (standing === 'free') withoutLease.add(other);
  }
  if (withoutLease.size === 0) return [...dead];
  // it may have committed or withdrawn them before it released its lease
  await archive.index.refresh();
  const after = await unnamedParts(archive);
  return [...dead, ...[...withoutLease].filter((other) => after.has(other))];
}

/** When each run lease was last renewed, by the storage's clock, in milliseconds since 1970 UTC. */
async function runLeases({ archive }: DeadRunsOptions): Promise<Map<RunId, number>> {
  const leases = new Map<RunId, number>();
  for await (const { path, modifiedAtMs } of archive.storage.list(LEASES_PREFIX)) {
    const run = runOfLease(path);
    if (run !== undefined) leases.set(run, modifiedAtMs);
  }
  return leases;
}

function isExpired(leases: ReadonlyMap<RunId, number>, other: RunId, own: RunId): boolean {
  const renewedAtMs = leases.get(other);
  const nowMs = leases.get(own);
  if (renewedAtMs === undefined || nowMs === undefined) return false;
  return nowMs - renewedAtMs > ABANDON_AFTER_MS;
}
