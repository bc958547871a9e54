/** Compares the rows of a session with what the log says they must be. Pure. */
import { type ArchivedSession, versionKey } from '../../archive/state/archived-session.js';
import { groupBy } from '../../base/group-by.js';
import { counted } from '../../base/text/counted.js';
import { differingParameters } from '../../flatten/url-traces.js';
import { digestOfFiles } from '../../flatten/file-facts.js';
import type { JobId } from '../../model/ids.js';
import { isAcceptedGap } from '../../model/records.js';
import type { ArtifactRow, SessionRows } from './session-rows.js';

/**
 * What is wrong with the rows, as half a sentence; undefined where they are exactly what the log says.
 *
 * @param unfetched kinds of files that need not be stored, as far as they were not fetched
 */
export function rowsProblem(
  archived: ArchivedSession,
  rows: SessionRows,
  unfetched: ReadonlySet<string>,
): string | undefined {
  return (
    versionsProblem(archived, rows.raw, 'raw_jobs') ??
    versionsProblem(archived, rows.jobs, 'jobs') ??
    sessionProblem(archived, rows) ??
    newestProblem(archived, rows, unfetched)
  );
}

/** Its name and settings are in no other table. */
function sessionProblem({ state }: ArchivedSession, { sessions }: SessionRows): string | undefined {
  const newest = sessions.filter((version) => version === state.version).length;
  if (newest === 1) return undefined;
  return `sessions holds the newest version of the session ${newest === 0 ? 'not at all' : 'more than once'}`;
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

/** The newest version of every job is there, and so is every file that it points to, as the log has them. */
function newestProblem(
  { state }: ArchivedSession,
  rows: SessionRows,
  unfetched: ReadonlySet<string>,
): string | undefined {
  const raw = new Map(rows.raw.map((row) => [versionKey(row.job, row.version), row]));
  const artifacts = groupBy(rows.artifacts, (row) => versionKey(row.job, row.version));
  for (const [job, { version, hash, urls, files }] of state.jobs) {
    const key = versionKey(job, version);
    const row = raw.get(key);
    if (row?.hash !== hash) return `raw_jobs lacks the newest version of job ${job}`;
    if (differingParameters(row.urls, urls).length > 0) {
      return `the URLs of job ${job} in raw_jobs are not those that the log has`;
    }
    const jobArtifacts = artifacts.get(key) ?? [];
    const stored = jobArtifacts.filter(isStored);
    const settled = new Set(
      [...stored, ...jobArtifacts.filter((row) => isAcceptedGap(row, unfetched))].map(
        ({ place }) => place,
      ),
    );
    const missing = row.filePlaces.find((place) => !settled.has(place));
    if (missing !== undefined) {
      return `the file at ${missing} of job ${job} is not among the artifacts that are stored`;
    }
    const digest = stored.length === 0 ? null : digestOfFiles(stored.map(placeAndHash));
    if (digest !== files) return `the files of job ${job} in artifacts are not those of the log`;
  }
  return undefined;
}

/** Whether the row says that its file is in the archive. */
export function isStored({ status, sha256, path }: ArtifactRow): boolean {
  return status === 'stored' && sha256 !== '' && path !== '';
}

function placeAndHash({ place, sha256 }: ArtifactRow): readonly [string, string] {
  return [place, sha256];
}
