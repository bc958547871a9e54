/**
 * Finishes an erasure after its receipt; every step may be repeated. The order matters (I-42 in FORMAT.md):
 * snapshots before commits, because a snapshot must match the log; commits before the files that only they name; last
 * the commit that makes every process read the log again.
 */
import { sha256Hex } from '../../base/digest.js';
import { asRunId, type RunId } from '../../model/ids.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects, getIfThere } from '../../storage/small-objects.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { Archive } from '../archive.js';
import { CommitConflictError, IntegrityError } from '../archive-errors.js';
import { decodeCommit, encodeCommit } from '../log/commit-reader.js';
import { notVouchedFor } from '../log/prepared-redactions.js';
import type { BegunErasure, Commit } from '../log/commit.js';
import { MANIFESTS } from '../log/manifest.js';
import { erasuresUnderWay, lostErasures, planLost, type LostErasure } from './erasures.js';
import { readPlan, removePlan, type ErasurePlan } from './write-plan.js';
import {
  commitPath,
  isPart,
  manifestPath,
  planPath,
  redactedManifestPath,
  redactedPath,
  workbookPath,
  type ManifestName,
} from '../paths.js';
import {
  clearAway,
  dropSnapshots,
  dropUnnamedArtifacts,
  dropUnnamedLists,
  isCarriedOut,
  partsNamed,
  removeUnlessNamed,
} from './finish-lost.js';
import { Removal } from './removal.js';
import { hasLeft } from '../objects/replaced-objects.js';
import { runsLosing } from '../workbooks/run-workbooks.js';

/** A run that finishes an erasure. */
export interface FinishingRun {
  readonly archive: Archive;
  readonly run: RunId;
  /** Number of the run's next commit within the run, from 1. */
  readonly checkpoint: number;
}

/**
 * @returns number of the commit `finished`; undefined if another run has made it
 * @throws {IntegrityError} its plan is lost, and a commit of its receipt is not redacted
 */
export async function finishErasure(
  finishing: FinishingRun,
  id: RunId,
): Promise<number | undefined> {
  const { archive, run, checkpoint } = finishing;
  const { storage, index, log, tool } = archive;
  const plan = await readPlan(storage, id);
  const before = log.inMemory;
  // if a new receipt were not read, its plan would be dropped without being carried out
  await index.refresh();
  const begun = index.openErasures.get(id)?.number;
  if (begun !== undefined)
    await (plan
      ? carryOut(archive, { id, plan, begun, before })
      : carryOutLost(archive, id, begun));
  let finished: number | undefined;
  if (begun !== undefined) {
    const commit = await log.append({
      kind: 'erase',
      run,
      checkpoint,
      tool,
      base: index.through,
      scope: {},
      erasure: () => Promise.resolve({ stage: 'finished', id, begun }),
    });
    finished = commit.number;
  }
  await index.refresh();
  await deleteObjects(storage, plan?.leases ?? []);
  await removePlan(storage, id);
  await index.refresh();
  return finished;
}

/**
 * Finishes the erasures that dead runs have begun, and drops those that they had only prepared. One whose plan is lost stays
 * open without a word until all its commits are redacted. The index must be up to date.
 *
 * @param isDead whether the run with this id counts as dead
 * @returns the numbers of the commits made
 */
export async function finishErasures(
  finishing: FinishingRun,
  isDead: (run: RunId) => Promise<boolean>,
): Promise<number[]> {
  const { archive } = finishing;
  const { storage } = archive;
  const lost = new Map((await lostErasures(archive)).map((erasure) => [erasure.id, erasure]));
  const commits: number[] = [];
  const due: LostErasure[] = [];
  // nothing may lie aside any more for one that is lost
  for (const id of new Set([...(await erasuresUnderWay(storage)), ...lost.keys()])) {
    if (id === finishing.run || !(await isDead(id))) continue;
    const erasure = lost.get(id);
    if (erasure) {
      due.push(erasure);
      continue;
    }
    const checkpoint = finishing.checkpoint + commits.length;
    const commit = await finishErasure({ ...finishing, checkpoint }, id);
    if (commit !== undefined) commits.push(commit);
  }
  const checkpoint = finishing.checkpoint + commits.length;
  return [...commits, ...(await finishLost({ ...finishing, checkpoint }, due))];
}

