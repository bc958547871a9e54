/**
 * Snapshots: how one is made from the log, and how it is encoded: gzipped lines of JSON, first the sessions of the users,
 * then what the log says of the archive, then a line for each user, last where sessions and states of the users are
 * (section 17 of FORMAT.md).
 */
import { Readable } from 'node:stream';
import { gunzipped } from '../../base/gunzipped.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';
import type { HoldRecord } from '../log/notes.js';
import type { RequestRecord } from '../log/request-history.js';
import type { AcceptedGap, AcceptedImage } from '../log/accepted-gaps.js';
import type { DrillRecord } from '../log/drill-history.js';
import type { RetentionFloor } from '../log/retention-floor.js';
import type { SuppressionRecord } from '../log/suppressions.js';
import type { CommitRef } from '../log/commit-log.js';
import type { ArtifactCounts, FileEntry, SnapshotEntry } from '../log/commit.js';
import type { LogProjection, LogView, UserInLog } from '../log/log-view.js';
import type { ManifestEntry } from '../log/manifest.js';
import type { ListingsOfUser } from '../log/newest-listings.js';
import { throughOfStates } from '../paths.js';
import { PackedSessions, type SessionsPart, type SessionsPlace } from './packed-sessions.js';
import { type StatesPart, type StatesPlace } from './packed-states.js';
import { SnapshotUsers, type KnownUser, type UserPlaces } from './snapshot-users.js';

/** What is kept of a snapshot once a view begins with its facts. */
export interface KnownSnapshot {
  /** The newest commit that is taken into account. */
  readonly head: CommitRef;
  readonly users: SnapshotUsers;
  /** Where the states of the users are. */
  readonly states: readonly StatesPart[];
}

export interface LogSnapshot extends KnownSnapshot {
  readonly facts: LogProjection;
}

interface FirstLine {
  readonly format: 1;
  readonly salt: string;
  readonly commits: LogProjection['commits'];
  readonly files: readonly FileEntry[];
  readonly artifacts: ArtifactCounts;
  readonly removed: readonly (readonly [string, number])[];
  readonly manifests: readonly (readonly [string, ManifestEntry | null])[];
  readonly deltas: LogProjection['deltas'];
  readonly abandoned: LogView['abandonedRuns'] extends Set<infer Run> ? readonly Run[] : never;
  readonly erasures: readonly number[];
  readonly snapshots: readonly SnapshotEntry[];
  readonly holds: readonly HoldRecord[];
  readonly accepted: readonly AcceptedGap[];
  readonly accepted_images: readonly AcceptedImage[];
  readonly requests: readonly RequestRecord[];
  readonly drills: { readonly last: DrillRecord | null; readonly failed: DrillRecord | null };
  readonly suppressions: readonly SuppressionRecord[];
  readonly retention: RetentionFloor | null;
}

interface UserLine {
  readonly user: UserId;
  readonly commits: readonly number[];
  readonly listings: ListingsOfUser | null;
  readonly state: StatesPlace | null;
  readonly sessions: SessionsPlace | null;
}

interface LastLine {
  readonly states: readonly StatesPart[];
  readonly sessions: readonly SessionsPart[];
}

/** @param salt random, so that the digest in the log confirms nothing about those who were erased since */
export function firstLine(view: LogView, salt: string): string {
  const { commits, contents, abandonedRuns, erasures, snapshots } = view;
  const { holds, acceptedGaps, requests, drills, suppressions, retention } = view;
  const line: FirstLine = {
    format: 1,
    salt,
    commits: [...commits.values()],
    files: [...contents.files.values()],
    artifacts: view.artifacts,
    removed: [...contents.removed],
    manifests: [...contents.manifests],
    deltas: view.tables.heads(),
    abandoned: [...abandonedRuns],
    erasures,
    snapshots,
    holds: holds.records,
    accepted: acceptedGaps.records,
    accepted_images: acceptedGaps.images,
    requests: requests.records,
    drills: { last: drills.last ?? null, failed: drills.failed ?? null },
    suppressions: suppressions.records,
    retention: retention ?? null,
  };
  return JSON.stringify(line);
}

/** Where states and sessions are. */
export type LastOfSnapshot = LastLine;

export function lastLine({ states, sessions }: LastOfSnapshot): string {
  const line: LastLine = {
    states: states.map(({ path, bytes, sha256, lines, length }) => {
      return { path, bytes, sha256, lines, length };
    }),
    sessions: sessions.map(({ bytes, lines }) => ({ bytes, lines })),
  };
  return JSON.stringify(line);
}

