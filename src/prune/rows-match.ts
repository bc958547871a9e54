/** Compares the rows of a session with what the log says they must be. Pure. */
import type { JobId } from '../model/ids.js';
import { versionKey, type ArchivedSession } from './archived-session.js';
import { counted } from './refusal.js';
import type { ArtifactRow, RawJobRow, SessionRows } from './session-rows.js';

/** What is wrong with the rows, as half a sentence; undefined where they are exactly what the log says. */
export function rowsProblem(archived: ArchivedSession, rows: SessionRows): string | undefined {
  return (
    versionsProblem(archived, rows.raw, 'raw_jobs') ??
    versionsProblem(archived, rows.jobs, 'jobs') ??
    newestProblem(archived, rows)
  );
}

interface VersionRow {
  readonly job: JobId;
  readonly version: number;
  readonly hash: string | undefined;
}

/** Every version that the log names is there once, with its hash, and no other. */
function versionsProblem(
  { hashes }: ArchivedSession,
  rows: readonly VersionRow[],
  table: string,
): string | undefined {
  const seen = new Set<string>();
  for (const { job, version, hash } of rows) {
    const key = versionKey(job, version);
    const expected = hashes.get(key);
    const what = `version ${version} of job ${job}`;
    if (expected === undefined) return `${table} holds ${what}, which the log does not know`;
    if (seen.has(key)) return `${table} holds ${what} twice`;
    if (hash !== expected) {
      return `the content of ${what} in ${table} is not what the log says: the hashes differ`;
    }
    seen.add(key);
  }
  if (seen.size === hashes.size) return undefined;
  return `${table} lacks ${counted(hashes.size - seen.size, 'job version')} that the log names`;
}

/** The newest version of every job is there, and every file that it points to is said to be stored. */
function newestProblem({ state }: ArchivedSession, rows: SessionRows): string | undefined {
  const raw = new Map(rows.raw.map((row) => [versionKey(row.job, row.version), row]));
  const stored = new Set(rows.artifacts.filter(isStored).map(placeOf));
  for (const [job, { version, hash }] of state.jobs) {
    const row = raw.get(versionKey(job, version));
    if (row?.hash !== hash) return `raw_jobs lacks the newest version of job ${job}`;
    const missing = missingFile(row, stored);
    if (missing !== undefined) {
      return `the file of block ${missing} of job ${job} is not among the artifacts that are stored`;
    }
  }
  return undefined;
}

function missingFile(row: RawJobRow, stored: ReadonlySet<string>): number | undefined {
  return row.fileBlocks.find((block) => !stored.has(placeOf({ ...row, block })));
}

export function isStored({ status, sha256, path }: ArtifactRow): boolean {
  return status === 'stored' && sha256 !== '' && path !== '';
}

function placeOf({ job, version, block }: Pick<ArtifactRow, 'job' | 'version' | 'block'>): string {
  return JSON.stringify([job, version, block]);
}
