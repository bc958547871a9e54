/** The sessions of an archive as of one commit, each as the log says it last: from the snapshot, and from the commits after it. */
import { sessionKey, type SessionId, type UserId } from '../../model/ids.js';
import { wasFoundGone, type Commit, type GapEntry } from '../log/commit.js';
import { jobsLacking } from '../log/accepted-gaps.js';
import type { LogIndex } from '../log/log-index.js';
import type { SnapshotSession } from '../snapshots/snapshot-users.js';

/** A session as of a commit. */
export interface NewestSession {
  readonly user: UserId;
  readonly session: SessionId;
  /** 0 where the log has only its deletion. */
  readonly version: number;
  readonly complete: boolean;
  readonly gaps: readonly GapEntry[];
  /** How many of its jobs the archive has. */
  readonly archived: number;
  /** How many jobs of its history are not archived; undefined where the service does not say how many it has. */
  readonly lacking: number | undefined;
  /** When a complete listing first lacked it, or prune found it gone; ISO 8601. */
  readonly goneAt: string | null;
  /** When its deletion was recorded, unless it was read again since; ISO 8601. */
  readonly deletedAt: string | null;
  /** Numbers of the commits that change it, in order. */
  readonly commits: readonly number[];
}

/** The sessions in the order of the snapshot; those that came after it follow. */
export class NewestSessions implements Iterable<NewestSession> {
  readonly #snapshot: LogIndex['snapshot'];
  /** The sessions that commits after the snapshot change. */
  readonly #changed = new Map<string, NewestSession>();

  private constructor(snapshot: LogIndex['snapshot']) {
    this.#snapshot = snapshot;
  }

  /**
   * @param options.through the commit; default: the newest that the index knows when this is called. What is appended
   *   meanwhile is not there
   * @throws {IntegrityError} the log is damaged
   */
  static async of(
    index: LogIndex,
    {
      through = index.through,
      signal,
    }: { readonly through?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<NewestSessions> {
    const { snapshot, walkFrom: from } = index;
    const sessions = new NewestSessions(snapshot);
    for await (const commit of index.walk({ from, through, signal })) sessions.#add(commit);
    return sessions;
  }

  *[Symbol.iterator](): Generator<NewestSession> {
    const told = new Set<string>();
    for (const { user, sessions } of this.#snapshot?.users.values() ?? []) {
      for (const [session, known] of sessions) {
        const key = sessionKey(user, session);
        const changed = this.#changed.get(key);
        if (changed) told.add(key);
        yield changed ?? asOfSnapshot(user, session, known);
      }
    }
    for (const [key, session] of this.#changed) if (!told.has(key)) yield session;
  }

  /** Undefined of one that the log does not know. */
  get(user: UserId, session: SessionId): NewestSession | undefined {
    const changed = this.#changed.get(sessionKey(user, session));
    if (changed) return changed;
    const known = this.#snapshot?.users.get(user)?.sessions.get(session);
    return known && asOfSnapshot(user, session, known);
  }

  #add({ number, sessions, deletions }: Commit): void {
    for (const entry of sessions) {
      const { user, session, version, complete, gaps, archived, gone_at: goneAt } = entry;
      const known = this.#knownOf(user, session);
      // a session that the service lists again is not deleted any more
      const deletedAt = goneAt === null ? null : known.deletedAt;
      const lacking = jobsLacking(entry);
      const now = { version, complete, gaps, archived, lacking, goneAt, deletedAt };
      const newest = { ...known, ...now };
      this.#changed.set(sessionKey(user, session), changedBy(number, newest));
    }
    for (const deletion of deletions) {
      const { user, session, deleted_at: at } = deletion;
      const known = this.#knownOf(user, session);
      const away = wasFoundGone(deletion) ? { goneAt: known.goneAt ?? at } : { deletedAt: at };
      this.#changed.set(sessionKey(user, session), changedBy(number, { ...known, ...away }));
    }
  }

  #knownOf(user: UserId, session: SessionId): NewestSession {
    return this.get(user, session) ?? { user, session, ...UNKNOWN };
  }
}

const UNKNOWN = {
  version: 0,
  complete: false,
  gaps: [],
  archived: 0,
  lacking: undefined,
  goneAt: null,
  deletedAt: null,
  commits: [],
};

function changedBy(commit: number, session: NewestSession): NewestSession {
  const { commits } = session;
  return commits.at(-1) === commit ? session : { ...session, commits: [...commits, commit] };
}

function asOfSnapshot(
  user: UserId,
  session: SessionId,
  { summary, deletedAt, commits }: SnapshotSession,
): NewestSession {
  const { version, complete, gaps, goneAt, total, jobs } = summary;
  const archived = jobs.total;
  const known = { version, complete, gaps, archived, lacking: jobsLacking({ total, archived }) };
  return { user, session, ...known, goneAt, deletedAt, commits };
}
