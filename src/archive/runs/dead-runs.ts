/** Abandons dead runs: the log takes no commit of theirs any more, and what they published without a commit is removed (I-33, I-34 in FORMAT.md). */
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { RunId } from '../../model/ids.js';
import type { Processes } from '../../base/process-identity.js';
import type { Archive } from '../archive.js';
import { leaseStanding } from './lease.js';
import { uselessArtifacts } from '../parts/artifact-places.js';
import { unnamedParts, uselessManifests } from '../parts/orphans.js';
import { LEASES_PREFIX, runLeasePath, runOfLease } from '../paths.js';
import { retireRemoved } from '../parts/retired.js';

/** A run that finishes what others have left. */
export interface FinishingRun {
  readonly archive: Archive;
  readonly run: RunId;
  readonly tool: string;
  /** Number of the run's next commit within the run, from 1. */
  readonly checkpoint: number;
}

/**
 * Finishes the erasures that dead runs have begun, and forgets those that they had only prepared.
 *
 * @param isDead whether the run with this id may be taken for dead
 * @returns the numbers of the commits that this took
 */
export type FinishErasures = (
  finishing: FinishingRun,
  isDead: (run: RunId) => Promise<boolean>,
) => Promise<number[]>;

export interface DeadRunsOptions {
  readonly archive: Archive;
  /** Who looks. It must hold its own run lease: the storage's present is read off it. */
  readonly run: RunId;
  /** Name and version, for the commit. */
  readonly tool: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly finishErasures: FinishErasures;
}

export interface AbandonedRuns {
  readonly runs: readonly RunId[];
  /** Numbers of the commits that this took: one that abandons them, one for each erasure of theirs. */
  readonly commits: readonly number[];
  /** Objects that were removed. */
  readonly removed: number;
}

/** Of a run elsewhere that has not renewed its lease: as long as its staged files are kept. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Artifacts stay: another run may use them. A run elsewhere that may live stays, too, until it has
 * not renewed its lease for a day. One that lives all the same is refused by the log: it can lose
 * work, never a row.
 *
 * @throws {IntegrityError} the log is damaged
 */
export async function abandonDeadRuns(options: DeadRunsOptions): Promise<AbandonedRuns> {
  const { archive, run, tool, logger } = options;
  const { storage, log, index } = archive;
  const runs = await deadRuns(options);
  const commits: number[] = [];
  let removed = 0;
  if (runs.length > 0) {
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
    logger.warn({ runs, commit }, 'runs that died are abandoned; what they had not committed goes');
    await index.refresh(); // one may have committed its parts before it was barred
    const unnamed = await unnamedParts(archive);
    for (const path of runs.flatMap((dead) => unnamed.get(dead) ?? [])) {
      await storage.delete(path);
      removed++;
    }
  }
  const finishing = { archive, run, tool, checkpoint: commits.length + 1 };
  const isGone = async (other: RunId) =>
    runs.includes(other) ||
    (await leaseStanding({ ...options, ...archive, path: runLeasePath(other) })) === 'free';
  commits.push(...(await options.finishErasures(finishing, isGone)));
  // one may have been killed between a rewrite's commit and this
  if (runs.length > 0) {
    await retireRemoved(archive);
    for (const path of await uselessArtifacts(archive)) {
      await storage.delete(path);
      removed++;
    }
  }
  for (const path of await uselessManifests(archive)) {
    await storage.delete(path);
    removed++;
  }
  // last: a run that dies before this leaves the lease for the next run to see
  for (const dead of runs) await storage.delete(runLeasePath(dead));
  return { runs, commits, removed };
}

/** Those that died with their lease, and those without one that have left parts. */
async function deadRuns(options: DeadRunsOptions): Promise<RunId[]> {
  const { archive, run } = options;
  const leases = await runLeases(options);
  await archive.index.refresh();
  const before = await unnamedParts(archive);
  const dead = new Set<RunId>();
  const withoutLease = new Set<RunId>();
  for (const other of new Set([...leases.keys(), ...before.keys()])) {
    if (other === run) continue;
    const standing = await leaseStanding({ ...options, ...archive, path: runLeasePath(other) });
    if (standing === 'dead' || (standing === 'unknown' && isForgotten(leases, other, run))) {
      dead.add(other);
    }
    if (standing === 'free') withoutLease.add(other);
  }
  if (withoutLease.size === 0) return [...dead];
  // it may have committed them, or taken them back, before it gave back its lease
  await archive.index.refresh();
  const after = await unnamedParts(archive);
  return [...dead, ...[...withoutLease].filter((other) => after.has(other))];
}

/** When each was renewed last, by the storage's own clock, in milliseconds since 1970 UTC. */
async function runLeases({ archive }: DeadRunsOptions): Promise<Map<RunId, number>> {
  const leases = new Map<RunId, number>();
  for await (const { path, modifiedAtMs } of archive.storage.list(LEASES_PREFIX)) {
    const run = runOfLease(path);
    if (run !== undefined) leases.set(run, modifiedAtMs);
  }
  return leases;
}

function isForgotten(leases: ReadonlyMap<RunId, number>, other: RunId, own: RunId): boolean {
  const renewedAtMs = leases.get(other);
  const presentMs = leases.get(own);
  if (renewedAtMs === undefined || presentMs === undefined) return false;
  return presentMs - renewedAtMs > FORGOTTEN_MS;
}
