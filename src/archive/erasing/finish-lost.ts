/**
 * Erasures whose plan is lost. Only their receipts are left, which name no person: the commits that they list are redacted
 * by somebody who erases the same again, and then what a receipt vouches for can be cleared away without a plan. How objects
 * of an erasure are deleted is here too.
 */
import type { Archive } from '../archive.js';
import { CommitReader } from '../log/commit-chain.js';
import type { Commit } from '../log/commit.js';
import { vouchedManifests } from '../log/contents.js';
import { replacedObjects } from '../objects/replaced-objects.js';
import { COMMITS_PREFIX, manifestOf, workbookPath } from '../paths.js';
import { mayBeAtWork } from '../runs/lease.js';
import { storedSnapshots, storedStates } from '../snapshots/snapshot-reader.js';
import { unnamedArtifacts } from '../objects/unnamed-objects.js';
import { runsLosing } from '../workbooks/run-workbooks.js';
import { lostErasures, type LostErasure } from './erasures.js';
import { type Storage } from '../../storage/storage.js';
import { StorageError } from '../../storage/storage-errors.js';
import type { ErasureTarget } from './erasure-target.js';
import { Removal } from './removal.js';

/**
 * Lets the archive read its log as it is without the lost erasures of dead runs: what they have put aside hides whom they
 * erase.
 */
export async function disregardLost(archive: Archive): Promise<readonly LostErasure[]> {
  const { log, index } = archive;
  const lost: LostErasure[] = [];
  for (const erasure of await lostErasures(archive)) {
    if (!(await mayBeAtWork(erasure.id, archive))) lost.push(erasure);
  }
  if (lost.length === 0) return lost;
  log.disregardPrepared(lost.map(({ id }) => id));
  await index.readAgain();
  return lost;
}

/** The commits that lost erasures were to redact, as they are now. */
export async function* commitsOfLost(
  { log }: Archive,
  lost: readonly LostErasure[],
): AsyncGenerator<Commit> {
  const numbers = new Set<number>();
  for (const { receipt } of lost) {
    for (const number of listedIn(await log.read(receipt))) numbers.add(number);
  }
  for (const number of numbers) yield log.read(number);
}

/** Whether such a commit has any of the ids: one may name a person, of whose sessions the log has no entry any more. */
export async function isNamedInLost(
  archive: Archive,
  lost: readonly LostErasure[],
  { ids }: ErasureTarget,
): Promise<boolean> {
  for await (const commit of commitsOfLost(archive, lost)) {
    const text = JSON.stringify(commit);
    if ([...ids].some((id) => text.includes(JSON.stringify(id)))) return true;
  }
  return false;
}

/**
 * Whether each commit of a receipt is redacted by it or by a later one, in the storage itself.
 *
 * @throws {IntegrityError} one is damaged
 */
export async function isCarriedOut(
  { storage, identity }: Archive,
  receipt: Commit,
): Promise<boolean> {
  const reader = new CommitReader(storage, identity);
  for (const number of listedIn(receipt)) {
    if (!isRedactedBy(receipt, await reader.read(number))) return false;
  }
  return true;
}

function isRedactedBy(receipt: Commit, { redacted_by: by = 0 }: Commit): boolean {
  return by >= receipt.number;
}

/** Deletes what an erasure deletes after its commits are redacted, as far as the log tells of it. */
export async function clearAway(archive: Archive, receipt: Commit): Promise<void> {
  const { storage, index } = archive;
  const removal = new Removal(storage);
  await archive.delta.publish(); // before the files go that earlier versions name (I-60)
  await dropSnapshots(archive, removal);
  await dropUnnamedLists(archive, removal, receipt);
  const changes = index.fileChanges.filter(({ number }) => number <= receipt.number);
  const removedPaths = new Set(changes.flatMap(({ removed }) => removed));
  const replaced: string[] = [];
  for await (const { path } of replacedObjects(archive))
    if (removedPaths.has(path)) replaced.push(path);
  await removal.deleteAll([...replaced, ...runsLosing(archive, receipt.removed).map(workbookPath)]);
  await dropUnnamedArtifacts(archive, removal, receipt);
  await removal.assertGone();
}

