/**
 * Finds sessions that an erasure leaves, though they have, or had, jobs of what it erases: the service has answered one
 * with the history of the other, or two users list one session.
 */
import type { Archive } from '../../archive/archive.js';
import type { SessionKey } from '../../archive/archive-errors.js';
import type { ErasureTarget } from '../../archive/erasing/erasure-target.js';
import { everyJobOf, SharedJobs, type SessionRef } from '../../archive/histories/shared-jobs.js';
import type { GapEntry, SessionEntry } from '../../archive/log/commit.js';
import { type SessionState } from '../../archive/state/user-state.js';
import { doubtsOf } from '../../archive/state/archived-session.js';
import { sessionEntryOf } from '../../archive/state/apply-commit.js';
import { readAhead } from '../../base/concurrently.js';
import { asSessionId, asUserId, sessionKey, type UserId } from '../../model/ids.js';
import { ERASED } from '../../model/ids.js';
import { SHARED_WITH_ERASED } from '../../archive/erasing/redact-commit.js';
import { NO_PLACE } from '../../model/records.js';

export interface SharingSession extends SessionRef {
  /** How many of its jobs the erased session has, too. */
  readonly jobs: number;
  /** The erased session; of several, the first that was found. */
  readonly erased_session: string;
}

/** States read at a time: in a bucket each takes a while. */
const READ_AHEAD = 16;

interface Archived extends SessionKey {
  readonly state: SessionState;
}

/**
 * Reads the states of everybody, as of the newest commit that the index knows; several times where more than 6 million
 * jobs are erased.
 *
 * @param target after `learnFromLog`
 */
export async function sessionsSharing(
  { index, states }: Archive,
  target: ErasureTarget,
  signal: AbortSignal,
): Promise<SharingSession[]> {
  const { through } = index;
  const found = new Map<string, SharingSession>();

  async function* archived(users: Iterable<UserId>): AsyncGenerator<Archived> {
    const load = (user: UserId) => states.loadAsOf(user, through);
    for await (const { user, sessions } of readAhead(users, READ_AHEAD, load)) {
      signal.throwIfAborted();
      for (const [session, state] of sessions) yield { user, session, state };
    }
  }

  async function compare(erased: SharedJobs): Promise<void> {
    for await (const { user, session, state } of archived(index.users)) {
      const key = sessionKey(user, session);
      if (found.has(key) || target.has({ user, session })) continue;
      const sessionJobs = everyJobOf(state);
      erased.compare({ user, session }, sessionJobs);
      const [other] = erased.othersOf({ user, session });
      if (!other) continue;
      const { sessions } = await states.loadAsOf(asUserId(other.user), through);
      const theirs = sessions.get(asSessionId(other.session));
      const jobs = [...sessionJobs.keys()].filter((job) => theirs?.jobs.has(job)).length;
      found.set(key, { user, session, jobs, erased_session: other.session });
    }
  }

  let erased = new SharedJobs();
  for await (const { user, session, state } of archived(target.owners)) {
    if (!target.has({ user, session })) continue;
    // a job that was withdrawn from it is not its own: that was decided, and what has it is in no doubt
    if (erased.add({ user, session }, state.jobs)) continue;
    await compare(erased);
    erased = new SharedJobs();
    erased.add({ user, session }, state.jobs);
  }
  await compare(erased);
  return [...found.values()];
}

/** The doubt that stays of each of them: from now on nothing could show it. */
export async function doubtsOfLeft(
  { index, states }: Archive,
  sharing: readonly SharingSession[],
): Promise<SessionEntry[]> {
  const doubt: GapEntry = {
    ...{ job: null, ...NO_PLACE, kind: null, status: 'doubtful' },
    ...{ reason: SHARED_WITH_ERASED, shared_with: asSessionId(ERASED) },
  };
  const entries: SessionEntry[] = [];
  for (const { user, session, erased_session: erased } of sharing) {
    // which two users list
    if (erased === session) continue;
    const [userId, sessionId] = [asUserId(user), asSessionId(session)];
    const { sessions } = await states.loadAsOf(userId, index.through);
    const known = sessions.get(sessionId);
    if (!known || doubtsOf(known).length > 0) continue;
    const gaps = [doubt, ...known.gaps];
    entries.push(sessionEntryOf(userId, sessionId, { ...known, complete: false, gaps }));
  }
  return entries;
}
