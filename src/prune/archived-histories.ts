/**
 * Compares the archived histories of the users that a prune considers with those of everybody in the archive: the
 * final check alone would take the history of another session for this one's, if it was archived as that.
 */
import type { Archive } from '../archive/archive.js';
import type { ArchivedSession } from '../archive/state/user-state.js';
import {
  historyOf,
  SharedJobs,
  type HistoryFacts,
  type SessionRef,
} from '../archive/histories/shared-jobs.js';
import { asSessionId, asUserId, sessionKey } from '../model/ids.js';

export class ArchivedHistories {
  readonly #jobs: SharedJobs;
  /** By `sessionKey`: the sessions that have jobs of it. */
  readonly #others = new Map<string, Map<string, SessionRef>>();
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

  /** Compares what other runs have archived since with the sessions that were added: up to the newest commit of the index. */
  async compareNewer({
    index,
    log,
    states,
  }: Pick<Archive, 'index' | 'log' | 'states'>): Promise<void> {
    const { through } = index;
    const changed = new Map<string, SessionRef>();
    for await (const { sessions } of log.commits(this.#compared + 1, through)) {
      for (const { user, session } of sessions) {
        changed.set(sessionKey(user, session), { user, session });
      }
    }
    for (const { user, session } of changed.values()) {
      const { sessions } = await states.loadAsOf(asUserId(user), through);
      const state = sessions.get(asSessionId(session));
      if (state) this.#compare(historyOf(user, session, state));
    }
    this.#compared = through;
  }

  /** Deleted sessions are compared, too: a history may be that of one of them. */
  add({ user, session, state }: Pick<ArchivedSession, 'user' | 'session' | 'state'>): void {
    const history = historyOf(user, session, state);
    this.#compare(history);
    if (!this.#jobs.add(history)) this.#uncompared.add(sessionKey(user, session));
  }

  /** Compares a session that is not considered with those that were added. Takes no room. */
  compareWith({ user, session, state }: Pick<ArchivedSession, 'user' | 'session' | 'state'>): void {
    this.#compare(historyOf(user, session, state));
  }

  othersOf({ user, session }: SessionRef): SessionRef[] {
    return [...(this.#others.get(sessionKey(user, session))?.values() ?? [])];
  }

  /** False: the session was compared with those before it, and not with those after it. */
  isCompared({ user, session }: SessionRef): boolean {
    return !this.#uncompared.has(sessionKey(user, session));
  }

  #compare(history: HistoryFacts): void {
    const { user, session } = history;
    for (const other of this.#jobs.othersWith(history)) {
      this.#addOther({ user, session }, other);
      this.#addOther(other, { user, session });
    }
  }

  #addOther(session: SessionRef, other: SessionRef): void {
    const key = sessionKey(session.user, session.session);
    const others = this.#others.get(key) ?? new Map<string, SessionRef>();
    this.#others.set(key, others.set(other.session, other));
  }
}