export function userLine({ user, commits, listings }: UserInLog, places: UserPlaces): string {
  const line: UserLine = {
    user,
    commits,
    listings: listings ?? null,
    state: places.state ?? null,
    sessions: places.sessions ?? null,
  };
  return JSON.stringify(line);
}

/** The bytes of a snapshot, which the caller has compared with the log, without those of the sessions. */
export function afterSessions(
  bytes: Uint8Array,
  { sessions_bytes: sessionsBytes }: SnapshotEntry,
): Uint8Array {
  return bytes.subarray(sessionsBytes);
}

/**
 * The lines of a snapshot but for those of its sessions. Some at a time: all together take thirty times the memory of the
 * bytes.
 *
 * @param bytes what `afterSessions` gives
 * @throws they are no snapshot; also while the lines are read
 */
export async function* snapshotLines(bytes: Uint8Array): AsyncGenerator<readonly string[]> {
  let pieces: Buffer[] = [];
  for await (const chunk of gunzipped(Readable.from([bytes]))) {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      lines.push(textOfPieces([...pieces, chunk.subarray(from, end)]));
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    yield lines;
  }
  if (pieces.length > 0) throw new SyntaxError('the last line has no line feed');
}

function textOfPieces(pieces: readonly Buffer[]): string {
  const [only] = pieces;
  return (only && pieces.length === 1 ? only : Buffer.concat(pieces)).toString();
}

/** @param bytes compared with what the entry says @throws they are no snapshot */
export async function decodeSnapshot(
  bytes: Uint8Array,
  entry: SnapshotEntry,
): Promise<LogSnapshot> {
  let first: string | undefined;
  let before: string | undefined;
  const known: Pick<KnownUser, 'user' | 'commits' | 'places'>[] = [];
  const inLog: UserInLog[] = [];
  for await (const some of snapshotLines(afterSessions(bytes, entry))) {
    for (const text of some) {
      if (first === undefined) first = text;
      else {
        if (before !== undefined) {
          const { places, ...user } = userIn(before);
          known.push({ user: user.user, commits: user.commits, places });
          inLog.push(user);
        }
        before = text;
      }
    }
  }
  const line = parseJson(first ?? '') as FirstLine;
  const { states, sessions } = lastIn(before ?? '');
  const ofSessions = bytes.subarray(0, entry.sessions_bytes);
  const packed = new PackedSessions(entry.path, ofSessions, sessions);
  const users = new SnapshotUsers(packed, known);
  const newest = line.commits.at(-1);
  if ((line.format as number) !== 1 || !newest) throw new SyntaxError('not a snapshot');
  const contents = {
    files: new Map(line.files.map((file) => [file.path, file])),
    removed: new Map(line.removed),
    manifests: new Map(line.manifests),
  };
  const { commits, artifacts, abandoned: abandonedRuns, erasures, snapshots } = line;
  const { holds, requests, suppressions } = line;
  const { accepted: acceptedGaps, accepted_images: acceptedImages, deltas } = line;
  const drills = { last: line.drills.last ?? undefined, failed: line.drills.failed ?? undefined };
  const facts = {
    commits,
    contents,
    artifacts,
    deltas,
    abandonedRuns,
    erasures,
    snapshots,
    holds,
    acceptedGaps,
    acceptedImages,
    requests,
    drills,
    suppressions,
    retention: line.retention ?? undefined,
  };
  const head = { number: newest.number, digest: newest.digest };
  return { head, facts: { ...facts, users: inLog }, users, states };
}

/** @throws the line is not the last one of a snapshot */
export function lastIn(line: string): LastOfSnapshot {
  const { states, sessions } = parseJson(line) as LastLine;
  const isPart = ({ path }: StatesPart): boolean => throughOfStates(path) !== undefined;
  if (!states.every(isPart)) throw new SyntaxError('it names what has no states');
  if (!Array.isArray(sessions)) throw new SyntaxError('it does not say where sessions are');
  return { states, sessions };
}

/** @throws the line is none of a user */
export function userIn(line: string): UserInLog & { readonly places: UserPlaces } {
  const { user, commits, listings, state, sessions } = parseJson(line) as UserLine;
  const isUser = typeof user === 'string' && Array.isArray(commits);
  if (!isUser) throw new SyntaxError('it is no line of a user');
  const places = { state: state ?? undefined, sessions: sessions ?? undefined };
  return { user, commits, listings: listings ?? undefined, places };
}