/**
 * Finishes those of the lost erasures whose commits are all redacted.
 *
 * @returns the numbers of the commits made
 */
export async function finishLost(
  finishing: FinishingRun,
  lost: readonly LostErasure[],
): Promise<number[]> {
  const { archive } = finishing;
  const commits: number[] = [];
  for (const { id, receipt } of lost) {
    if (!(await isCarriedOut(archive, await archive.log.read(receipt)))) continue;
    const checkpoint = finishing.checkpoint + commits.length;
    const commit = await finishErasure({ ...finishing, checkpoint }, id);
    if (commit !== undefined) commits.push(commit);
  }
  return commits;
}

/** @throws {IntegrityError} a commit of its receipt is not redacted */
async function carryOutLost(archive: Archive, id: RunId, receipt: number): Promise<void> {
  const begun = await archive.log.read(receipt);
  if (!(await isCarriedOut(archive, begun))) throw planLost({ id, receipt });
  await clearAway(archive, begun);
}

interface Planned {
  readonly id: RunId;
  readonly plan: ErasurePlan;
  /** Number of the receipt. */
  readonly begun: number;
  /** Commits as this run has read them before the receipt, those that it has in memory. */
  readonly before: ReadonlyMap<number, Commit>;
}

async function carryOut(archive: Archive, { id, plan, begun, before }: Planned): Promise<void> {
  const { storage } = archive;
  const removal = new Removal(storage);
  const receipt = await archive.log.read(begun);
  assertVouchedFor(archive, plan, id, receipt);
  await archive.delta.publish(); // before the files go that earlier versions name (I-60)
  await dropSnapshots(archive, removal);
  for (const { number, jobs, oldJobs, users, oldUsers } of plan.commits) {
    const vouched = vouchedFor(receipt, number) ?? NOT_VOUCHED;
    for (const [name, path] of Object.entries({ jobs, users }) as [ManifestName, string | null][]) {
      if (path === null) continue;
      const from = redactedManifestPath(name, id, number);
      await copyIfThere(storage, from, path, vouched[`${name}_sha256`]);
    }
    const bytes = await getVouchedFor(storage, redactedPath(id, number), vouched.sha256);
    const standing = await putRedacted(storage, {
      number,
      bytes,
      begun,
      before: before.get(number),
    });
    for (const path of [jobs, users, oldJobs, oldUsers]) {
      if (path !== null) await removeUnlessNamed(removal, standing, path);
    }
  }
  await dropUnnamedLists(archive, removal, receipt);
  const numbers = plan.commits.map(({ number }) => number);
  await dropOvertaken(archive, removal, { numbers, begun });
  const losing = runsLosing(archive, receipt.removed).map(workbookPath);
  await removal.deleteAll([...losing, ...plan.replaced, ...plan.doomed]);
  const named = await partsNamed(archive);
  await removal.deleteAll(plan.unnamed.filter((path) => !named.has(path)));
  await dropUnnamedArtifacts(archive, removal, receipt);
  await removal.assertGone();
}

const REDACTION_TRIES = 5;

/**
 * Replaces a commit, unless a later erasure has redacted it: a run that only seemed dead must not undo that.
 *
 * @param redaction.bytes undefined if they have gone: another run may have put them in place
 * @param redaction.before spares a read where the storage still has it: what was read before the receipt decides nothing
 * @returns the commit as it stands, if the store is to be believed
 * @throws {CommitConflictError} if others replace it each time in between
 */
