/**
 * The erasures that the log has: every receipt, and those that are not finished. Of one whose plan is lost nobody can
 * tell whom it erases: only who erases the same again brings it to its end (I-42 in FORMAT.md).
 */
import { counted } from '../../base/text/counted.js';
import { asRunId, type RunId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { ErasureUnfinishedError, IntegrityError } from '../archive-errors.js';
import type { Archive } from '../archive.js';
import type { LogIndex } from '../log/log-index.js';
import type { SinceReceipt } from '../log/suppressions.js';
import { ERASURES_PREFIX, planPath } from '../paths.js';
import { type PerhapsBack, perhapsBackOf } from '../reading/requests/erased-and-back.js';
import { listOwn } from '../objects/unnamed-objects.js';
import type { BegunErasure } from '../log/commit.js';

/** How many erasures the log has, and when the last was. It does not say whose. */
export interface ErasureCounts {
  readonly count: number;
  /** How many sessions they have taken; one that came back and was erased again counts twice. */
  readonly sessions: number;
  /** ISO 8601; null of none. */
  readonly last: string | null;
  /**
   * Whether an export has archived sessions after one of which the log does not know what comes back: perhaps what was
   * erased, where the service still had it.
   */
  readonly exported_since: boolean;
  /** Sessions that were skipped since an erasure, and that an export has archived again: they are here unless they were erased since. */
  readonly back: number;
  /** Sessions that stayed when something was erased of which they had jobs, too. */
  readonly still_there: number;
}

export const NO_ERASURES: ErasureCounts = {
  count: 0,
  sessions: 0,
  last: null,
  exported_since: false,
  back: 0,
  still_there: 0,
};

/** What is said of what was erased. */
export function whereErasedIs({
  exported_since: isExported,
  back,
  still_there: others,
}: ErasureCounts): string {
  if (!isExported && back + others === 0) return 'nothing of what was erased is here';
  const here = [
    ...(back === 0
      ? []
      : [`up to ${counted(back, 'conversation')} that exports have archived again`]),
    ...(others === 0
      ? []
      : [`the questions that ${counted(others, 'other conversation')} had as well and kept`]),
  ];
  if (here.length === 0) {
    return 'what was erased is not here, unless the service still had it and an export has archived it again since';
  }
  const more = isExported
    ? ['what else the service still had and exports have archived since']
    : [];
  const all = [...here, ...more];
  const last = all.pop() ?? '';
  const listed = all.length === 0 ? last : `${all.join(', ')} and ${last}`;
  return `what was erased is not here, but for ${listed}`;
}

const NO_RECEIPT = { erased: null, still_there: 0 };

/** @param index up to date */
export function erasureCounts(index: LogIndex): ErasureCounts {
  // a receipt and a commit that ends it, which one that is open does not have
  const count = (index.erasures.length + index.openErasures.size) / 2;
  const { suppressions } = index;
  const known = suppressions.withKnownReturns;
  const first =
    index.erasures.find((number) => {
      const { erased, still_there: others } = index.commit(number)?.counts ?? NO_RECEIPT;
      return erased !== null && (others > 0 || !known.has(number));
    }) ?? Infinity;
  const commits = [...index.commits];
  return {
    count,
    sessions: commits.reduce((sum, { counts }) => sum + (counts.erased ?? 0), 0),
    last: index.commit(index.lastErasure)?.counts.at ?? null,
    exported_since: commits.some(
      ({ kind, number, counts }) => kind === 'export' && number > first && counts.sessions > 0,
    ),
    back: suppressions.returned,
    still_there: commits.reduce((sum, { counts }) => sum + counts.still_there, 0),
  };
}

export interface LostErasure {
  readonly id: RunId;
  /** Number of the receipt. */
  readonly receipt: number;
}

/** Erasures that are open and have no plan, as of a log that is read after the plans. */
export async function lostErasures({ storage, index }: Archive): Promise<LostErasure[]> {
  const lost = await withoutPlan(storage, index.openErasures);
  if (lost.length === 0) return [];
  // a plan is deleted when the log says that its erasure is finished
  await index.refresh();
  return lost.filter(({ id }) => index.openErasures.has(id));
}

/** The erasures whose plan is lost, as of a log that may have been read before: another run may have finished one since. */
export async function withoutPlan(
  storage: Storage,
  open: LogIndex['openErasures'],
): Promise<LostErasure[]> {
  const lost: LostErasure[] = [];
  for (const [run, { number: receipt }] of open) {
    const id = asRunId(run);
    if (!(await storage.stat(planPath(id)))) lost.push({ id, receipt });
  }
  return lost;
}

/** Erasures with files in `_erasures/`: prepared, begun, or left by a dead run. @returns the runs whose they are */
export async function erasuresUnderWay(storage: Storage): Promise<Set<RunId>> {
  const ids = new Set<RunId>();
  for await (const object of listOwn(storage, ERASURES_PREFIX)) {
    const id = /^_erasures\/([0-9A-HJKMNP-TV-Z]{26})\//.exec(object.path)?.[1];
    if (id !== undefined) ids.add(asRunId(id));
  }
  return ids;
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

/** Every receipt of an erasure or an expiry, for those who audit what was erased: how much, never what. */
export interface ListedErasure
  extends Pick<BegunErasure, 'reason' | 'asked' | 'erased'>, SinceReceipt {
  /** Id of the receipt. */
  readonly receipt: string;
  /** When it was put; ISO 8601. */
  readonly at: string;
  /** Number of the commit that is the receipt. */
  readonly commit: number;
  /** How many users and sessions exports skip since it; null where they skip nothing of it. */
  readonly suppressed: BegunErasure['suppressed'] | null;
  /** What was asked for and kept, because it is on hold; null of nothing. */
  readonly held: BegunErasure['held'] | null;
  /** What was asked for and kept, because somebody else lists it, too; null of nothing. */
  readonly shared: BegunErasure['shared'] | null;
  /** How many of the erased sessions the service still had when it was asked last. */
  readonly at_service: number;
  /** Sessions that stayed though they had jobs of what was erased, and those jobs; null of none. */
  readonly still_there: BegunErasure['still_there'] | null;
  /** How many texts of people in the log became `[erased]` with it. */
  readonly texts: number;
  /** Number of the commit that says that all of it is done; null while it is not. */
  readonly finished: number | null;
  /** The person who did it; null where the receipt names nobody. */
  readonly by: string | null;
  /** Name of the request for which it was done; null of none. */
  readonly request: string | null;
  /** The key that has signed the receipt (SHA-256 of the public key); null where nobody has. */
  readonly signed_by: string | null;
  /** What may be archived again of a receipt that suppresses nothing; null of none, and of one that suppresses: there `state` says it. */
  readonly perhaps_back: PerhapsBack | null;
}

/** Lists the erasures in the order of the log. @throws {IntegrityError} */
export async function listErasures(archive: Archive): Promise<ListedErasure[]> {
  const { index, log } = archive;
  await index.refresh();
  const names = new Map(index.requests.map(({ id, name }) => [id, name]));
  const found = new Map<number, Omit<ListedErasure, 'perhaps_back'>>();
  for (const number of index.erasures) {
    const { erasure, created_at: at, signed_by } = await log.read(number);
    if (erasure?.stage === 'finished') {
      const begun = found.get(erasure.begun);
      if (begun) found.set(begun.commit, { ...begun, finished: number });
      continue;
    }
    if (!erasure) continue;
    const { id: receipt, reason, by = null, asked, erased, held = null, shared = null } = erasure;
    const { suppressed = null, at_service = 0, still_there = null, texts = 0 } = erasure;
    const request = names.get(erasure.request ?? '') ?? null;
    const facts = {
      reason,
      by,
      request,
      asked,
      erased,
      suppressed,
      ...index.suppressions.sinceCommit(number),
      held,
      shared,
      at_service,
      still_there,
      texts,
      signed_by,
    };
    found.set(number, { receipt, at, commit: number, finished: null, ...facts });
  }
  const all = [...found.values()];
  const perhapsBack = await perhapsBackOf(archive, all);
  return all.map((receipt) => ({ ...receipt, perhaps_back: perhapsBack([receipt]) }));
}
