/** What is remarked on all that a search has found, whatever it lists: of jobs that it does not list it reads no rows. */
import type { ArchiveReading } from '../archive/archive.js';
import { readConsistently } from '../archive/consistent-read.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import { JobSet } from '../archive/reading/chosen-jobs.js';
import { jobsInOrder, type JobRows } from '../archive/reading/rows/session-rows.js';
import {
  remarksByLog,
  remarksIn,
  remarksOn,
  rowsMayTell,
  withRemarked,
} from '../archive/reading/caveats/job-remarks.js';
import type { Reading } from '../archive/reading/caveats/reading.js';
import { SelectedRows } from '../archive/reading/rows/selected-rows.js';
import { Selection } from '../archive/reading/selection.js';
import { mayChange } from '../archive/state/archived-session.js';
import type { JobState, SessionState } from '../archive/state/user-state.js';
import { groupBy } from '../base/group-by.js';
import { asJobId, asSessionId, asUserId, sessionKey } from '../model/ids.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import { jobsTable } from '../model/tables.js';

/** As a search lists it. */
interface Hit {
  readonly user_id: string;
  readonly session_id: string;
  readonly job_id: string;
}

/** A session with hits. */
export interface FoundSession {
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string | null;
  /** The ids of all its hits. */
  readonly jobs: readonly string[];
}

interface FoundJob extends Hit {
  readonly session_name: string | null;
  readonly state: JobState;
  readonly ofSession: SessionState;
}

export async function remarkOnHits(
  reading: Reading,
  { listed, all }: { readonly listed: readonly Hit[]; readonly all: readonly FoundSession[] },
  given: ArchiveReading,
): Promise<void> {
  const found = await jobsToRemark(reading, all, given);
  const shown = new Set(listed.map(keyOfHit));
  const telling = found.filter(
    (job) => shown.has(keyOfHit(job)) && rowsMayTell(job.state, job.ofSession),
  );
  const rows = telling.length === 0 ? new Map<string, JobRows>() : await rowsOf(telling, given);
  for (const { state, ofSession, session_name: sessionName, ...hit } of found) {
    const { user_id: user, session_id: session, job_id: job } = hit;
    const read = rows.get(keyOfHit(hit));
    const remarks = read
      ? remarksOn([read], () => mayChange(state, ofSession))
      : remarksByLog(job, state, ofSession);
    reading.addRemarks({ user, session, sessionName }, remarks);
  }
}

/**
 * The hits of which something may be remarked, as the log has them now; of their sessions the reading is told. States are
 * read only of users who have such jobs, or have changed since the newest snapshot.
 */
async function jobsToRemark(
  reading: Reading,
  found: readonly FoundSession[],
  { archive: { states, index }, signal }: ArchiveReading,
): Promise<FoundJob[]> {
  const jobs: FoundJob[] = [];
  for (const [user, sessions] of groupBy(found, ({ user_id: id }) => id)) {
    signal?.throwIfAborted();
    const known = index.inSnapshot(asUserId(user))?.sessions;
    const summaryIn = (id: string) => known?.get(asSessionId(id))?.summary;
    const isPlain = ({ session_id: id }: FoundSession): boolean => {
      const summary = summaryIn(id);
      return summary !== undefined && remarksIn(summary).length === 0;
    };
    const state =
      known && sessions.every(isPlain)
        ? undefined
        : await states.loadAsOf(asUserId(user), index.through);
    for (const { jobs: ids, session_name: sessionName, ...session } of sessions) {
      const { session_id: id } = session;
      const current = state?.sessions.get(asSessionId(id));
      const summary = current ?? summaryIn(id);
      if (summary) reading.addSession({ user, session: id, sessionName }, summary);
      for (const job of ids) {
        const ofJob = current?.jobs.get(asJobId(job));
        if (current && ofJob && remarksByLog(job, ofJob, current).length > 0) {
          const ofHit = { session_name: sessionName, job_id: job, state: ofJob };
          jobs.push({ ...session, ...ofHit, ofSession: current });
        }
      }
    }
  }
  return jobs;
}

/** Their texts say nothing that is remarked, unless a remark needs them. */
const READ = withRemarked({
  tables: [jobsTable],
  omitted: { [jobsTable.name]: ['question_text', 'answer_text'] },
});

/** By job, each in its newest version. */
async function rowsOf(
  hits: readonly Hit[],
  given: ArchiveReading,
): Promise<ReadonlyMap<string, JobRows>> {
  const { archive, signal } = given;
  const jobs = new JobSet();
  for (const { user_id: user, session_id: session, job_id: job } of hits) {
    jobs.add({ user, session, job });
  }
  const scope = { users: [], sessions: jobs.sessionIds() };
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      const selection = (await Selection.of(archive, scope, { signal })).narrowedTo(jobs);
      const selected = await SelectedRows.of(given, selection);
      const read = new Map<string, Map<string, Row[]>>();
      for (const table of READ.tables) {
        const rows: Row[] = [];
        for await (const row of selected.rows(table, READ.omitted[table.name])) rows.push(row);
        read.set(table.name, groupBy(rows, sessionOf));
      }
      const sessions = [...(read.get(jobsTable.name)?.keys() ?? [])];
      const all = sessions.flatMap((session) =>
        jobsInOrder(new Map([...read].map(([table, rows]) => [table, rows.get(session) ?? []])), {
          isWhole: false,
          isOfCopy: archive.identity.pseudonymised !== undefined,
        }),
      );
      return new Map(all.map((jobRows) => [keyOf(jobRows.job), jobRows]));
    }),
  );
}

function sessionOf(row: Row): string {
  return sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
}

function keyOf(row: Row): string {
  return JSON.stringify([row['user_id'], row['session_id'], row['job_id']]);
}

function keyOfHit({ user_id, session_id, job_id }: Hit): string {
  return keyOf({ user_id, session_id, job_id });
}
