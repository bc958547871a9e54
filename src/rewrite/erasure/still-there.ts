/**
 * Finds sessions that an erasure leaves, though they have jobs of what it erases: the service may have answered them
 * with the history of an erased session, or two users list one session.
 */
import type { Archive } from '../../archive/archive.js';
import { historyOf, SharedJobs, type SessionRef } from '../../archive/histories/shared-jobs.js';
import type { SessionKey } from '../../archive/archive-errors.js';
import type { GapEntry, SessionEntry } from '../../archive/log/commit.js';
import { sessionEntryOf, openDoubt, type SessionState } from '../../archive/state/user-state.js';
import { readAhead } from '../../base/concurrently.js';
import { asSessionId, asUserId, ERASED, sessionKey, type UserId } from '../../model/ids.js';
import { NO_PLACE } from '../../model/records.js';
import type { ErasureTarget } from '../../archive/erasing/erasure-target.js';

export interface StillThere extends SessionRef {
  /** How many of its jobs the erased session has, too. */
  readonly jobs: number;
  /** The erased session; of several, the first that was found. */
  readonly of: string;
}

/** States read at a time: in a bucket each takes a while. */
const READ_AHEAD = 16;

interface Archived extends SessionKey {
  readonly state: SessionState;
}

/**
 * Reads the states of everybody, as of the newest commit that the index knows. Of sessions with more than 6 million
 * jobs, it reads them several times: a comparison is bounded in memory.
 *
 * @param target after `learnFromLog`
 */
export async function findStillThere(
  { index, states }: Pick<Archive, 'index' | 'states'>,
  target: ErasureTarget,
  signal: AbortSignal,
): Promise<StillThere[]> {
  const { through } = index;
  const found = new Map<string, StillThere>();

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
      const [of] = [
        erased.find(session),
        ...erased.othersWith(historyOf(user, session, state)),
      ].filter((other) => other !== undefined);
      if (!of) continue;
      const { sessions } = await states.loadAsOf(asUserId(of.user), through);
      const theirs = sessions.get(asSessionId(of.session))?.jobs;
      const jobs = [...state.jobs.keys()].filter((job) => theirs?.has(job)).length;
      found.set(key, { user, session, jobs, of: of.session });
    }
  }

  let erased = new SharedJobs();
  for await (const { user, session, state } of archived(target.owners)) {
    if (!target.has({ user, session })) continue;
    const history = historyOf(user, session, state);
    if (erased.add(history)) continue;
    await compare(erased);
    erased = new SharedJobs();
    erased.add(history);
  }
  await compare(erased);
  return [...found.values()];
}

/**
 * The doubt that stays of each that has jobs of another session which is erased: one of the two was answered with the
 * history of the other, its own jobs may be archived nowhere, and from now on nothing could show it.
 */
export async function doubtsOfLeft(
  { index, states }: Pick<Archive, 'index' | 'states'>,
  left: readonly StillThere[],
): Promise<SessionEntry[]> {
  const doubt: GapEntry = {
    ...{ job: null, ...NO_PLACE, kind: null, status: 'doubtful' },
    ...{ reason: ERASED, shared_with: asSessionId(ERASED) },
  };
  const entries: SessionEntry[] = [];
  for (const { user, session, of } of left) {
    // which two users list
    if (of === session) continue;
    const [userId, sessionId] = [asUserId(user), asSessionId(session)];
    const { sessions } = await states.loadAsOf(userId, index.through);
    const known = sessions.get(sessionId);
    if (!known || openDoubt(known)) continue;
    const gaps = [doubt, ...known.gaps];
    entries.push(sessionEntryOf(userId, sessionId, { ...known, complete: false, gaps }));
  }
  return entries;
}
