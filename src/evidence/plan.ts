/** Which sessions and jobs go into the pack, under which numbers: from the log alone, before any row is read. */
import { emptyState, type JobState, type SessionState } from '../archive/state/user-state.js';
import { fromSnapshot, type Archive } from '../archive/archive.js';
import type { GapEntry } from '../archive/log/commit.js';
import { type ViewedUser } from '../archive/reading/archive-view.js';
import { isJobOrderKnown, jobsOldestFirst } from '../archive/state/job-order.js';
import type { MissingCounts } from '../model/gap-counts.js';
import { rowId, type JobId, type UserId } from '../model/ids.js';
import type { Making } from '../making/making.js';

export interface JobPlan {
  readonly job: JobId;
  readonly state: JobState;
  /** Its place among all jobs of the session that the archive has, from 1; null where their order is not known. */
  readonly place: number | null;
  /** Number of the record of version 1; the other versions follow. */
  readonly firstRecord: number;
}

export interface SessionPlan {
  readonly user: string;
  readonly session: string;
  readonly state: SessionState;
  /** The gaps of the session as a whole and of its jobs in the pack. */
  readonly gaps: readonly GapEntry[];
  readonly missing: MissingCounts;
  /** From 1, throughout the pack. */
  readonly number: number;
  /** The jobs in the pack, oldest first, as far as can be told. */
  readonly jobs: ById<JobPlan>;
  /** How many jobs the archive has of the session; the search may match fewer. */
  readonly archivedJobs: number;
  /** How many decisions withhold; of those that the search matches, where it is one. */
  readonly withheldJobs: number;
}

export interface UserPlan {
  readonly view: ViewedUser;
  readonly sessions: ById<SessionPlan>;
}

/** Keyed by ids as the tables have them: in rows, unlike in the log, a lone surrogate is U+FFFD. */
type ById<Plan> = ReadonlyMap<string, Plan>;

/** Users whose rows are gathered in one go over the part files. */
export interface Batch {
  readonly users: ById<UserPlan>;
}

/**
 * Yields the selected users in batches, so that memory is bounded by a batch (or one user) and not by
 * the archive; each batch reads the part files of its commits once.
 *
 * @throws {IntegrityError} a commit or its list of jobs is damaged, or the newest one is gone
 */
export async function* planBatches(
  archive: Archive,
  making: Making,
  batchJobs: number,
): AsyncGenerator<Batch> {
  // fails if a snapshot has seen a newer commit: the log has then lost it
  await fromSnapshot(archive).index.refresh();
  const numbers = { session: 0, record: 0 };
  let users = new Map<string, UserPlan>();
  let jobs = 0;
  for (const user of making.selection.users) {
    const plan = await planUser(archive, making, user, numbers);
    users.set(rowId(user), plan);
    for (const session of plan.sessions.values()) jobs += session.jobs.size;
    if (jobs < batchJobs) continue;
    yield { users };
    users = new Map();
    jobs = 0;
  }
  if (users.size > 0) yield { users };
}

interface Numbers {
  session: number;
  record: number;
}

async function planUser(
  archive: Archive,
  { selection, view }: Making,
  user: UserId,
  numbers: Numbers,
): Promise<UserPlan> {
  // replayed, not taken from a snapshot: evidence rests on the log alone
  const state = await archive.states.replay(emptyState(user), view.head?.number ?? 0);
  const ofUser = view.viewOf(state);
  const plans = new Map<string, SessionPlan>();
  for (const { session, state: shown, gaps, withheld, ...counts } of ofUser.sessions) {
    const number = ++numbers.session;
    const jobs = new Map<string, JobPlan>();
    // a question that is withheld has its place all the same
    const archived = state.sessions.get(session) ?? shown;
    const inOrder = jobsOldestFirst(archived);
    const isKnown = isJobOrderKnown(inOrder);
    for (const [index, [job, jobState]] of inOrder.entries()) {
      if (!selection.hasJob(user, session, job)) continue;
      jobs.set(rowId(job), {
        job,
        state: jobState,
        place: isKnown ? index + 1 : null,
        firstRecord: numbers.record + 1,
      });
      numbers.record += jobState.version;
    }
    plans.set(rowId(session), {
      user,
      session,
      state: shown,
      gaps,
      missing: { ...counts.gapCounts, lost_files: counts.lostFiles },
      number,
      jobs,
      archivedJobs: archived.jobs.size,
      withheldJobs: withheld?.withheld ?? 0,
    });
  }
  return { view: ofUser, sessions: plans };
}

/** What became of it at the service; null while the service lists it. */
export function serviceStatus({ state }: Pick<SessionPlan, 'state'>): string | null {
  if (state.deleted) return 'deleted from the service after it was archived';
  return state.goneAt === null ? null : `gone from the service: not listed since ${state.goneAt}`;
}
