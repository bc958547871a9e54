/**
 * Erasures whose receipt stands and that are not finished. Of one whose plan is lost nobody can tell whom it erases: only
 * who erases the same again brings it to its end (I-42 in FORMAT.md).
 */
import { asRunId, type RunId } from '../model/ids.js';
import type { Storage } from '../storage/storage.js';
import { ErasureUnfinishedError, IntegrityError } from './archive-errors.js';
import type { Archive } from './archive.js';
import type { LogIndex } from './log/log-index.js';
import { planPath } from './paths.js';

export interface LostErasure {
  readonly id: RunId;
  /** Number of the receipt. */
  readonly receipt: number;
}

/** Erasures that are open and have no plan, as of a log that is read after the plans. */
export async function lostErasures({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<LostErasure[]> {
  const lost = await withoutPlan(storage, index.openErasures);
  if (lost.length === 0) return [];
  // a plan is deleted when the log says that its erasure is finished
  await index.refresh();
  return lost.filter(({ id }) => index.openErasures.has(id));
}

/** As of a log that may have been read before: another run may have finished one since. */
export async function withoutPlan(
  storage: Pick<Storage, 'stat'>,
  open: LogIndex['openErasures'],
): Promise<LostErasure[]> {
  const lost: LostErasure[] = [];
  for (const [of, { number: receipt }] of open) {
    const id = asRunId(of);
    if (!(await storage.stat(planPath(id)))) lost.push({ id, receipt });
  }
  return lost;
}

/**
 * @param archive its index must be up to date
 * @throws {ErasureUnfinishedError} an erasure is open
 */
export async function assertErasuresFinished(archive: Archive): Promise<void> {
  const { storage, index } = archive;
  if (index.openErasures.size === 0) return;
  const [lost] = await lostErasures(archive);
  throw new ErasureUnfinishedError(storage.location, lost && planLost(lost).message);
}

export function planLost({ id, receipt }: LostErasure): IntegrityError {
  const detail = `is missing, and the receipt in commit ${receipt} does not say whom it erases: put it back, or erase the same users or sessions again, which finishes it`;
  return new IntegrityError(planPath(id), 'missing', detail);
}
