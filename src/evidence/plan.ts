/** Which jobs of a user go into the pack, and in which places: from the log alone. */
import type { Archive } from '../archive/archive.js';
import type { ViewedUser } from '../archive/reading/archive-view.js';
import { jobPlaces, jobsOldestFirst } from '../archive/state/job-order.js';
import { emptyState, type JobState } from '../archive/state/user-state.js';
import { present } from '../base/error.js';
import type { Survey, SurveyedSession, SurveyedUser } from '../making/survey.js';
import { rowId, type JobId, type SessionId, type UserId } from '../model/ids.js';

export interface JobPlan {
  readonly job: JobId;
  readonly state: JobState;
  /** Its place among all jobs of the session that the archive has, from 1; null where their order is not known. */
  readonly place: number | null;
}

export interface SessionPlan {
  readonly user: UserId;
  readonly session: SessionId;
  readonly surveyed: SurveyedSession;
  /** The version of the session's record. */
  readonly version: number;
  /** The jobs in the pack, oldest first, as far as can be told. */
  readonly jobs: ById<JobPlan>;
  /** The ids of those that are none of its jobs any more. */
  readonly withdrawn: ReadonlySet<string>;
}

export interface UserPlan {
  readonly view: ViewedUser;
  readonly surveyed: SurveyedUser;
  readonly sessions: ById<SessionPlan>;
}

/** Keyed by ids as the tables have them: in rows, unlike in the log, a lone surrogate is U+FFFD. */
type ById<Plan> = ReadonlyMap<string, Plan>;

/** @throws {IntegrityError} a commit or its list of jobs is damaged */
export async function planUser(archive: Archive, survey: Survey, user: UserId): Promise<UserPlan> {
  const { selection, view } = survey.making;
  // replayed, not taken from a snapshot: evidence rests on the log alone
  const state = await archive.states.replay(emptyState(user), view.head?.number ?? 0);
  const ofUser = view.viewOf(state);
  const surveyed = present(survey.users.get(rowId(user)), `what the survey has of ${user}`);
  const bySession = new Map(surveyed.sessions.map((one) => [one.session, one]));
  const plans = new Map<string, SessionPlan>();
  for (const { session, state: shown } of ofUser.sessions) {
    // a question that is withheld has its place all the same
    const archived = state.sessions.get(session) ?? shown;
    const places = jobPlaces(archived);
    const jobs = new Map<string, JobPlan>();
    for (const [job, jobState] of jobsOldestFirst(archived)) {
      if (!selection.hasJob(user, session, job)) continue;
      const id = rowId(job);
      jobs.set(id, { job, state: jobState, place: places.get(id) ?? null });
    }
    plans.set(rowId(session), {
      user,
      session,
      surveyed: present(bySession.get(rowId(session)), `what the survey has of ${session}`),
      version: shown.version,
      jobs,
      withdrawn: new Set([...shown.withdrawn.keys()].map(rowId)),
    });
  }
  return { view: ofUser, surveyed, sessions: plans };
}

/** What became of it at the service; null while the service lists it. */
export function serviceStatus({ isDeleted, goneAt }: SurveyedSession): string | null {
  if (isDeleted) return 'deleted from the service after it was archived';
  return goneAt === null ? null : `gone from the service: not listed since ${goneAt}`;
}
