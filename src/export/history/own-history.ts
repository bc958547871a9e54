/**
 * Reads a session's history, and again if it has jobs of another session. If that stays so, both are in doubt: one of
 * them may have been answered with the history of the other, and its own jobs are archived nowhere.
 */
import {
  haveSharedJobs,
  type HistoryFacts,
  type SessionRef,
} from '../../archive/histories/shared-jobs.js';
import { traceSessions } from '../../archive/log/session-traces.js';
import type { SessionState } from '../../archive/state/user-state.js';
import { contentHash } from '../../flatten/content-hash.js';
import { asSessionId, asUserId } from '../../model/ids.js';
import type { JobRecord } from '../../model/records.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { PageGrant } from '../../service/page-grant.js';
import { PageReader } from '../../service/page-reader.js';
import { readAll } from '../../service/read-all.js';
import type { ExportRun } from '../export-run.js';
import type { HistoryVerdict } from './changed-history.js';
import { doubtOf, type Doubt } from './read-histories.js';

export interface HistoryReading {
  readonly verdict: HistoryVerdict;
  readonly facts: HistoryFacts;
}

export interface OwnHistoryOptions {
  readonly ref: SessionRef;
  readonly known: SessionState | undefined;
  /** Given if this is the second reading already: sessions that had jobs of it the first time. */
  readonly suspects: readonly SessionRef[] | undefined;
  /** @param grant of another page size: another key of a cache */
  readonly read: (grant: PageGrant | undefined) => Promise<HistoryReading>;
}

/** @throws {BudgetSpentError} */
export async function readOwnHistory(
  run: ExportRun,
  { ref, known, suspects, read }: OwnHistoryOptions,
): Promise<HistoryVerdict> {
  const { histories } = run;
  let { verdict, facts } = await read(suspects && otherGrant(run));
  let others = histories.othersWith(facts);
  if (others.length > 0 && !suspects) {
    run.logger.warn(
      { user: ref.user, session: ref.session, others: others.map(({ session }) => session) },
      'the history has jobs of another session; both are read again',
    );
    ({ verdict, facts } = await read(otherGrant(run)));
    others = histories.othersWith(facts);
  }
  others.push(...(suspects ?? []));
  const shared: SessionRef[] = [];
  const cleared: SessionRef[] = [];
  for (const other of others) {
    const isKnown = !suspects && histories.isDoubted(other);
    const isShared = isKnown || (await stillShares(run, other, facts));
    (isShared ? shared : cleared).push(other);
  }
  histories.keep(facts, cleared);
  for (const other of cleared) histories.readAgain(other);
  const [first] = shared;
  if (!first) return { ...verdict, doubt: await openDoubt(run, facts, known) };
  for (const other of shared) histories.readAgain(other, ref);
  [ref, ...shared].forEach((session) => histories.doubt(session));
  histories.settle(ref);
  return { ...verdict, doubt: doubtOf(first.session) };
}

/** The doubt of an earlier run, unless both histories were read in this one and differ. */
async function openDoubt(
  run: ExportRun,
  facts: HistoryFacts,
  known: SessionState | undefined,
): Promise<Doubt | undefined> {
  const session = known?.gaps.find((gap) => gap.shared_with !== undefined)?.shared_with;
  if (session === undefined || run.histories.hasRead(session)) return undefined;
  const { index } = run.checkpointer.options.archive;
  const traces = await traceSessions(index, [session], run.signal);
  for (const user of traces.get(session)?.users ?? []) {
    if (!(await stillShares(run, { user, session }, facts))) return undefined;
  }
  return doubtOf(session);
}

/** What cannot be read has not been shown to be another history. */
async function stillShares(
  run: ExportRun,
  other: SessionRef,
  facts: HistoryFacts,
): Promise<boolean> {
  try {
    const now = await historyNow(run, other);
    return !now || haveSharedJobs(facts, now);
  } catch (error) {
    if (run.signal.aborted || error instanceof BudgetSpentError) throw error;
    if (run.failures.isFatal(error)) throw error;
    return true;
  }
}

/** Undefined unless the history was read to its end. */
async function historyNow(run: ExportRun, ref: SessionRef): Promise<HistoryFacts | undefined> {
  const { service, signal } = run;
  const [userId, sessionId] = [asUserId(ref.user), asSessionId(ref.session)];
  const reader = new PageReader<JobRecord>({
    fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
    idOf: (record) => record.job_id,
    grant: otherGrant(run),
    what: `the history of session ${sessionId}`,
  });
  const whole = new Map<string, string>();
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) return step.value.gap ? undefined : { ...ref, ids: [...whole.keys()], whole };
    for (const { id, record } of step.value.items) whole.set(id, contentHash(record));
  }
}

/** Pages of another size, which a cache in front of the service keeps apart. */
function otherGrant({ grants }: ExportRun): PageGrant {
  const { size } = grants.history;
  return new PageGrant(size > 2 ? size - 1 : size + 1);
}
