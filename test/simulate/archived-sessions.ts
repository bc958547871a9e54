/** The rows of an archive by session and job: the newest version of each, and its files. */
import { digestOf, type ArchiveView, type SimRow } from './archive-view.js';
import { rowsKey } from './spellings.js';
import { unsignedRecord } from './sim-service.js';

/** The record of a version that takes the job out of its session. */
export const WITHDRAWN = '(withdrawn)';

export interface ArchivedVersion {
  readonly version: number;
  /** With the places of its files instead of URLs; or `WITHDRAWN`. */
  readonly record: string;
  /** Rows of `artifacts`. */
  readonly files: readonly SimRow[];
}

export interface ArchivedSessionRows {
  /** Names by version, ascending. */
  readonly names: string[];
  /** By job; versions ascending. */
  readonly jobs: Map<string, ArchivedVersion[]>;
}

export type ArchivedSessions = ReadonlyMap<string, ArchivedSessionRows>;

/** By `rowsKey`. Duplicate keys are in `doubled`. */
export function archivedSessions(view: ArchiveView): {
  readonly sessions: ArchivedSessions;
  readonly doubled: readonly string[];
} {
  const doubled: string[] = [];
  const sessions = new Map<string, ArchivedSessionRows>();
  const sessionOf = (row: SimRow): ArchivedSessionRows => {
    const id = rowsKey(String(row['user_id']), String(row['session_id']));
    const known = sessions.get(id) ?? { names: [], jobs: new Map() };
    sessions.set(id, known);
    return known;
  };
  const keys = new Set<string>();
  const once = (table: string, row: SimRow, version: string): void => {
    const key = [table, row['user_id'], row['session_id'], row['job_id'], row[version]].join(' ');
    if (keys.has(key)) doubled.push(key);
    keys.add(key);
  };
  const files = new Map<string, SimRow[]>();
  for (const row of view.rows('artifacts')) {
    const key = versionKey(row);
    files.set(key, [...(files.get(key) ?? []), row]);
  }
  for (const row of byVersion(view.rows('sessions'), 'session_version')) {
    once('sessions', row, 'session_version');
    sessionOf(row).names.push(String(row['name']));
  }
  const jobRows = view.rows('jobs');
  for (const row of jobRows) once('jobs', row, 'job_version');
  const rawRows = view.rows('raw_jobs');
  for (const row of rawRows) once('raw_jobs', row, 'job_version');
  const withdrawn = jobRows.filter((row) => row['is_withdrawn'] === true);
  if (jobRows.length !== rawRows.length + withdrawn.length) {
    doubled.push('jobs and raw_jobs differ');
  }
  for (const row of byVersion([...rawRows, ...withdrawn], 'job_version')) {
    const { jobs } = sessionOf(row);
    const job = String(row['job_id']);
    const version = {
      version: Number(row['job_version']),
      record: row['is_withdrawn'] === true ? WITHDRAWN : unsignedRecord(String(row['record'])),
      files: files.get(versionKey(row)) ?? [],
    };
    jobs.set(job, [...(jobs.get(job) ?? []), version]);
  }
  return { sessions, doubled };
}

/** Why a version's files do not match the service's; undefined if they match. */
export function fileFault(
  view: ArchiveView,
  version: ArchivedVersion,
  contents: ReadonlyMap<string, Buffer>,
): string | undefined {
  const wanted = new Set(
    [...version.record.matchAll(/\{\{url:([^}]+)\}\}/g)].map(([, key]) => key!),
  );
  for (const key of wanted) {
    const row = version.files.find(({ url }) => String(url).endsWith(`/${key}`));
    if (row?.['status'] !== 'stored') return `${key} is not stored`;
    const bytes = contents.get(key);
    if (bytes && row['sha256'] !== digestOf(bytes)) return `${key} is stored with other bytes`;
    const artifact = view.artifacts.get(String(row['path']));
    if (!artifact) return `${key} is in no row`;
    const fault = view.faultOf(artifact);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function versionKey(row: SimRow): string {
  return [row['user_id'], row['session_id'], row['job_id'], row['job_version']].join(' ');
}

function byVersion(rows: SimRow[], column: string): SimRow[] {
  return rows.sort((a, b) => Number(a[column]) - Number(b[column]));
}
