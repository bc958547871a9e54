/**
 * Compares the archived sessions that a prune considers with those of everybody: the final check alone would take the
 * history of another session for this one's, if it was archived as that.
 */
import type { Archive } from '../archive/archive.js';
import { everyJobOf, SharedJobs, type SessionRef } from '../archive/histories/shared-jobs.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { asSessionId, asUserId, sessionKey } from '../model/ids.js';
import { refusal, type PruneRefusal } from './refusal.js';

type Compared = Pick<ArchivedSession, 'user' | 'session' | 'state'>;

export class ComparedSessions {
  readonly #jobs: SharedJobs;
  /** By `sessionKey`: sessions that came when there was no room any more. */
  readonly #uncompared = new Set<string>();
  /** The newest commit whose sessions were compared, those of other runs since the comparison began included. */
  #compared: number;

  /**
   * @param through the newest commit when the comparison began: what sessions have since was not compared
   * @param mostSlots for tests
   */
  constructor(
    readonly through: number,
    mostSlots?: number,
  ) {
    this.#jobs = new SharedJobs(mostSlots);
    this.#compared = through;
  }

  /** Deleted sessions are compared, too: a history may be that of one of them. */
  add({ user, session, state }: Compared): void {
    const isKept = this.#jobs.add({ user, session }, everyJobOf(state));
    if (!isKept) this.#uncompared.add(sessionKey(user, session));
  }

  /** Compares a session that is not considered with those that were added. Takes no room. */
  compareWith({ user, session, state }: Compared): void {
    this.#jobs.compare({ user, session }, everyJobOf(state));
  }

  /** Compares what other runs have archived since with the sessions that were added: up to the newest commit of the index. */
  async compareNewer({ index, log, states }: Archive): Promise<void> {
    const { through } = index;
    const changed = new Map<string, SessionRef>();
    for await (const { sessions } of log.commits(this.#compared + 1, through)) {
      for (const { user, session } of sessions) {
        changed.set(sessionKey(user, session), { user, session });
      }
    }
    for (const ref of changed.values()) {
      const [user, session] = [asUserId(ref.user), asSessionId(ref.session)];
      const state = (await states.loadAsOf(user, through)).sessions.get(session);
      if (state) this.compareWith({ user, session, state });
    }
    this.#compared = through;
  }

  /** Other sessions that have, or had, jobs of this one. */
  othersOf(session: SessionRef): SessionRef[] {
    return this.#jobs.othersOf(session).filter((other) => other.session !== session.session);
  }

  /** Other users who have this session in the archive, too. */
  ownersOf(session: SessionRef): SessionRef[] {
    return this.#jobs.othersOf(session).filter((other) => other.session === session.session);
  }

  /**
   * Jobs that another session has, or had, may be that one's: then this one's own may be archived nowhere.
   *
   * @throws {IntegrityError}
   */
  async whyMisread(
    archived: ArchivedSession,
    states: Archive['states'],
  ): Promise<PruneRefusal | undefined> {
    if (archived.changed.commit > this.through) {
      const detail =
        'it has changed since this run compared what is archived with the jobs of all other sessions: the next run looks again';
      return refusal('outdated', detail);
    }
    if (!this.isCompared(archived)) {
      const detail = `there is no room to compare its jobs with those of all others: prune fewer users at a time (--user)`;
      return refusal('doubtful', detail);
    }
    const [other] = this.othersOf(archived);
    if (other !== undefined) {
      const detail = `it has, or had, jobs of session ${other.session}: one of the two was answered with the history of the other`;
      return refusal('doubtful', detail);
    }
    return this.refusalOf(archived, states);
  }

  /** Why the session may not go under this user; undefined where no other user has more of it. @throws {IntegrityError} */
  async refusalOf(
    { user, session, state }: Compared,
    states: Archive['states'],
  ): Promise<PruneRefusal | undefined> {
    for (const owner of this.ownersOf({ user, session })) {
      const { sessions } = await states.load(asUserId(owner.user));
      const theirs = sessions.get(asSessionId(owner.session))?.jobs.keys() ?? [];
      if ([...theirs].every((job) => state.jobs.has(job))) continue;
      const detail = `user ${owner.user} has it in the archive, too, with jobs that this user does not have`;
      return refusal('doubtful', detail);
    }
    return undefined;
  }

  /** False: the session was compared with those before it, and not with those after it. */
  isCompared({ user, session }: SessionRef): boolean {
    return !this.#uncompared.has(sessionKey(user, session));
  }
}
