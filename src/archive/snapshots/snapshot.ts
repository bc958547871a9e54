/**
 * Snapshots: how one is made from the log, and how it is encoded: gzipped lines of JSON, first what the log says of the
 * archive, then a line for each user, last where the states of the users are (section 17 of FORMAT.md).
 */
import { Readable } from 'node:stream';
import { gunzipped } from '../../base/gunzipped.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { SessionId, UserId } from '../../model/ids.js';
import type { HoldRecord } from '../log/notes.js';
import type { RequestRecord } from '../log/request-history.js';
import type { AcceptedGap, AcceptedImage } from '../log/accepted-gaps.js';
import type { DrillRecord } from '../log/drill-history.js';
import type { RetentionFloor } from '../log/retention-floor.js';
import type { SuppressionRecord } from '../log/suppressions.js';
import type { CommitRef } from '../log/commit-log.js';
import type { ArtifactCounts, FileEntry, GapEntry, SnapshotEntry } from '../log/commit.js';
import type { LogProjection, LogView, UserInLog } from '../log/log-view.js';
import type { ManifestEntry } from '../log/manifest.js';
import type { ListingsOfUser } from '../log/newest-listings.js';
import { throughOfStates } from '../paths.js';
import { type StatesPart, type StatesPlace } from './packed-states.js';
import {
  microsIn,
  SnapshotUsers,
  microsText,
  type SnapshotSession,
  type SnapshotUser,
} from './snapshot-users.js';

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
  readonly sessions: readonly SessionLine[];
}

interface LastLine {
  readonly states: readonly StatesPart[];
}

interface SessionLine {
  readonly session: SessionId;
  readonly commits: readonly number[];
  readonly version: number;
  readonly total: number | null;
  readonly complete: boolean;
  readonly gone_at: string | null;
  readonly deleted: boolean;
  readonly deleted_at: string | null;
  readonly jobs: number;
  readonly settled: number;
  readonly unsettled_seen_at: string | null;
  readonly suspicious: number;
  readonly newest_after: string | null;
  readonly newest_before: string | null;
  readonly gaps: readonly GapEntry[];
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

export function lastLine(states: readonly StatesPart[]): string {
  const line: LastLine = {
    states: states.map(({ path, bytes, sha256, lines, length }) => {
      return { path, bytes, sha256, lines, length };
    }),
  };
  return JSON.stringify(line);
}

export function userLine({ user, commits, listings, state, sessions }: SnapshotUser): string {
  const line: UserLine = {
    user,
    commits,
    listings: listings ?? null,
    state: state ?? null,
    sessions: [...sessions].map(([session, { summary, commits: sessionCommits, deletedAt }]) => {
      const { version, total, complete, goneAt, deleted, jobs, gaps } = summary;
      return {
        session,
        commits: sessionCommits,
        version,
        total,
        complete,
        gone_at: goneAt,
        deleted,
        deleted_at: deletedAt,
        jobs: jobs.total,
        settled: jobs.settled,
        unsettled_seen_at: jobs.unsettledSeenAt,
        suspicious: jobs.suspicious,
        newest_after: microsText(jobs.newest.after),
        newest_before: microsText(jobs.newest.before),
        gaps,
      };
    }),
  };
  return JSON.stringify(line);
}

/**
 * The lines of a snapshot's bytes, which the caller has compared with the log. Some at a time: all together take thirty
 * times the memory of the bytes.
 *
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

/** @throws the lines are no snapshot */
export async function decodeSnapshot(
  lines: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<LogSnapshot> {
  let first: string | undefined;
  let before: string | undefined;
  const users = new SnapshotUsers();
  const inLog: UserInLog[] = [];
  for await (const some of lines) {
    for (const text of some) {
      if (first === undefined) first = text;
      else {
        if (before !== undefined) {
          const { sessions, state, ...user } = userIn(before);
          users.set({ ...user, sessions, state });
          inLog.push(user);
        }
        before = text;
      }
    }
  }
  const line = parseJson(first ?? '') as FirstLine;
  const states = statesIn(before ?? '');
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
  const known = {
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
  return { head, facts: { ...known, users: inLog }, users, states };
}

/** Where the states are. @throws the line is not the last one of a snapshot */
export function statesIn(line: string): readonly StatesPart[] {
  const { states } = parseJson(line) as LastLine;
  const isPart = ({ path }: StatesPart): boolean => throughOfStates(path) !== undefined;
  if (!states.every(isPart)) throw new SyntaxError('it names what has no states');
  return states;
}

/** @throws the line is none of a user */
export function userIn(line: string): SnapshotUser {
  const { user, commits, listings, state, sessions } = parseJson(line) as UserLine;
  return {
    user,
    commits,
    listings: listings ?? undefined,
    state: state ?? undefined,
    sessions: new Map(
      sessions.map((sessionLine): [SessionId, SnapshotSession] => {
        const { version, total, complete, gone_at: goneAt, deleted, gaps } = sessionLine;
        const newest = {
          after: microsIn(sessionLine.newest_after),
          before: microsIn(sessionLine.newest_before),
        };
        const { jobs: all, settled, unsettled_seen_at: unsettledSeenAt, suspicious } = sessionLine;
        const jobs = { total: all, settled, unsettledSeenAt, suspicious, newest };
        const summary = { version, total, complete, goneAt, gaps, deleted, jobs };
        return [
          sessionLine.session,
          { summary, commits: sessionLine.commits, deletedAt: sessionLine.deleted_at },
        ];
      }),
    ),
  };
}
