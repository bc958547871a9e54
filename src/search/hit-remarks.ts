/** What is remarked on the hits that a search lists: of the other jobs that it finds it reads no rows. */
import type { ArchiveReading } from '../archive/archive.js';
import { readConsistently } from '../archive/consistent-read.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import { JobSet } from '../archive/reading/chosen-jobs.js';
import { bareJob, jobsInOrder, type JobRows } from '../archive/reading/session-rows.js';
import { remarksOn, rowsMayTell, withRemarked } from '../archive/reading/job-remarks.js';
import type { Reading } from '../archive/reading/reading.js';
import { SelectedRows } from '../archive/reading/selected-rows.js';
import { Selection } from '../archive/reading/selection.js';
import type { JobState } from '../archive/state/user-state.js';
import { groupBy } from '../base/group-by.js';
import { asJobId, asSessionId, asUserId, sessionKey } from '../model/ids.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import { jobsTable } from '../model/tables.js';

/** As a search lists it. */
interface Hit {
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string | null;
  readonly job_id: string;
}

interface StatedHit {
  readonly hit: Hit;
  readonly state: JobState;
}

export async function remarkOnHits(
  reading: Reading,
  hits: readonly Hit[],
  given: ArchiveReading,
): Promise<void> {
  const stated = await statesOf(reading, hits, given);
  const telling = stated.filter(({ state }) => rowsMayTell(state)).map(({ hit }) => hit);
  const rows = telling.length === 0 ? new Map<string, JobRows>() : await rowsOf(telling, given);
  for (const { hit, state } of stated) {
    const { user_id: user, session_id: session, session_name: sessionName, job_id: job } = hit;
    const read = rows.get(keyOf({ user_id: user, session_id: session, job_id: job }));
    const mayChange = (): boolean => !state.settled;
    // of a job whose rows are not read, only what needs none is told
    const remarks = read
      ? remarksOn([read], mayChange)
      : remarksOn([bareJob({ job_id: job })], mayChange, []);
    reading.addRemarks({ user, session, sessionName }, remarks);
  }
}

/** What the log says of each now; of its session the reading is told. */
async function statesOf(
  reading: Reading,
  hits: readonly Hit[],
  { archive: { states, index } }: ArchiveReading,
): Promise<StatedHit[]> {
  const stated: StatedHit[] = [];
  for (const [user, userHits] of groupBy(hits, ({ user_id: id }) => id)) {
    const { sessions } = await states.loadAsOf(asUserId(user), index.through);
    for (const hit of userHits) {
      const { session_id: id, session_name: name } = hit;
      const session = sessions.get(asSessionId(id));
      if (session) {
        reading.addSession({ user, session: id, sessionName: name }, session);
      }
      const state = session?.jobs.get(asJobId(hit.job_id));
      if (state) stated.push({ hit, state });
    }
  }
  return stated;
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
      const selection = (await Selection.of(archive, scope, signal)).narrowedTo(jobs);
      const selected = await SelectedRows.of(given, selection);
      const read = new Map<string, Map<string, Row[]>>();
      for (const table of READ.tables) {
        const rows: Row[] = [];
        for await (const row of selected.rows(table, READ.omitted[table.name])) rows.push(row);
        read.set(table.name, groupBy(rows, sessionOf));
      }
      const sessions = [...(read.get(jobsTable.name)?.keys() ?? [])];
      const all = sessions.flatMap((session) =>
        jobsInOrder(new Map([...read].map(([table, rows]) => [table, rows.get(session) ?? []]))),
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
