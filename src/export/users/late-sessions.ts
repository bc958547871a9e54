/**
 * Reads again, at the end of a run, the sessions whose history another one was found to have: their users may have
 * been committed before. What is in doubt then is recorded, and what differs now is mended.
 */
import type { Archive } from '../../archive/archive.js';
import { canonicalJson } from '../../base/text/parse-json.js';
import { sessionEntryOf } from '../../archive/log/replay.js';
import { type SessionState, type UserState, isLive } from '../../archive/state/user-state.js';
import { asSessionId, asUserId, type UserId } from '../../model/ids.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { doubtGap } from '../checkpoint/session-ledger.js';
import type { ExportRun } from '../export-run.js';
import { isDoubt, unreadDoubt, type Gap } from '../jobs/gap.js';
import type { SessionToReadAgain } from '../history/read-histories.js';
import type { RunTally } from '../run-tally.js';
import type { PendingUsers } from './pending-users.js';
import { exportSession, type SessionOutcome } from './session-export.js';
import { sessionGap } from './user-export.js';
import type { UserLeases } from './user-queue.js';

export interface LateTools {
  readonly archive: Archive;
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
  readonly tally: RunTally;
}

/**
 * Requires that everything of the run is committed.
 *
 * @throws {CommitConflictError} another run has touched the same sessions; those that are left are read again next time
 */
export async function readSessionsAgain(run: ExportRun, tools: LateTools): Promise<void> {
  for (;;) {
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

async function readUserAgain(
  run: ExportRun,
  { archive, pending, tally }: LateTools,
  userId: UserId,
  sessions: readonly SessionToReadAgain[],
): Promise<void> {
  const state = await archive.states.load(userId);
  pending.planned(state);
  run.histories.forgetErased(archive.index.lastErasure);
  const last = (await archive.index.listings()).get(userId)?.last.entry;
  const gaps: Gap[] = [];
  for (const again of sessions) {
    gaps.push(...(await readSessionAgain(run, state, again)));
  }
  const isNews = gaps.length > 0 && last !== undefined;
  if (isNews) {
    await run.checkpointer.addUser({ ...last, complete: false, gaps: last.gaps + gaps.length });
  }
  await run.checkpointer.commit();
  tally.doubted(gaps, { wasComplete: isNews && last.complete });
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
  if (!suspect) return { gaps: [] };
  const doubt = doubtGap(unreadDoubt(known, suspect));
  const gaps = [doubt, ...known.gaps.filter((gap) => !isDoubt(gap))];
  const entry = sessionEntryOf(user, sessionId, { ...known, complete: false, gaps });
  await run.checkpointer.addSessionEntry(entry);
  return { gaps };
}
