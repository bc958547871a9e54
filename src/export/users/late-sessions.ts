/**
 * Reads again, at the end of a run, the sessions whose history another one was found to have: their users may have
 * been committed before. So are sessions that another user lists with other jobs, in this run or in one that has
 * committed meanwhile. What is in doubt then is recorded, and what differs now is mended.
 */
import type { Archive } from '../../archive/archive.js';
import { canonicalJson } from '../../base/text/parse-json.js';
import {
  sessionEntryOf,
  type SessionState,
  type UserState,
  isDoubt,
  isLive,
} from '../../archive/state/user-state.js';
import { asSessionId, asUserId, type UserId } from '../../model/ids.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { doubtGap } from '../checkpoint/session-ledger.js';
import type { ExportRun } from '../export-run.js';
import { bothDoubts, doubtOfMissing, someOf, unreadDoubt, type Gap } from '../jobs/gap.js';
import type { SessionToReadAgain } from '../history/read-histories.js';
import type { RunTally } from '../run-tally.js';
import type { PendingUsers, UserSource, UserLeases } from './user-queue.js';
import { isInDoubtFor } from '../history/own-history.js';
import { exportSession, type SessionOutcome } from './session-export.js';
import { sessionGap } from './user-export.js';

/** Of users with sessions in common, in memory. */
const STATES_AT_A_TIME = 8;

export interface LateTools {
  readonly archive: Archive;
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
  readonly tally: RunTally;
  readonly source: UserSource | undefined;
  /** The newest commit before the run began. */
  readonly base: number;
}

/**
 * Requires that everything of the run is committed.
 *
 * @throws {CommitConflictError} another run has touched the same sessions; those that are left are read again next time
 */
export async function readSessionsAgain(run: ExportRun, tools: LateTools): Promise<void> {
  const compared = { commit: tools.base, twice: 0 };
  for (;;) {
    // every time: other runs go on while sessions are read again
    if (run.owners.hasToCompare) await compareWithOtherRuns(run, tools.archive, compared);
    await compareListedTwice(run, tools.archive, compared);
    const byUser = run.histories.toReadAgain();
    if (byUser.size === 0) return;
    for (const [user, sessions] of byUser) {
      const userId = asUserId(user);
      // the other run reads them, too
      if (await tools.leases.tryTake(userId, run.signal)) {
        try {
          await readUserAgain(run, tools, userId, sessions);
        } finally {
          tools.pending.forgetState(userId);
          await tools.leases.release(userId);
        }
      }
      for (const session of sessions) run.histories.settle(session);
    }
  }
}

interface Compared {
  /** Up to which commit. */
  commit: number;
  /** How many of the sessions that two users list. */
  twice: number;
}

/** Finds sessions of the run that other runs have archived for another user since it began. */
async function compareWithOtherRuns(
  { owners, runId, signal }: ExportRun,
  { index }: Archive,
  compared: Compared,
): Promise<void> {
  await index.refresh();
  const { through } = index;
  for await (const commit of index.walk({ from: compared.commit + 1, through, signal })) {
    if (commit.run === runId) continue;
    for (const session of commit.sessions) owners.compareWith(session);
  }
  compared.commit = through;
}

/** Of sessions that two users list, finds those in whose archived history is none of the jobs that it has for the other. */
async function compareListedTwice(
  run: ExportRun,
  { states }: Archive,
  compared: Compared,
): Promise<void> {
  const { histories, owners, archive } = run;
  if (owners.dropped > 0) {
    archive.logger.warn(
      { sessions: owners.dropped },
      'sessions that two users list were not compared: there are too many',
    );
  }
  const loaded = new Map<string, UserState>();
  for (const { session, users } of owners.twice.slice(compared.twice)) {
    const isNew = users.some((user) => !loaded.has(user));
    if (isNew && loaded.size + users.length > STATES_AT_A_TIME) loaded.clear();
    for (const user of users) {
      if (!loaded.has(user)) loaded.set(user, await states.load(asUserId(user)));
    }
    const [first, second] = users;
    const [one, other] = users.map((user) => loaded.get(user)?.sessions.get(asSessionId(session)));
    if (!one || !other) continue;
    if (isToReadBeside(one, other)) histories.readAgainBeside({ user: first, session }, other);
    if (isToReadBeside(other, one)) histories.readAgainBeside({ user: second, session }, one);
  }
  compared.twice = owners.twice.length;
}

