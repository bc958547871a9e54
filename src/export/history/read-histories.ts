/**
 * The histories that a run has read, to notice one that is another session's: a mis-keyed cache in front of the
 * service has answered session B with the history of A.
 */
import { sessionKey, type UserId, foldedUser } from '../../model/ids.js';
import type { SessionState } from '../../archive/state/user-state.js';
import {
  hasJobs,
  SharedJobs,
  type HistoryFacts,
  type SessionRef,
} from '../../archive/histories/shared-jobs.js';

/** 50 MB a generation: 3 million jobs. */
const SLOTS = 2 ** 22;
/** Of one session: each is read again for it. */
const MOST_SUSPECTS = 3;

/** A session that the run reads again at its end. */
export interface SessionToReadAgain extends SessionRef {
  /** Sessions that have jobs of it; none if it is only to be mended. */
  readonly suspects: readonly SessionRef[];
}

/**
 * Bounded in memory: a history is compared with those read before it in the run, at least as many as have 3
 * million jobs together. Beyond that a prune still compares what it is about to delete.
 */
export class ReadHistories {
  #current: SharedJobs;
  #previous: SharedJobs;
  /** By `sessionKey`. */
  readonly #again = new Map<
    string,
    { readonly ref: SessionRef; readonly suspects: SessionRef[] }
  >();
  /** Sessions, by `sessionKey`, that were read again and still have jobs of another one. */
  readonly #doubted = new Set<string>();
  /** Sessions, by `sessionKey`, that this run need not read again. */
  readonly #settled = new Set<string>();
  /** What another user's archive has of sessions that both list, by `sessionKey`. */
  readonly #witnesses = new Map<string, SessionState>();
  /** Of users that were in the archive when this was first asked, by `foldedUser`. */
  #spellings: Map<string, UserId[]> | undefined;
  /** Histories that were read again, because they did not look like their session's, without a doubt that the log has. */
  newlyStrange = 0;
  /** Number of the newest commit about an erasure. */
  #lastErasure: number | undefined;

  /** @param slots for tests */
  constructor(readonly slots: number = SLOTS) {
    this.#current = new SharedJobs(slots);
    this.#previous = new SharedJobs(slots);
  }

  /** Forgets everything if there was an erasure: a doubt must not name what was erased. */
  forgetErased(lastErasure: number): void {
    const isSame = (this.#lastErasure ?? lastErasure) === lastErasure;
    this.#lastErasure = lastErasure;
    if (isSame) return;
    this.#current = new SharedJobs(this.slots);
    this.#previous = new SharedJobs(this.slots);
    for (const histories of [this.#again, this.#witnesses, this.#doubted, this.#settled])
      histories.clear();
  }

  /** Sessions read before in this run that have jobs of the history. */
  othersWith(history: HistoryFacts): SessionRef[] {
    const others = [this.#current, this.#previous].flatMap((read) => read.othersWith(history));
    return [...new Map(others.map((other) => [keyOf(other), other])).values()];
  }

  /**
   * An empty history is not kept: it shows nothing.
   *
   * @param ousted sessions that were found to have other jobs since
   * @param isEstablished whether jobs came that the archive had of the session before the run, without a doubt
   */
  keep(history: HistoryFacts, ousted: readonly SessionRef[] = [], isEstablished = false): void {
    if (!hasJobs(history)) return;
    if (this.#current.isFull) {
      this.#previous = this.#current;
      this.#current = new SharedJobs(this.slots);
    }
    this.#current.add(history, ousted, isEstablished);
  }

  /**
   * Whether the history has jobs that came in the run already, in a session that the archive had before the run with
   * jobs that came. False also if the run has forgotten.
   */
  isEstablishedIn(history: HistoryFacts): boolean {
    return this.#current.isEstablishedIn(history) || this.#previous.isEstablishedIn(history);
  }

  /** Of these jobs, those that no other session of the run has which is not in doubt itself. */
  lostOf(history: HistoryFacts): string[] {
    const { user, session, ids, whole } = history;
    const owners = this.othersWith({ ...history, ids: [] });
    if (whole && owners.length > 0 && owners.every((other) => !this.isDoubted(other))) return [];
    return [...ids].filter((id) => {
      const having = this.othersWith({ user, session, ids: [id], whole: undefined });
      return having.length === 0 || having.some((other) => this.isDoubted(other));
    });
  }

  /** Whether the run has read jobs in the session's history; false also if it has forgotten. */
  hasRead(session: string): boolean {
    return (this.#current.find(session) ?? this.#previous.find(session)) !== undefined;
  }

  isDoubted(session: SessionRef): boolean {
    return this.#doubted.has(keyOf(session));
  }

  doubt(session: SessionRef): void {
    this.#doubted.add(keyOf(session));
  }

  /** The run's last word on a session: it is not read again. */
  settle(session: SessionRef): void {
    this.#settled.add(keyOf(session));
  }

  /** Asks for the session to be read again at the end of the run. */
  readAgain(ref: SessionRef, suspect?: SessionRef): void {
    const key = keyOf(ref);
    if (this.#settled.has(key)) return;
    const asked = this.#again.get(key) ?? { ref, suspects: [] };
    if (suspect && asked.suspects.length < MOST_SUSPECTS) asked.suspects.push(suspect);
    this.#again.set(key, asked);
  }

  /** Likewise of a session that another user lists, who has other jobs of it. */
  readAgainBeside(ref: SessionRef, witness: SessionState): void {
    this.#witnesses.set(keyOf(ref), witness);
    this.readAgain(ref);
  }

  witnessOf(ref: SessionRef): SessionState | undefined {
    return this.#witnesses.get(keyOf(ref));
  }

  /** Other spellings of the user in the archive. @param archived who is in it */
  spellingsOf(user: string, archived: () => readonly UserId[]): UserId[] {
    this.#spellings ??= spelledOf(archived());
    const spelt = this.#spellings.get(foldedUser(user)) ?? [];
    return spelt.filter((other) => other !== user);
  }

  /** Sessions to be read again, by user; they stay until they are settled. */
  toReadAgain(): ReadonlyMap<string, readonly SessionToReadAgain[]> {
    const byUser = new Map<string, SessionToReadAgain[]>();
    for (const [key, { ref, suspects }] of this.#again) {
      if (this.#settled.has(key)) continue;
      const ofUser = byUser.get(ref.user) ?? [];
      byUser.set(ref.user, [...ofUser, { ...ref, suspects }]);
    }
    return byUser;
  }
}

function spelledOf(users: readonly UserId[]): Map<string, UserId[]> {
  const spelled = new Map<string, UserId[]>();
  for (const user of users) {
    const folded = foldedUser(user);
    spelled.set(folded, [...(spelled.get(folded) ?? []), user]);
  }
  return spelled;
}

function keyOf({ user, session }: SessionRef): string {
  return sessionKey(user, session);
}
