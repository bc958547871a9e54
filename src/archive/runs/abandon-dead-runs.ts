/** Abandons dead runs: the log takes no more commits of theirs, and their uncommitted files are removed (I-33, I-34 in FORMAT.md). */
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { runLeasePath, LEASES_PREFIX, runOfLease } from '../paths.js';
import { sweepSnapshots } from '../snapshots/sweep-snapshots.js';
import { leaseStanding } from './lease.js';
import { deleteObjects } from '../../storage/small-objects.js';
import { assertNotCut } from '../witnesses/cut-log.js';
import { erasuresUnderWay } from '../erasing/erasures.js';
import { finishErasures } from '../erasing/finish-erasure.js';
import { uselessArtifacts, unnamedParts, uselessManifests } from '../objects/unnamed-objects.js';

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
      'cleaned up after runs that did not end; what they had not recorded, a run of their kind does again',
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

function isExpired(leases: ReadonlyMap<RunId, number>, other: RunId, thisRun: RunId): boolean {
  const renewedAtMs = leases.get(other);
  const nowMs = leases.get(thisRun);
  if (renewedAtMs === undefined || nowMs === undefined) return false;
  return nowMs - renewedAtMs > ABANDON_AFTER_MS;
}
