/**
 * Finds jobs that occur in two sessions: one of the two was answered with the history of the other.
 *
 * Job ids are unique within a session only, so an equal id proves nothing unless it carries a time or 96 random bits.
 * Where ids can be guessed, a whole history of two jobs and more counts that is equal in ids and contents.
 */
import { sessionKey } from '../../model/ids.js';
import { isUniqueId } from '../../model/unique-id.js';
import type { SessionState } from '../state/user-state.js';
import { KeyTable } from './key-table.js';

export interface SessionRef {
  readonly user: string;
  readonly session: string;
}

/** The content hash of each job, by its id. */
export type JobHashes = ReadonlyMap<string, { readonly hash: string }>;

/** By `sessionKey`. */
type Others = Map<string, SessionRef>;

export class SharedJobs {
  readonly #table: KeyTable;
  readonly #sessions: SessionRef[] = [];
  /** How many of the newest sessions keep their numbers. */
  readonly #mostSessions: number;
  /** By `sessionKey`. */
  readonly #sharing = new Map<string, { readonly ref: SessionRef; readonly others: Others }>();

  /** @param mostSlots 12 bytes each; default: 150 MB, enough for 6 million jobs */
  constructor(mostSlots?: number) {
    this.#table = new KeyTable(mostSlots);
    // a session's ids cost about as much as ten keys
    this.#mostSessions = this.#table.mostSlots / 8;
  }

  /** Whether a further session may not be kept. */
  get isFull(): boolean {
    return this.#table.isFull || this.#sessions.length >= this.#mostSessions;
  }

  /** Sessions that have a job in common with at least one other. */
  sharing(): SessionRef[] {
    return [...this.#sharing.values()].map(({ ref }) => ref);
  }

  /** Compares a session with those that were added before, and keeps it. @returns whether all of it is kept */
  add(session: SessionRef, jobs: JobHashes): boolean {
    this.compare(session, jobs);
    if (this.isFull) return false;
    const number = this.#sessions.push(session) - 1;
    let isKept = true;
    for (const key of keysOf(session, jobs)) {
      isKept &&= this.#table.getOrSet(key, number) !== undefined;
    }
    return isKept;
  }

  /** Compares a session with those that were added. Takes no room. */
  compare(session: SessionRef, jobs: JobHashes): void {
    for (const key of keysOf(session, jobs)) {
      const other = this.#sessions[this.#table.get(key) ?? -1];
      if (!other || (other.session === session.session && other.user === session.user)) continue;
      this.#addOther(session, other);
      this.#addOther(other, session);
    }
  }

  /**
   * Other sessions with a job of this one, and this one of other users. The table has only the first session of a job: the
   * others of it are those of that session.
   */
  othersOf({ user, session }: SessionRef): SessionRef[] {
    const thisKey = sessionKey(user, session);
    const direct = this.#sharing.get(thisKey)?.others ?? new Map<string, SessionRef>();
    const all: Others = new Map(direct);
    for (const key of direct.keys()) {
      for (const [other, ref] of this.#sharing.get(key)?.others ?? []) {
        if (other !== thisKey) all.set(other, ref);
      }
    }
    return [...all.values()];
  }

  #addOther(ref: SessionRef, other: SessionRef): void {
    const key = sessionKey(ref.user, ref.session);
    const known = this.#sharing.get(key) ?? { ref, others: new Map() };
    known.others.set(sessionKey(other.user, other.session), other);
    this.#sharing.set(key, known);
  }
}

/** Every job that the session has or had: also one that was withdrawn from it shows that it was misread. */
export function everyJobOf({ jobs, withdrawn }: SessionState) {
  return withdrawn.size === 0 ? jobs : new Map([...jobs, ...withdrawn]);
}

/** Whether two sessions have a job in common that only one of them can have. */
export function haveSharedJobs(a: JobHashes, b: JobHashes): boolean {
  const unique = [...a.keys()].filter(isUniqueId);
  return unique.length > 0 ? unique.some((id) => b.has(id)) : areEqualHistories(a, b);
}

/** Whether two whole histories of jobs with ids that can be guessed are equal, and have two jobs or more. */
export function areEqualHistories(a: JobHashes, b: JobHashes): boolean {
  const isEqual = a.size === b.size && [...a].every(([id, { hash }]) => b.get(id)?.hash === hash);
  return isEqual && a.size >= 2;
}

function* keysOf({ session }: SessionRef, jobs: JobHashes): Generator<string> {
  yield `session ${session}`;
  let canBeGuessed = jobs.size >= 2;
  for (const id of jobs.keys()) {
    if (!isUniqueId(id)) continue;
    canBeGuessed = false;
    yield `job ${id}`;
  }
  if (!canBeGuessed) return;
  const sorted = [...jobs].sort(([a], [b]) => (a < b ? -1 : 1));
  yield `history ${JSON.stringify(sorted.map(([id, { hash }]) => [id, hash]))}`;
}
