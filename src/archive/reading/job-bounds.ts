/** When jobs were asked, as far as that is known: ids tell it, but for those of a pseudonymised copy, whose rows do. */
import { rowId, type SessionId, type UserId, sessionKey, type JobId } from '../../model/ids.js';
import type { SessionState } from '../state/user-state.js';
import type { Row } from '../../model/table-schema.js';
import { jobsTable } from '../../model/tables.js';
import { filesOfTable, rowFormatsOf, type Archive } from '../archive.js';
import { columnsBut, readPart } from '../read-part.js';
import { type JobTime, jobTimes, jobTimesBeside } from '../state/job-times.js';

/** The bounds of each job of a session; one that is not among them is of unknown time. */
export type JobBounds = (
  user: UserId,
  session: SessionId,
  state: SessionState,
) => ReadonlyMap<JobId, JobTime>;

/**
 * Reads rows of a pseudonymised copy only, and keeps a few numbers for each of its jobs.
 *
 * @throws {IntegrityError} the archive is damaged
 */
export async function jobBoundsOf(archive: Archive, signal?: AbortSignal): Promise<JobBounds> {
  if (!archive.identity.pseudonymised) return (_user, _session, state) => jobTimes(state);
  const known = new Map<string, Map<string, bigint | null>>();
  const add = (row: Row): void => {
    const key = sessionKey(String(row['user_id']), String(row['session_id']));
    const ofSession = known.get(key) ?? new Map<string, bigint | null>();
    // the same for all versions of a job
    known.set(key, ofSession.set(String(row['job_id']), microsIn(row['created_at'])));
  };
  const omitted = columnsBut(jobsTable, COLUMNS_READ);
  const [format] = await rowFormatsOf(archive);
  const files = await filesOfTable(archive, jobsTable.name);
  for (const file of files.filter(({ path }) => format && path.endsWith(`.${format.extension}`))) {
    if (!format) break;
    for await (const rows of readPart(archive, file, {
      table: jobsTable,
      format,
      omitted,
      signal,
    })) {
      for (const row of rows) add(row);
    }
  }
  return (user, session, { jobs }) => {
    const ofSession = known.get(sessionKey(rowId(user), rowId(session)));
    const times = [...jobs.keys()].map((job) => ofSession?.get(rowId(job)) ?? null);
    return jobTimesBeside({ jobs }, times, { areDigests: true });
  };
}

const COLUMNS_READ = ['user_id', 'session_id', 'job_id', 'created_at'];

function microsIn(cell: unknown): bigint | null {
  return typeof cell === 'bigint' ? cell : null;
}
