/** Makes, recognises and parses every path in an archive. No part of a path is taken from data (I-1, I-2 in FORMAT.md). */
import { sha256Hex } from '../base/digest.js';
import { asRunId, type RunId, type UserId } from '../model/ids.js';

export const IDENTITY_PATH = 'jobvault.json';
/** The id of the archive that is being copied here, until the copy has its identity. */
export const COPY_MARKER_PATH = '_copy.json';
/** When each slice of the objects was last read back. */
export const SLICES_PATH = '_slices.json';
/** Tokens of time-stamp authorities over commits. */
export const TIMESTAMPS_PREFIX = '_timestamps/';
export const COMMITS_PREFIX = '_commits/';
/** How far the runs of a scope have gone round all users. */
export const LAPS_PREFIX = '_laps/';
/** What readers need of the log, so that they need not read all of it. */
export const SNAPSHOTS_PREFIX = '_snapshots/';
/** Sessions that a run is about to delete from the service. */
export const INTENTS_PREFIX = '_intents/';
/** Users of runs that are on a queue. */
export const QUEUED_RUNS_PREFIX = '_runs/';
/** Which run works on what. */
export const LEASES_PREFIX = '_leases/';
/** Content that no commit has named for a long time. */
export const QUARANTINE_PREFIX = '_quarantine/';
/** What a running erasure still has to do. */
export const ERASURES_PREFIX = '_erasures/';
export const ARTIFACTS_PREFIX = 'artifacts/';
export const TABLES_PREFIX = 'tables/';
/** Where all content lies that commits and rows name. */
export const CONTENT_PREFIXES = [ARTIFACTS_PREFIX, TABLES_PREFIX] as const;
/** Rows of each run for people, where the archive has such. */
export const WORKBOOKS_PREFIX = 'workbooks/';

/**
 * @param day UTC day of the export: `2026-11-05`
 * @param n counts the run's parts, from 1
 * @param extension without the leading dot: `parquet`, `jsonl.gz`
 */
export function partPath(
  table: string,
  day: string,
  run: RunId,
  n: number,
  extension: string,
): string {
  return `tables/${table}/dt=${day}/${run}-${digits(n, 4)}.${extension}`;
}

/** Table, UTC day and extension in the path of a part file; undefined for any other path. */
export function partitionOf(
  path: string,
): { readonly table: string; readonly day: string; readonly extension: string } | undefined {
  const part =
    /^tables\/(?<table>\w+)\/dt=(?<day>[\d-]{10})\/[0-9A-Z]{26}-\d{4,}\.(?<extension>[a-z.]+)$/;
  const { table, day, extension } = part.exec(path)?.groups ?? {};
  if (table === undefined || day === undefined || extension === undefined) return undefined;
  return { table, day, extension };
}

/** Where a compaction puts rows of a month that is long over. */
export function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

/** Where the Delta log of a table lies. */
export function deltaLogPrefix(table: string): string {
  return `tables/${table}/_delta_log/`;
}

/** @param version of the Delta table, from 0 */
export function deltaVersionPath(table: string, version: number): string {
  return `${deltaLogPrefix(table)}${digits(version, 20)}.json`;
}

/** @param version of the Delta table whose whole state it has */
export function deltaCheckpointPath(table: string, version: number): string {
  return `${deltaLogPrefix(table)}${digits(version, 20)}.checkpoint.parquet`;
}

/** Names the newest checkpoint, so that readers need not list. */
export function deltaPointerPath(table: string): string {
  return `${deltaLogPrefix(table)}_last_checkpoint`;
}

/** An object of a Delta log. */
export type DeltaObject =
  | {
      readonly table: string;
      readonly kind: 'version' | 'checkpoint';
      readonly version: number;
    }
  | { readonly table: string; readonly kind: 'pointer' };

/** What the object at the path is in a Delta log; undefined for any other path. */
export function deltaObjectOf(path: string): DeltaObject | undefined {
  const named =
    /^tables\/(\w+)\/_delta_log\/(?:(\d{20})\.(json|checkpoint\.parquet)|_last_checkpoint)$/;
  const [, table, padded, extension] = named.exec(path) ?? [];
  if (table === undefined) return undefined;
  if (padded === undefined) return { table, kind: 'pointer' };
  return { table, kind: extension === 'json' ? 'version' : 'checkpoint', version: Number(padded) };
}

/** Whether the path is that of a part file or artifact. */
export function isContent(path: string): boolean {
  return isPart(path) || isArtifactPath(path);
}

/** Whether the path is that of a part file. */
export function isPart(path: string): boolean {
  return runOfPart(path) !== undefined;
}

/** The old path of an object in `_quarantine/`; undefined for any other path. */
export function originalOfQuarantined(path: string): string | undefined {
  const original = /^_quarantine\/[0-9A-HJKMNP-TV-Z]{26}\/(.+)$/.exec(path)?.[1] ?? '';
  const isKnown = isContent(original) || manifestOf(original) !== undefined;
  return isKnown ? original : undefined;
}

