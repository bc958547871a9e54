/**
 * Looks whether the newest commit is the newest, before what cannot be taken back: a hold may be in one that is lost. The
 * log alone cannot tell that its end is missing; objects that were made from a later commit, or for it, can.
 */
import type { Storage } from '../storage/storage.js';
import type { Archive } from './archive.js';
import {
  CHECKS_PREFIX,
  commitPath,
  COMMITS_PREFIX,
  manifestOf,
  numberOfChecks,
  SNAPSHOTS_PREFIX,
  stampedCommitOf,
  throughOfSnapshot,
  TIMESTAMPS_PREFIX,
} from './paths.js';
import { cutBefore } from './state/saved-checks.js';

interface Witness {
  readonly path: string;
  /** There was a commit of this number. */
  readonly number: number;
}

/** The newest commit of which the name of an object tells, by where it lies. */
const TOLD_BY: readonly (readonly [prefix: string, of: (path: string) => number | undefined])[] = [
  [COMMITS_PREFIX, beforeManifest],
  [CHECKS_PREFIX, numberOfChecks],
  [SNAPSHOTS_PREFIX, throughOfSnapshot],
  [TIMESTAMPS_PREFIX, stampedCommitOf],
];

/** @throws {IntegrityError} a later commit is hidden by a delete marker, or is missing; or the newest is another one by now */
export async function assertNotCut({
  log,
  storage,
}: Pick<Archive, 'log' | 'storage'>): Promise<void> {
  await log.assertNotHidden();
  await log.assertStands();
  const head = await log.head();
  const witness = await newestWitness(storage, head?.number ?? 0);
  if (!witness) return;
  // another run may have put the commit meanwhile
  const newest = await log.head();
  if (witness.number > (newest?.number ?? 0)) throw cutBefore(witness.path, witness.number);
}

async function newestWitness(
  storage: Pick<Storage, 'list'>,
  passed: number,
): Promise<Witness | undefined> {
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
