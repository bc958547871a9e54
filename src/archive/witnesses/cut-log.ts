/**
 * Looks whether the newest commit is the newest, before what cannot be taken back: a hold may be in one that is lost. The
 * log alone cannot tell that its end is missing, or was another one; objects that were made from a later commit, or for it,
 * or from another one of its number, can.
 */
import type { Storage } from '../../storage/storage.js';
import type { Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { commitNumbers } from '../log/commit-chain.js';
import {
  commitPath,
  COMMITS_PREFIX,
  manifestOf,
  SNAPSHOTS_PREFIX,
  stampedCommitOf,
  throughOfSnapshot,
  TIMESTAMPS_PREFIX,
} from '../paths.js';
import { assertKnown, cutBefore } from './known-head.js';
import { storedLaps } from '../laps.js';

interface Witness {
  readonly path: string;
  /** There was a commit of this number. */
  readonly number: number;
}

/** The newest commit of which the name of an object tells, by where it lies. */
const TOLD_BY: readonly (readonly [prefix: string, of: (path: string) => number | undefined])[] = [
  [COMMITS_PREFIX, beforeManifest],
  [SNAPSHOTS_PREFIX, throughOfSnapshot],
  [TIMESTAMPS_PREFIX, stampedCommitOf],
];

/**
 * @throws {IntegrityError} a later commit is hidden by a delete marker, or is missing; the newest is another one by now; or
 *   a run has known another commit of a number
 */
export async function assertNotCut(archive: Archive): Promise<void> {
  const { log, storage } = archive;
  await log.assertNotHidden();
  await log.assertStands();
  const head = await log.head();
  const witness = await newestWitness(storage, head?.number ?? 0);
  if (witness) {
    // another run may have put the commit meanwhile
    const newest = await log.head();
    if (witness.number > (newest?.number ?? 0)) throw cutBefore(witness.path, witness.number);
  }
  await assertNotMixed(archive);
}

/**
 * The first commit that is lost, by the names of objects alone. A snapshot stands for the commits before it: readers that
 * begin with one do not miss them.
 *
 * @param known.newest a number that the log had before the listing was made; default: its newest
 * @param known.commits the numbers that were listed
 */
export async function lostCommit(
  { log, storage }: Archive,
  known?: { readonly newest: number; readonly commits: ReadonlySet<number> },
): Promise<IntegrityError | undefined> {
  const newest = known?.newest ?? (await log.head())?.number ?? 0;
  const commits = known?.commits ?? new Set(await commitNumbers(storage));
  for (let number = 1; number <= newest; number++) {
    if (commits.has(number)) continue;
    return new IntegrityError(commitPath(number), 'missing', 'is missing from the log');
  }
  const witness = await newestWitness(storage, newest);
  // another run may have put it meanwhile
  const isLost = witness && witness.number > ((await log.head())?.number ?? 0);
  return isLost ? cutBefore(witness.path, witness.number) : undefined;
}

/** Where two copies of an archive have gone on apart, and one was put over the other, the log is that of one of them. */
async function assertNotMixed({ index, storage }: Archive): Promise<void> {
  const laps = await storedLaps(storage);
  if (laps.length > 0) await index.refresh();
  for (const { path, head } of laps) await assertKnown(index, path, head);
}

async function newestWitness(storage: Storage, passed: number): Promise<Witness | undefined> {
  let newest: Witness | undefined;
  // the names begin with the number
  const next = commitPath(passed + 1)
    .slice(COMMITS_PREFIX.length)
    .replace(/\..*$/, '');
  for (const [prefix, numberOf] of TOLD_BY) {
    for await (const { path } of storage.list(prefix, { after: prefix + next })) {
      const number = numberOf(path) ?? 0;
      if (number > (newest?.number ?? passed)) newest = { path, number };
    }
  }
  return newest;
}

/** A run makes the lists of its commit before it puts it, so they tell of the one before alone. */
function beforeManifest(path: string): number | undefined {
  const manifest = manifestOf(path);
  return manifest && manifest.number - 1;
}