/** Whether jobvault makes such paths. Everything else in an archive is a foreign file. */
export function isOwnPath(path: string): boolean {
  return (
    isContent(path) ||
    commitNumberOf(path) !== undefined ||
    manifestOf(path) !== undefined ||
    deltaObjectOf(path) !== undefined ||
    runOfWorkbook(path) !== undefined ||
    originalOfQuarantined(path) !== undefined ||
    isIntentPath(path) ||
    isQueuedUsersPath(path) ||
    throughOfSnapshot(path) !== undefined ||
    throughOfStates(path) !== undefined ||
    scopeOfLap(path) !== undefined ||
    HOUSEKEEPING.test(path) ||
    path === IDENTITY_PATH ||
    path === COPY_MARKER_PATH ||
    path === SLICES_PATH ||
    stampedCommitOf(path) !== undefined
  );
}

const HOUSEKEEPING =
  /^(?:_leases\/[\w-]+\.json|_erasures\/[0-9A-HJKMNP-TV-Z]{26}\/(?:plan|\d+(?:\.(?:jobs|users))?)\.jsonl?(?:\.gz)?)$/;

export function workbookPath(run: RunId): string {
  return `${WORKBOOKS_PREFIX}${run}.xlsx`;
}

/** The run in the path of a workbook; undefined for any other path. */
export function runOfWorkbook(path: string): RunId | undefined {
  const run = /^workbooks\/([0-9A-HJKMNP-TV-Z]{26})\.xlsx$/.exec(path)?.[1];
  return run === undefined ? undefined : asRunId(run);
}

const ARTIFACT =
  /^artifacts\/(?<aa>[0-9a-f]{2})\/(?<sha256>\k<aa>[0-9a-f]{62})(?:-(?<erasure>[1-9]\d*))?\.[a-z0-9]+$/;

/** Whether the path is that of an artifact. */
export function isArtifactPath(path: string): boolean {
  return ARTIFACT.test(path);
}

/**
 * @param extension from a fixed list, without the leading dot: `csv`
 * @param lastErasure number of the newest commit about an erasure that the writer has read; 0 for none
 */
export function artifactPath(sha256: string, extension: string, lastErasure: number): string {
  const suffix = lastErasure === 0 ? '' : `-${lastErasure}`;
  return `artifacts/${sha256.slice(0, 2)}/${sha256}${suffix}.${extension}`;
}

/** The same for all paths of one file: what was stored again after an erasure has a path of its own, and is no other file. */
export function pathWithoutErasure(path: string): string {
  return path.replace(/-[1-9]\d*(?=\.[a-z0-9]+$)/, '');
}

/** The `lastErasure` in the path of an artifact. */
export function erasureKnownTo(path: string): number {
  return Number(ARTIFACT.exec(path)?.groups?.['erasure'] ?? 0);
}

/** The SHA-256 in the path of an artifact; undefined for any other path. */
export function sha256OfArtifact(path: string): string | undefined {
  return ARTIFACT.exec(path)?.groups?.['sha256'];
}

export function commitPath(number: number): string {
  return `${COMMITS_PREFIX}${digits(number, 12)}.json`;
}

/** The two lists that a commit may have beside it; each name is also the commit's key for it. */
export type ManifestName = 'jobs' | 'users';

/** @param sha256 of the manifest's own bytes */
export function manifestPath(name: ManifestName, number: number, sha256: string): string {
  return `${COMMITS_PREFIX}${digits(number, 12)}.${sha256}.${name}.jsonl.gz`;
}

/** What an erasure has still to do. @param id of the erasure and of its run: no other run touches its plan while it lives */
export function planPath(id: RunId): string {
  return `${ERASURES_PREFIX}${id}/plan.json`;
}

/** What will stand in place of a commit. @param id of the erasure */
export function redactedPath(id: RunId, number: number): string {
  return `${ERASURES_PREFIX}${id}/${number}.json`;
}

/** The path of a redacted commit's manifest. */
export function redactedManifestPath(name: ManifestName, id: RunId, number: number): string {
  return `${ERASURES_PREFIX}${id}/${number}.${name}.jsonl.gz`;
}

/** @param authority a SHA-256 of the address of who has stamped the commit */
export function timestampPath(number: number, authority: string): string {
  return `${TIMESTAMPS_PREFIX}${digits(number, 12)}.${authority}.tsr`;
}

/** The number in the path of a time-stamp token; undefined for any other path. */
export function stampedCommitOf(path: string): number | undefined {
  const [, padded, authority = ''] = TIMESTAMP.exec(path) ?? [];
  const number = Number(padded);
  return path === timestampPath(number, authority) ? number : undefined;
}

/** @param scope `all`, `queue`, or a shard such as `3-of-16` */
export function lapPath(scope: string): string {
  return `${LAPS_PREFIX}${scope}.json`;
}

/** The scope in the path of a lap; undefined for any other path. */
export function scopeOfLap(path: string): string | undefined {
  return /^_laps\/(all|queue|[1-9]\d*-of-[1-9]\d*)\.json$/.exec(path)?.[1];
}

