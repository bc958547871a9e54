/**
 * Records, at the end of a run, the doubt of sessions that have a job in common: when the first of them was committed,
 * nothing showed it. The next run reads them whole.
 */
import type { Archive } from '../../archive/archive.js';
import { haveSharedJobs, type SessionRef } from '../../archive/histories/shared-jobs.js';
import { type SessionState, type UserState } from '../../archive/state/user-state.js';
import { isLive } from '../../archive/state/archived-session.js';
import { sessionEntryOf } from '../../archive/state/apply-commit.js';
import { groupBy } from '../../base/group-by.js';
import { asSessionId, asUserId, type UserId } from '../../model/ids.js';
import type { UserEntry } from '../../archive/log/commit.js';
import type { ExportRun } from '../export-run.js';
import { type Gap } from '../jobs/gap.js';
import { sharedGap } from '../jobs/doubts.js';
import type { RunTally } from '../run-tally.js';
import { sessionGap } from './user-export.js';
import type { UserLeases } from './user-leases.js';
import type { PendingUsers } from './pending-users.js';
import type { UserSource } from './user-source.js';

/**
 * Sessions that one session names: a cache may answer thousands with one history. One that has lost all of its jobs names
 * as many beside them that have theirs still: the jobs are withdrawn only by comparing with the session whose they are.
 */
const MOST_NAMED = 10;

export interface EndTools {
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
  readonly tally: RunTally;
  readonly source: UserSource | undefined;
}

interface SharingSessions {
  readonly sessions: readonly SessionRef[];
  /** See `keepersAmong`. */
  readonly keepers: readonly SessionRef[];
}

interface DoubtedUser {
  readonly userId: UserId;
  readonly gaps: readonly Gap[];
  /** As this run has counted the user; undefined of one whom another run has listed since. */
  readonly counted: UserEntry | undefined;
}

/**
 * Requires that everything of the run is committed.
 *
 * @throws {CommitConflictError} another run has touched the same sessions
 */
export async function recordSharedJobs(run: ExportRun, tools: EndTools): Promise<void> {
  const { pending, leases, tally, source } = tools;
  const doubted: DoubtedUser[] = [];
  const taken: UserId[] = [];
  const sharing = run.exported.sharing();
  const keepers = await keepersAmong(run, sharing);
  try {
    for (const [user, sessions] of groupBy(sharing, (session) => session.user)) {
      const userId = asUserId(user);
      // a lease only saves work: whoever holds it may be a run that does not look for this
      if (await leases.tryTake(userId, run.signal)) taken.push(userId);
      const found = await newDoubtsOf(run, tools, userId, { sessions, keepers });
      if (found) doubted.push(found);
    }
    await run.checkpointer.commit();
  } finally {
    for (const userId of taken) {
      pending.forgetPlan(userId);
      await leases.release(userId);
    }
  }
  for (const { userId, gaps, counted } of doubted) {
    tally.doubted(gaps, counted);
    source?.doubted(userId, gaps);
  }
}

async function newDoubtsOf(
  run: ExportRun,
  { pending, tally }: EndTools,
  userId: UserId,
  { sessions, keepers }: SharingSessions,
): Promise<DoubtedUser | undefined> {
  const { archive } = run;
  const state = await archive.states.load(userId);
  pending.planned(state);
  const gaps: Gap[] = [];
  for (const { session } of sessions) {
    gaps.push(...(await addDoubts(run, state, { session, keepers })));
  }
  if (gaps.length === 0) return undefined;
  const newest = (await archive.index.listings()).get(userId)?.last;
  if (!newest) return { userId, gaps, counted: undefined };
  const { entry } = newest;
  // whom the budget left was counted by the line before; on a doubt nobody has decided
  const counted = { left: undefined, by_decision: undefined };
  const doubt = { ...counted, complete: false, gaps: entry.gaps + gaps.length };
  await run.checkpointer.addUser({ ...entry, ...doubt });
  const isOwn = tally.summary.commits.includes(newest.commit);
  return { userId, gaps, counted: isOwn ? entry : undefined };
}

/** The sessions that have some of their jobs still, where others have lost all of theirs; none where no session has. */
async function keepersAmong(
  { archive, signal }: ExportRun,
  sharing: readonly SessionRef[],
): Promise<readonly SessionRef[]> {
  const keepers: SessionRef[] = [];
  for (const ref of sharing) {
    signal.throwIfAborted();
    const known = await sessionOf(archive, ref);
    if (known && isLive(known) && !hasLostAll(known)) keepers.push(ref);
  }
  return keepers.length === sharing.length ? [] : keepers;
}

function hasLostAll({ gaps }: SessionState): boolean {
  return gaps.some(({ lost_below: below }) => below !== undefined);
}

/** The doubts that the log does not have yet. */
async function addDoubts(
  run: ExportRun,
  { user, sessions }: UserState,
  { session, keepers }: { readonly session: string; readonly keepers: readonly SessionRef[] },
): Promise<Gap[]> {
  const { archive } = run;
  const id = asSessionId(session);
  const known = sessions.get(id);
  if (!known || !isLive(known)) return [];
  const named = new Set(known.gaps.flatMap(({ shared_with: other }) => other ?? []));
  const found: string[] = [];
  const name = async (others: Iterable<SessionRef>, most: number): Promise<void> => {
    for (const other of others) {
      if (named.size >= most) break;
      const otherId = asSessionId(other.session);
      if (other.session === session || named.has(otherId)) continue;
      if (!(await isSharedWith(archive, known, other))) continue;
      named.add(otherId);
      found.push(otherId);
    }
  };
  await name(run.exported.othersOf({ user, session }), MOST_NAMED);
  if (hasLostAll(known)) await name(keepers, 2 * MOST_NAMED);
  if (found.length === 0) return [];
  run.archive.logger.info({ user, session, others: found }, 'sessions have jobs in common');
  const gaps = found.map(sharedGap);
  const entry = { ...known, complete: false, gaps: [...gaps, ...known.gaps] };
  await run.checkpointer.addSessionEntry(sessionEntryOf(user, id, entry));
  return gaps.map((gap) => sessionGap(user, session, gap, run.settings));
}

/** As the log has it: the run may have withdrawn the jobs since it compared them, or somebody may have been erased. */
async function isSharedWith(
  archive: Archive,
  { jobs }: SessionState,
  ref: SessionRef,
): Promise<boolean> {
  const other = await sessionOf(archive, ref);
  return other !== undefined && haveSharedJobs(jobs, other.jobs);
}

async function sessionOf(
  { states }: Archive,
  { user, session }: SessionRef,
): Promise<SessionState | undefined> {
  return (await states.load(asUserId(user))).sessions.get(asSessionId(session));
}
