/** The users of a snapshot. Of each a short text is in memory, and its sessions are packed, until somebody asks for it. */
import { parseJson } from '../../base/text/parse-json.js';
import type { SessionId, UserId } from '../../model/ids.js';
import type { GapEntry } from '../log/commit.js';
import type { SessionSummary } from '../state/session-summary.js';
import type { PackedSessions, SessionsPlace } from './packed-sessions.js';
import type { StatesPlace } from './packed-states.js';

/** A session as of the snapshot. */
export interface SnapshotSession {
  readonly summary: SessionSummary;
  /** Numbers of the commits that change it, in order. */
  readonly commits: readonly number[];
  /** When its deletion was recorded, unless it was read again since; ISO 8601. */
  readonly deletedAt: string | null;
}

export type SnapshotSessions = ReadonlyMap<SessionId, SnapshotSession>;

/** Where what is known of a user is beside the user's line; undefined of a user without sessions. */
export interface UserPlaces {
  readonly state: StatesPlace | undefined;
  readonly sessions: SessionsPlace | undefined;
}

/** A user as of the snapshot; its listings the log's view has. */
export class KnownUser {
  readonly #packed: PackedSessions;
  #sessions: SnapshotSessions | undefined;

  constructor(
    readonly user: UserId,
    /** Numbers of the commits that change sessions of the user, in order. */
    readonly commits: readonly number[],
    readonly places: UserPlaces,
    packed: PackedSessions,
  ) {
    this.#packed = packed;
  }

  /** Ordered by id. @throws {IntegrityError} as `PackedSessions.lineOf` */
  get sessions(): SnapshotSessions {
    const line = this.#sessions ? '' : (this.sessionsLine ?? '[]');
    try {
      this.#sessions ??= sessionsIn(line);
    } catch {
      throw this.#packed.unreadable();
    }
    return this.#sessions;
  }

  /** Undefined of a user without sessions. @throws {IntegrityError} as `PackedSessions.lineOf` */
  get sessionsLine(): string | undefined {
    const { sessions } = this.places;
    return sessions && this.#packed.lineOf(sessions);
  }
}

export class SnapshotUsers {
  readonly #texts = new Map<UserId, string>();
  readonly #packed: PackedSessions;
  /** The user that was asked for last: who asks does so more than once. */
  #last: KnownUser | undefined;

  constructor(
    packed: PackedSessions,
    users: Iterable<Pick<KnownUser, 'user' | 'commits' | 'places'>>,
  ) {
    this.#packed = packed;
    for (const { user, commits, places } of users) {
      const text: PackedUser = [commits, places.state ?? null, places.sessions ?? null];
      this.#texts.set(user, JSON.stringify(text));
    }
  }

  get(user: UserId): KnownUser | undefined {
    if (this.#last?.user === user) return this.#last;
    const text = this.#texts.get(user);
    if (text === undefined) return undefined;
    this.#last = this.#unpacked(user, text);
    return this.#last;
  }

  /** Yields the users in the order of the snapshot. */
  *values(): Generator<KnownUser> {
    for (const [user, text] of this.#texts) yield this.#unpacked(user, text);
  }

  #unpacked(user: UserId, text: string): KnownUser {
    const [commits, state, sessions] = parseJson(text) as PackedUser;
    const places = { state: state ?? undefined, sessions: sessions ?? undefined };
    return new KnownUser(user, commits, places, this.#packed);
  }
}

type PackedUser = readonly [
  commits: readonly number[],
  state: StatesPlace | null,
  sessions: SessionsPlace | null,
];

/** A session in a line: section 17 of FORMAT.md. */
type SessionFields = readonly [
  session: SessionId,
  commits: readonly number[],
  deletedAt: string | null,
  version: number,
  total: number | null,
  complete: boolean,
  goneAt: string | null,
  deleted: boolean,
  gaps: readonly GapEntry[],
  jobs: number,
  settled: number,
  unsettledSeenAt: string | null,
  suspicious: number,
  newestAfter: string | null,
  newestBefore: string | null,
];

/** The line of a user's sessions. */
export function sessionsLine(sessions: SnapshotSessions): string {
  return JSON.stringify(Array.from(sessions, fieldsOf));
}

function fieldsOf([session, facts]: readonly [SessionId, SnapshotSession]): SessionFields {
  const { summary, commits, deletedAt } = facts;
  const { version, total, complete, goneAt, deleted, gaps, jobs } = summary;
  const { settled, unsettledSeenAt, suspicious, newest } = jobs;
  const known = [session, commits, deletedAt, version, total, complete, goneAt, deleted] as const;
  const ofJobs = [jobs.total, settled, unsettledSeenAt, suspicious] as const;
  return [...known, gaps, ...ofJobs, microsText(newest.after), microsText(newest.before)];
}

function sessionsIn(line: string): SnapshotSessions {
  const sessions = parseJson(line) as readonly SessionFields[];
  return new Map(sessions.map(sessionOf));
}

function sessionOf(fields: SessionFields): [SessionId, SnapshotSession] {
  const [session, commits, deletedAt, version, total, complete, goneAt, deleted, ...more] = fields;
  const [gaps, jobs, settled, unsettledSeenAt, suspicious, after, before] = more;
  const newest = { after: microsIn(after), before: microsIn(before) };
  const ofJobs = { total: jobs, settled, unsettledSeenAt, suspicious, newest };
  const summary = { version, total, complete, goneAt, gaps, deleted, jobs: ofJobs };
  return [session, { summary, commits, deletedAt }];
}

/** JSON has no such numbers. */
function microsText(micros: bigint | null): string | null {
  return micros === null ? null : String(micros);
}

function microsIn(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