/**
 * @param through the newest commit that the snapshot takes into account
 * @param id a ULID
 */
export function snapshotPath(through: number, id: string): string {
  return `${SNAPSHOTS_PREFIX}${digits(through, 12)}-${id}.jsonl.gz`;
}

/** The `through` in the path of a snapshot; undefined for any other path. */
export function throughOfSnapshot(path: string): number | undefined {
  const [, padded, id = ''] =
    /^_snapshots\/(\d*[1-9]\d*)-([0-9A-HJKMNP-TV-Z]{26})\.jsonl\.gz$/.exec(path) ?? [];
  const through = Number(padded);
  return path === snapshotPath(through, id) ? through : undefined;
}

/**
 * @param through of the snapshot for which they are written
 * @param id that of this snapshot
 * @param n counts its objects with states, from 1
 */
export function statesPath(through: number, id: string, n: number): string {
  return `${SNAPSHOTS_PREFIX}${digits(through, 12)}-${id}-${digits(n, 4)}.states.jsonl.gz`;
}

/** The `through` in the path of states; undefined for any other path. */
export function throughOfStates(path: string): number | undefined {
  const [, padded, id = '', n] =
    /^_snapshots\/(\d*[1-9]\d*)-([0-9A-HJKMNP-TV-Z]{26})-(\d{4,})\.states\.jsonl\.gz$/.exec(path) ??
    [];
  const through = Number(padded);
  return path === statesPath(through, id, Number(n)) ? through : undefined;
}

/** @param id a ULID */
export function intentPath(id: string): string {
  return `${INTENTS_PREFIX}${id}.json`;
}

export function isIntentPath(path: string): boolean {
  return /^_intents\/[0-9A-HJKMNP-TV-Z]{26}\.json$/.test(path);
}

/** @param id a ULID */
export function queuedUsersPath(id: string): string {
  return `${QUEUED_RUNS_PREFIX}${id}.users.jsonl.gz`;
}

export function isQueuedUsersPath(path: string): boolean {
  return /^_runs\/[0-9A-HJKMNP-TV-Z]{26}\.users\.jsonl\.gz$/.test(path);
}

/** Held by the run that rewrites the archive. */
export const REWRITE_LEASE_PATH = `${LEASES_PREFIX}rewrite.json`;

/**
 * Held by the run that works on the user. It has a hash instead of the user id, which may not be a valid file name and
 * must not be shown.
 */
export function userLeasePath(user: UserId): string {
  return `${LEASES_PREFIX}${sha256Hex(user)}.json`;
}

export function isUserLeasePath(path: string): boolean {
  return /^_leases\/[0-9a-f]{64}\.json$/.test(path);
}

/** Held by a run until it ends. */
export function runLeasePath(run: RunId): string {
  return `${LEASES_PREFIX}run-${run}.json`;
}

/** The run in the path of a run lease; undefined for any other path. */
export function runOfLease(path: string): RunId | undefined {
  const run = /^_leases\/run-([0-9A-HJKMNP-TV-Z]{26})\.json$/.exec(path)?.[1];
  return run === undefined ? undefined : asRunId(run);
}

/** The run in the path of a part file; undefined for any other path. */
export function runOfPart(path: string): RunId | undefined {
  const part = /^tables\/\w+\/dt=[\d-]{10}\/([0-9A-HJKMNP-TV-Z]{26})-\d{4,}\.[a-z.]+$/;
  const run = part.exec(path)?.[1];
  return run === undefined ? undefined : asRunId(run);
}

/** Name and commit number in the path of a manifest; undefined for any other path. */
export function manifestOf(
  path: string,
): { readonly name: ManifestName; readonly number: number } | undefined {
  const [, padded, sha256 = '', text] = MANIFEST.exec(path) ?? [];
  const number = Number(padded);
  const name = text === 'users' ? 'users' : 'jobs';
  return path === manifestPath(name, number, sha256) ? { name, number } : undefined;
}

/** The number in the path of a commit; undefined for any other path. */
export function commitNumberOf(path: string): number | undefined {
  const number = Number(COMMIT.exec(path)?.[1]);
  return path === commitPath(number) ? number : undefined;
}

/** The name of a commit: each number has one, from 1, and without zeros beyond twelve digits. */
const COMMIT = /^_commits\/(\d*[1-9]\d*)\.json$/;
const TIMESTAMP = /^_timestamps\/(\d*[1-9]\d*)\.([0-9a-f]{64})\.tsr$/;
const MANIFEST = /^_commits\/(\d*[1-9]\d*)\.([0-9a-f]{64})\.(jobs|users)\.jsonl\.gz$/;

/** Whether a path in the log looks like that of a commit or a manifest, and is none that jobvault gives. */
export function isMisnamedCommit(path: string): boolean {
  if (!/^_commits\/[^/]+\.(?:json|(?:jobs|users)\.jsonl\.gz)$/i.test(path)) return false;
  return commitNumberOf(path) === undefined && manifestOf(path) === undefined;
}

function digits(number: number, width: number): string {
  return String(number).padStart(width, '0');
}
