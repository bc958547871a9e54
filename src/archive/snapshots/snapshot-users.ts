/**
 * The users of a snapshot. Each is a text until somebody asks for it: 100,000 with one session each take 20 MB, as objects
 * ten times as much.
 */
import { parseJson } from '../../base/text/parse-json.js';
import type { SessionId, UserId } from '../../model/ids.js';
import type { GapEntry } from '../log/commit.js';
import type { UserInLog } from '../log/log-view.js';
import type { SessionSummary } from '../state/session-summary.js';
import type { StatesPlace } from './packed-states.js';

/** A session as of the snapshot. */
export interface SnapshotSession {
  readonly summary: SessionSummary;
  /** Numbers of the commits that change it, in order. */
  readonly commits: readonly number[];
  /** When its deletion was recorded, unless it was read again since; ISO 8601. */
  readonly deletedAt: string | null;
}

/** A user as of the snapshot. */
export interface SnapshotUser extends UserInLog {
  readonly sessions: ReadonlyMap<SessionId, SnapshotSession>;
  /** Undefined of a user without sessions. */
  readonly state: StatesPlace | undefined;
}

/** Without listings, which the log's view has. */
export type KnownUser = Omit<SnapshotUser, 'listings'>;

export class SnapshotUsers {
  readonly #texts = new Map<UserId, string>();
  /** The user that was asked for last: who asks does so more than once. */
  #last: KnownUser | undefined;

  get size(): number {
    return this.#texts.size;
  }

  set({ user, commits, sessions, state }: KnownUser): void {
    const packed: PackedUser = [commits, state ?? null, Array.from(sessions, packedSession)];
    this.#texts.set(user, JSON.stringify(packed));
  }

  get(user: UserId): KnownUser | undefined {
    if (this.#last?.user === user) return this.#last;
    const text = this.#texts.get(user);
    if (text === undefined) return undefined;
    this.#last = unpacked(user, text);
    return this.#last;
  }

  /** In the order of the snapshot. */
  *values(): Generator<KnownUser> {
    for (const [user, text] of this.#texts) yield unpacked(user, text);
  }
}

type PackedUser = readonly [
  commits: readonly number[],
  state: StatesPlace | null,
  sessions: readonly PackedSession[],
];

type PackedSession = readonly [
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

function packedSession([session, facts]: readonly [SessionId, SnapshotSession]): PackedSession {
  const { summary, commits, deletedAt } = facts;
  const { version, total, complete, goneAt, deleted, gaps, jobs } = summary;
  const { settled, unsettledSeenAt, suspicious, newest } = jobs;
  const packed = [session, commits, deletedAt, version, total, complete, goneAt, deleted] as const;
  const ofJobs = [jobs.total, settled, unsettledSeenAt, suspicious] as const;
  return [...packed, gaps, ...ofJobs, microsText(newest.after), microsText(newest.before)];
}

function unpacked(user: UserId, text: string): KnownUser {
  const [commits, state, sessions] = parseJson(text) as PackedUser;
  return {
    user,
    commits,
    state: state ?? undefined,
    sessions: new Map(sessions.map(unpackedSession)),
  };
}

function unpackedSession(packed: PackedSession): [SessionId, SnapshotSession] {
  const [session, commits, deletedAt, version, total, complete, goneAt, deleted, ...more] = packed;
  const [gaps, jobs, settled, unsettledSeenAt, suspicious, after, before] = more;
  const newest = { after: microsIn(after), before: microsIn(before) };
  const ofJobs = { total: jobs, settled, unsettledSeenAt, suspicious, newest };
  const summary = { version, total, complete, goneAt, gaps, deleted, jobs: ofJobs };
  return [session, { summary, commits, deletedAt }];
}

/** JSON has no such numbers. */
export function microsText(micros: bigint | null): string | null {
  return micros === null ? null : String(micros);
}

export function microsIn(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
