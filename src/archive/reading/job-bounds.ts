/** When jobs were asked, as far as that is known: ids tell it, but for those of a pseudonymised copy, whose rows do. */
import { rowId, type SessionId, type UserId, sessionKey, type JobId } from '../../model/ids.js';
import type { SessionState } from '../state/user-state.js';
import type { Row } from '../../model/table-schema.js';
import { jobsTable } from '../../model/tables.js';
import { filesOfTable, rowFormatsOf, type Archive } from '../archive.js';
import { columnsBut, readPart } from '../parts/read-part.js';
import { type JobTime, jobTimes } from '../state/job-times.js';
import { dayColumns, withDays } from './known-days.js';
import { NO_BOUNDS } from '../../model/times/time-bounds.js';

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
  const known = new Map<string, Map<string, JobTime>>();
  const days = dayColumns(archive.identity.pseudonymised);
  const add = (row: Row): void => {
    const key = sessionKey(String(row['user_id']), String(row['session_id']));
    const ofSession = known.get(key) ?? new Map<string, JobTime>();
    // the same for all versions of a job
    known.set(key, ofSession.set(String(row['job_id']), timeOfRow(withDays(row, days))));
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
    return new Map([...jobs.keys()].map((job) => [job, ofSession?.get(rowId(job)) ?? UNKNOWN]));
  };
}

const UNKNOWN: JobTime = { ...NO_BOUNDS, isDated: false };

const COLUMNS_READ = [
  ...['user_id', 'session_id', 'job_id'],
  ...['created_at', 'created_after', 'created_before'],
];

function timeOfRow(row: Row): JobTime {
  const time = microsIn(row['created_at']);
  const [after, before] = [microsIn(row['created_after']), microsIn(row['created_before'])];
  return { after: time ?? after, before: time ?? before, isDated: time !== null };
}

function microsIn(cell: unknown): bigint | null {
  return typeof cell === 'bigint' ? cell : null;
}
