/**
 * When questions without a time of their own were asked, as far as the archive knows: the copy has neither the ids, whose
 * order may be that of a history, nor all questions of a part, nor times within a day. So its rows say it.
 */
import { type JobTime, jobTimes } from '../../archive/state/job-times.js';
import type { SessionState } from '../../archive/state/user-state.js';
import { rowId } from '../../model/ids.js';
import type { Row } from '../../model/table-schema.js';

/** By job, as rows have it. */
export type JobTimes = ReadonlyMap<string, JobTime>;

/** Undefined where the ids of all questions tell when they were asked. @param state of the whole session */
export function timesBeside(state: SessionState): JobTimes | undefined {
  const times = [...jobTimes(state)].map(([job, time]) => [rowId(job), time] as const);
  return times.every(([, { isDated }]) => isDated) ? undefined : new Map(times);
}

/** Rows of the table `jobs`, all versions of a job with the same bounds. */
export function bounded(rows: readonly Row[], times: JobTimes): Row[] {
  return rows.map((row) => {
    const time = times.get(String(row['job_id']));
    if (!time || time.isDated) return row;
    return { ...row, created_after: time.after, created_before: time.before };
  });
}
