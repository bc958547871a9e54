/**
 * Marks, at the end of a run, the images of which another session has had the same bytes since: when their jobs were
 * written, nothing showed it. So it does for a run that has died before it did this. Each of these jobs gets a further version, whose rows are those of the one before.
 */
import type { JobLine } from '../../archive/log/commit.js';
import { unmarkedImages } from '../../archive/reading/unmarked-images.js';
import { Selection } from '../../archive/reading/selection.js';
import { SelectedRows } from '../../archive/reading/rows/selected-rows.js';
import { type SessionState } from '../../archive/state/user-state.js';
import { stateOf } from '../../archive/state/archived-session.js';
import { sessionEntryOf } from '../../archive/state/apply-commit.js';
import { groupBy } from '../../base/group-by.js';
import type { TableRows } from '../../flatten/flatten-job.js';
import { rowId, type JobId, type SessionId, type UserId } from '../../model/ids.js';
import { textOrEmpty } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { artifactsTable, TABLES } from '../../model/tables.js';
import type { ExportRun } from '../export-run.js';
import {
  isDownloaded,
  SAME_AS_OTHERS,
  TRIED_AGAIN_MS,
  type UnmarkedImage,
} from '../jobs/same-images.js';
import type { UserLeases } from './user-leases.js';
import type { PendingUsers } from './pending-users.js';

interface MarkTools {
  readonly pending: PendingUsers;
  readonly leases: UserLeases;
}

/**
 * Requires that everything of the run is committed.
 *
 * @throws {CommitConflictError} another run has touched the same sessions
 */
export async function markSameImages(
  run: ExportRun,
  { pending, leases }: MarkTools,
): Promise<void> {
  const taken: UserId[] = [];
  try {
    const unmarked = [...run.images.unmarked()];
    for await (const image of leftByDeadRuns(run)) unmarked.push(image);
    for (const [userId, images] of groupBy(unmarked, (image) => image.userId)) {
      // another run that exports the user now has its own images
      if (!(await leases.tryTake(userId, run.signal))) continue;
      taken.push(userId);
      const state = await run.archive.states.load(userId);
      pending.planned(state);
      for (const [sessionId, ofSession] of groupBy(images, (image) => image.sessionId)) {
        const session = state.sessions.get(sessionId);
        if (session) await markSession(run, { userId, sessionId, session }, ofSession);
      }
    }
    await run.checkpointer.commit();
  } finally {
    for (const userId of taken) {
      pending.forgetPlan(userId);
      await leases.release(userId);
    }
  }
}

/** What runs have left that died, as long as doubtful images are tried again. */
async function* leftByDeadRuns(run: ExportRun): AsyncGenerator<UnmarkedImage> {
  const sinceMs = run.archive.clock.now() - TRIED_AGAIN_MS;
  const choice = { sinceMs, isAccepted: run.images.isAccepted };
  for await (const { user, session, job, version, sha256, url } of unmarkedImages(run, choice)) {
    if (!isDownloaded(url)) continue;
    const place = { userId: user, sessionId: session, jobId: job, version };
    yield { ...place, sha256 };
  }
}

interface SessionToMark {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly session: SessionState;
}

async function markSession(
  run: ExportRun,
  { userId, sessionId, session }: SessionToMark,
  images: readonly UnmarkedImage[],
): Promise<void> {
  const jobs = [...groupBy(images, ({ jobId }) => jobId)].flatMap(([jobId, ofJob]) => {
    const known = session.jobs.get(jobId);
    if (!known) return [];
    const unknown = ofJob.filter(
      ({ sha256, version = known.version }) =>
        version === known.version && known.same_images?.includes(sha256) !== true,
    );
    if (unknown.length === 0) return [];
    return [{ jobId, known, doubtful: new Set(unknown.map(({ sha256 }) => sha256)) }];
  });
  if (jobs.length === 0) return;
  const byRow = new Map(jobs.map((job) => [rowId(job.jobId), job]));
  const marked = new Map<JobId, string[]>();
  const tables: TableRows[] = [];
  for (const { table, rows } of await jobRows(run, userId, sessionId)) {
    const next = rows.flatMap((row) => {
      const job = byRow.get(textOrEmpty(row, 'job_id'));
      if (!job || job.known.version !== row['job_version']) return [];
      const isMarked = table === artifactsTable && isDoubtful(row, job.doubtful);
      if (isMarked) {
        marked.set(job.jobId, [...(marked.get(job.jobId) ?? []), textOrEmpty(row, 'sha256')]);
      }
      return [
        {
          ...row,
          ...(isMarked && { suspicious: SAME_AS_OTHERS }),
          job_version: job.known.version + 1,
          run_id: run.runId,
          exported_at: run.exportedAt,
        },
      ];
    });
    if (next.length > 0) tables.push({ table, rows: next });
  }
  const lines = jobs.map(({ jobId, known }): JobLine => {
    const images = marked.get(jobId) ?? [];
    const state = {
      ...known,
      version: known.version + 1,
      suspicious: known.suspicious + images.length,
      same_images: [...(known.same_images ?? []), ...images],
    };
    return { user: userId, session: sessionId, job: jobId, ...stateOf(state) };
  });
  await run.checkpointer.addVersions(sessionEntryOf(userId, sessionId, session), {
    jobs: lines,
    tables,
    marked: (job) => marked.get(job)?.length ?? 0,
  });
}

/** One that is doubtful for another reason already keeps that one. */
function isDoubtful(row: Row, images: ReadonlySet<string>): boolean {
  return row['suspicious'] === null && images.has(textOrEmpty(row, 'sha256'));
}

const JOB_TABLES = TABLES.filter(({ columns }) =>
  columns.some(({ name }) => name === 'job_version'),
);

/** All versions of all jobs of a session. */
async function jobRows(
  { archive, signal }: ExportRun,
  user: UserId,
  session: SessionId,
): Promise<readonly { readonly table: TableSchema; readonly rows: readonly Row[] }[]> {
  const scope = { users: [user], sessions: [session] };
  const selection = await Selection.of(archive, scope, { signal, eachSpelling: true });
  const selected = await SelectedRows.of({ archive, signal }, selection);
  return Promise.all(
    JOB_TABLES.map(async (table) => {
      const rows: Row[] = [];
      for (const part of selected.partsOf(table)) {
        for await (const batch of selected.verbatimRowsOf(table, part)) rows.push(...batch);
      }
      return { table, rows };
    }),
  );
}