/** Whether it has none of the other's jobs, or is in doubt for that and has some by now. */
function isToReadBeside(one: SessionState, other: SessionState): boolean {
  const isInDoubt = isInDoubtFor(one, other);
  const isApart = other.jobs.size > 0 && ![...one.jobs.keys()].some((job) => other.jobs.has(job));
  return isApart ? one.complete && !isInDoubt : isInDoubt;
}

async function readUserAgain(
  run: ExportRun,
  { archive, pending, tally, source }: LateTools,
  userId: UserId,
  sessions: readonly SessionToReadAgain[],
): Promise<void> {
  const state = await archive.states.load(userId);
  pending.planned(state);
  run.histories.forgetErased(archive.index.lastErasure);
  const newest = (await archive.index.listings()).get(userId)?.last;
  const last = newest?.entry;
  const before = [...tally.summary.commits];
  const gaps: Gap[] = [];
  for (const again of sessions) {
    gaps.push(...(await readSessionAgain(run, state, again)));
  }
  const isNews = gaps.length > 0 && last !== undefined;
  if (isNews) {
    await run.checkpointer.addUser({ ...last, complete: false, gaps: last.gaps + gaps.length });
  }
  await run.checkpointer.commit();
  const isOwn = newest !== undefined && before.includes(newest.commit);
  tally.doubted(gaps, isOwn ? last : undefined);
  if (gaps.length > 0) source?.doubted(userId, gaps);
}

/** Its gaps that the archive did not have before. */
async function readSessionAgain(
  run: ExportRun,
  state: UserState,
  { session, suspects }: SessionToReadAgain,
): Promise<Gap[]> {
  const sessionId = asSessionId(session);
  const known = state.sessions.get(sessionId);
  if (!known || !isLive(known)) return [];
  const { user: userId } = state;
  const before = new Set(known.gaps.map((gap) => canonicalJson(gap)));
  const { gaps } =
    (await exportedAgain(run, userId, { sessionId, known, suspects })) ??
    (await inDoubt(run, userId, { sessionId, known, suspects }));
  return gaps
    .filter((gap) => !before.has(canonicalJson(gap)))
    .map((gap) => sessionGap(userId, session, gap, run.settings));
}

interface LateSession {
  readonly sessionId: ReturnType<typeof asSessionId>;
  readonly known: SessionState;
  readonly suspects: SessionToReadAgain['suspects'];
}

/** Undefined if the budget is spent, or the session cannot be read. */
async function exportedAgain(
  run: ExportRun,
  userId: UserId,
  { sessionId, known, suspects }: LateSession,
): Promise<Pick<SessionOutcome, 'gaps'> | undefined> {
  const { service, signal } = run;
  try {
    const session = await service.getSession({ userId, sessionId, signal });
    return await exportSession(run, { userId, session, known, suspects });
  } catch (error) {
    if (run.signal.aborted) throw error;
    if (!(error instanceof BudgetSpentError) && run.failures.isFatal(error)) throw error;
    return undefined;
  }
}

/** What could not be read again is in doubt. */
async function inDoubt(
  run: ExportRun,
  user: UserId,
  { sessionId, known, suspects }: LateSession,
): Promise<Pick<SessionOutcome, 'gaps'>> {
  const [suspect] = suspects;
  const witness = run.histories.witnessOf({ user, session: sessionId });
  const missing = witness && doubtOfMissing(someOf(witness.jobs.keys()));
  const unread = bothDoubts(suspect && unreadDoubt(known, suspect), missing);
  if (!unread) return { gaps: [] };
  const doubt = doubtGap(unread);
  const gaps = [doubt, ...known.gaps.filter((gap) => !isDoubt(gap))];
  const entry = sessionEntryOf(user, sessionId, { ...known, complete: false, gaps });
  await run.checkpointer.addSessionEntry(entry);
  return { gaps };
}