async function putRedacted(
  storage: Storage,
  redaction: {
    readonly number: number;
    readonly bytes: Uint8Array | undefined;
    readonly begun: number;
    readonly before: Commit | undefined;
  },
): Promise<Commit> {
  const { number, bytes, begun, before } = redaction;
  const path = commitPath(number);
  const isEarlier = ({ redacted_by: by = 0 }: Commit) => by < begun;
  let known = before && isEarlier(before) ? encodeCommit(before) : undefined;
  for (let tries = 0; tries < REDACTION_TRIES; tries++) {
    const seen = (bytes && known) ?? (await storage.get(path));
    const commit = decodeCommit(number, seen);
    if (!bytes || !isEarlier(commit)) return commit;
    if (await storage.compareAndSwap(path, seen, bytes)) return decodeCommit(number, bytes);
    known = undefined;
  }
  throw new CommitConflictError([], begun);
}

/** Deletes what earlier erasures, which are lost, have put aside for commits that are redacted now: it may name whom this one erases. */
async function dropOvertaken(
  { index }: Archive,
  removal: Removal,
  { numbers, begun }: { readonly numbers: readonly number[]; readonly begun: number },
): Promise<void> {
  const overtaken = [...index.openErasures].filter(([, { number }]) => number < begun);
  for (const id of overtaken.map(([run]) => asRunId(run))) {
    for (const number of numbers) {
      await removal.delete(redactedPath(id, number));
      for (const name of MANIFESTS) await removal.delete(redactedManifestPath(name, id, number));
    }
  }
}

type Vouched = BegunErasure['commits'][number];
const NOT_VOUCHED = { sha256: '', jobs_sha256: null, users_sha256: null } as const;

function vouchedFor({ erasure }: Commit, number: number): Vouched | undefined {
  if (erasure?.stage !== 'begun') return undefined;
  return erasure.commits.find((commit) => commit.number === number);
}

/**
 * Checks that the plan does not exceed its receipt: the log is protected, the plan is not.
 *
 * @throws {IntegrityError}
 */
function assertVouchedFor(archive: Archive, plan: ErasurePlan, id: RunId, receipt: Commit): void {
  const removed = new Set(receipt.removed);
  const isOfReceipt = (commit: ErasurePlan['commits'][number]): boolean => {
    const { number, jobs, oldJobs, users, oldUsers } = commit;
    const vouched = vouchedFor(receipt, number);
    if (!vouched) return false;
    const redacted = MANIFESTS.map((name) => {
      const sha256 = vouched[`${name}_sha256`];
      return sha256 === null ? null : manifestPath(name, number, sha256);
    });
    return (
      [jobs, users].every((path, at) => path === null || path === redacted[at]) &&
      [oldJobs, oldUsers].every((path, at) => path === null || path !== redacted[at])
    );
  };
  const excess =
    plan.commits.find((commit) => !isOfReceipt(commit))?.number ??
    plan.replaced.find((path) => !removed.has(path)) ??
    plan.doomed.find((path) => isPart(path) && !hasLeft(archive, path));
  if (excess === undefined) return;
  const what = typeof excess === 'number' ? `commit ${excess}` : excess;
  const detail = `is damaged: its receipt, commit ${receipt.number}, does not vouch for what it says of ${what}`;
  throw new IntegrityError(planPath(id), 'digest', detail);
}

/** @throws {IntegrityError} the receipt has another SHA-256 */
async function getVouchedFor(
  storage: Storage,
  path: string,
  sha256: string,
): Promise<Uint8Array | undefined> {
  const bytes = await getIfThere(storage, path);
  if (!bytes || sha256Hex(bytes) === sha256) return bytes;
  throw notVouchedFor(path);
}

/** @throws {IntegrityError} the receipt has another SHA-256 */
async function copyIfThere(
  storage: Storage,
  from: string,
  to: string,
  sha256: string | null,
): Promise<void> {
  const staged = await storage.stage();
  try {
    for await (const chunk of storage.read(from)) await staged.write(chunk);
    if ((await staged.close()).sha256 !== sha256) throw notVouchedFor(from);
    await staged.publish(to);
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
  } finally {
    await staged.discard();
  }
}