function listedIn({ erasure }: Commit): number[] {
  return erasure?.stage === 'begun' ? erasure.commits.map(({ number }) => number) : [];
}

/**
 * Deletes manifests that no commit names and none can: their numbers are taken, that of the receipt as well. A run that was
 * to put such a commit may have failed or died after the plan was made. Each commit of the receipt is read back here, once:
 * the store's answer to its redaction is not believed, and what was put aside for it may have gone.
 *
 * @throws {StorageError} one of them is not redacted
 */
export async function dropUnnamedLists(
  archive: Archive,
  removal: Removal,
  receipt: Commit,
): Promise<void> {
  const { storage, identity, index } = archive;
  const redacted = new Set(listedIn(receipt));
  const lists = new Map<number, string[]>(Array.from(redacted, (number) => [number, []]));
  const { manifests } = index.contents;
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    const number = manifestOf(path)?.number;
    if (number === undefined || number > receipt.number) continue;
    // what the redacted ones named before, the index may still know
    if (!redacted.has(number) && manifests.has(path)) continue;
    lists.set(number, [...(lists.get(number) ?? []), path]);
  }
  const later = await manifestsOfLater(archive, receipt);
  const reader = new CommitReader(storage, identity);
  for (const [number, paths] of lists) {
    const commit = await reader.read(number);
    if (redacted.has(number) && !isRedactedBy(receipt, commit)) throw notRedacted(storage);
    for (const path of paths) {
      if (!later.has(path)) await removeUnlessNamed(removal, commit, path);
    }
  }
}

/**
 * Manifests that later erasures put in place before the commits that name them: a run that only seemed dead must leave them
 * alone. Whoever has listed manifests must read the log after that.
 */
async function manifestsOfLater({ index, log }: Archive, receipt: Commit): Promise<Set<string>> {
  await index.refresh();
  const paths = new Set<string>();
  for (const number of index.erasures) {
    if (number <= receipt.number) continue;
    for (const path of vouchedManifests(await log.read(number))) paths.add(path);
  }
  return paths;
}

function notRedacted({ location }: Storage): StorageError {
  return new StorageError(
    `commits in ${location} still name what is to be erased, although they were replaced: the erasure is not finished, and the next run goes on with it`,
    { trouble: 'front' },
  );
}

/**
 * Deletes artifacts that no row names: no run that has not read the receipt can name one.
 *
 * @throws {IntegrityError} rows cannot be read: none is deleted
 */
export async function dropUnnamedArtifacts(
  archive: Archive,
  removal: Removal,
  receipt: Commit,
): Promise<void> {
  await archive.index.refresh();
  const due: string[] = [];
  for await (const path of unnamedArtifacts(archive, receipt.number)) due.push(path);
  await removal.deleteAll(due);
}

/** Deletes a manifest that the commit, as it stands, does not name. */
export async function removeUnlessNamed(
  removal: Removal,
  { jobs, users }: Commit,
  path: string,
): Promise<void> {
  if (jobs?.path !== path && users?.path !== path) await removal.delete(path);
}

/** A run may have put one after the plan; none can be committed after the receipt. */
export async function dropSnapshots({ storage }: Archive, removal: Removal): Promise<void> {
  const stored = [...(await storedSnapshots(storage)), ...(await storedStates(storage))];
  await removal.deleteAll(stored.map(({ path }) => path));
}

/** Part files that any commit names: they must stay, even if a plan lists them. */
export async function partsNamed({ index }: Archive): Promise<Set<string>> {
  await index.refresh();
  return new Set([...index.commits].flatMap(({ files }) => files));
}
