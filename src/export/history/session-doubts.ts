/**
 * Decides what a reading of a session says of its doubts (I-65 in FORMAT.md).
 *
 * A job of two sessions is withdrawn from the one whose whole history lacks it now, if that of the other has it; where
 * both have it, or neither, they stay in doubt. A history without any of the jobs that were archived before is in doubt
 * until one of them comes. An empty history shows nothing.
 */
import { areEqualHistories, type JobHashes } from '../../archive/histories/shared-jobs.js';
import type { GapEntry } from '../../archive/log/commit.js';
import { traceSessions } from '../../archive/reading/selection.js';
import { doubtsOf, isLive } from '../../archive/state/archived-session.js';
import { contentHash } from '../../flatten/content-hash.js';
import { type JobId, type SessionId, type UserId } from '../../model/ids.js';
import { isUniqueId } from '../../model/unique-id.js';
import type { JobRecord } from '../../model/records.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { PageGrant } from '../../service/page.js';
import { PageReader } from '../../service/page-reader.js';
import { readAll } from '../../service/read-all.js';
import { NotFoundError } from '../../service/service-errors.js';
import type { SessionLedger } from '../checkpoint/session-ledger.js';
import type { ExportRun } from '../export-run.js';
import { lostGap } from '../jobs/doubts.js';

export interface HistoryReading {
  /** Ids of the jobs that came. */
  readonly sent: ReadonlySet<string>;
  /** Whether the history was read to its end, without a gap. */
  readonly isWhole: boolean;
  /** Above the numbers of all jobs that were archived before. */
  readonly firstNumber: number;
}

export interface DecidedDoubts {
  readonly doubts: readonly GapEntry[];
  /** Jobs that are the other session's. */
  readonly withdrawn: ReadonlySet<JobId>;
}

/** @throws what ends the run */
export async function decideDoubts(
  run: ExportRun,
  ledger: SessionLedger,
  reading: HistoryReading,
): Promise<DecidedDoubts> {
  const { sent, isWhole, firstNumber } = reading;
  const before = doubtsOf(ledger.known);
  const doubts: GapEntry[] = [];
  const withdrawn = new Set<JobId>();
  for (const gap of before) {
    if (gap.shared_with === undefined) continue;
    const verdict = isWhole ? await compareWith(run, ledger, sent, gap.shared_with) : undefined;
    if (!verdict?.isDecided) doubts.push(gap);
    for (const job of verdict?.withdrawn ?? []) withdrawn.add(job);
  }
  const lost = before.find(({ lost_below: below }) => below !== undefined);
  const below = lost?.lost_below ?? firstNumber;
  const archived = [...ledger.jobs].flatMap(([id, { index }]) =>
    index < below && !withdrawn.has(id) ? [id] : [],
  );
  if (below === 0) archived.push(...(await jobsAsSpelt(run, ledger)));
  const hasCome = archived.length === 0 || archived.some((id) => sent.has(id));
  if (!hasCome && (isWhole || lost)) doubts.push(lostGap(below));
  return { doubts, withdrawn };
}

/** What the archive has of a session that is new under this spelling of its user: ids of sessions are unique. */
async function jobsAsSpelt(
  { archive, spellings }: ExportRun,
  { userId, session }: SessionLedger,
): Promise<JobId[]> {
  const jobs: JobId[] = [];
  for (const user of spellings.othersOf(userId)) {
    const { sessions } = await archive.states.load(user);
    jobs.push(...(sessions.get(session.value.id)?.jobs.keys() ?? []));
  }
  return jobs;
}

interface Comparison {
  readonly isDecided: boolean;
  readonly withdrawn: readonly JobId[];
}

/** Undefined where the archive does not have the other session, or nothing can be read of one of the two. */
async function compareWith(
  run: ExportRun,
  { jobs }: SessionLedger,
  sent: ReadonlySet<string>,
  other: SessionId,
): Promise<Comparison | undefined> {
  const found = await archivedSession(run, other);
  if (!found) return undefined;
  const shared = [...jobs].filter(([id, { hash }]) => hasJob(found.jobs, id, hash));
  if (shared.length === 0) return { isDecided: true, withdrawn: [] };
  const here: JobHashes = new Map([...jobs].filter(([id]) => sent.has(id)));
  const there = here.size === 0 ? undefined : await historyNow(run, found.user, other);
  if (!there || there.size === 0) return undefined;
  const isUndecided = ([id, { hash }]: (typeof shared)[number]): boolean => {
    const isHere = here.has(id);
    // an id that can be guessed may be in both rightly
    return isHere === hasJob(there, id, hash) && (!isHere || isUniqueId(id));
  };
  const isWithdrawn = ([id, { hash }]: (typeof shared)[number]): boolean =>
    !here.has(id) && hasJob(there, id, hash);
  return {
    isDecided: !shared.some(isUndecided) && !areEqualHistories(here, there),
    withdrawn: shared.filter(isWithdrawn).map(([id]) => id),
  };
}

function hasJob(jobs: JobHashes, id: string, hash: string): boolean {
  return isUniqueId(id) ? jobs.has(id) : jobs.get(id)?.hash === hash;
}

/**
 * What the archive has of a session that the service should still have, under any user: several may list it.
 *
 * @returns one of the users, to ask for its history
 */
async function archivedSession(
  { archive, signal }: ExportRun,
  session: SessionId,
): Promise<{ readonly user: UserId; readonly jobs: JobHashes } | undefined> {
  await archive.index.refresh();
  const traces = await traceSessions(archive.index, [session], signal);
  const jobs = new Map<string, { readonly hash: string }>();
  let asked: UserId | undefined;
  for (const user of traces.get(session)?.users ?? []) {
    const state = (await archive.states.load(user)).sessions.get(session);
    if (!state || !isLive(state)) continue;
    asked ??= user;
    for (const [id, job] of state.jobs) jobs.set(id, job);
  }
  return asked === undefined ? undefined : { user: asked, jobs };
}

/** Undefined unless the history could be read to its end. */
async function historyNow(
  run: ExportRun,
  userId: UserId,
  sessionId: SessionId,
): Promise<JobHashes | undefined> {
  const { service, signal } = run;
  const reader = new PageReader<JobRecord>({
    fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
    idOf: (record) => record.job_id,
    grant: otherGrant(run),
    what: `the history of session ${sessionId}`,
    recordsStay: true,
  });
  const jobs = new Map<string, { readonly hash: string }>();
  const pages = readAll(reader);
  try {
    for (;;) {
      const step = await pages.next();
      if (step.done) return step.value.gap ? undefined : jobs;
      for (const { id, record } of step.value.items) jobs.set(id, { hash: contentHash(record) });
    }
  } catch (error) {
    const mayGoOn = error instanceof BudgetSpentError || error instanceof NotFoundError;
    if (signal.aborted || (!mayGoOn && run.failures.isFatal(error))) throw error;
    return undefined;
  }
}

/** Pages of another size, which a cache in front of the service keeps apart. */
export function otherGrant({ grants }: ExportRun): PageGrant {
  const { size } = grants.history;
  return new PageGrant(size > 2 ? size - 1 : size + 1);
}
