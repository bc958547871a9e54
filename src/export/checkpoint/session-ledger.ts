/** What a run knows of one session: from the archive at first, then with what it has written itself. */
import type { GapEntry, SessionEntry } from '../../archive/log/commit.js';
import type { JobState, SessionState } from '../../archive/state/user-state.js';
import { groupBy } from '../../base/group-by.js';
import { sessionRowHash } from '../../flatten/content-hash.js';
import { sessionRow } from '../../flatten/session-row.js';
import type { TableRows } from '../../flatten/flatten-job.js';
import { archivableRows } from '../../flatten/archivable-rows.js';
import type { JobId, RunId, UserId } from '../../model/ids.js';
import type { SessionRecord, Verbatim } from '../../model/records.js';
import { sessionsTable } from '../../model/tables.js';
import type { Growth, HistoryVerdict } from '../history/changed-history.js';
import type { SessionBook } from './checkpoint-batch.js';

/** Stands for the digest of a row before there is one. */
const NO_ROW = 'none';

export class SessionLedger implements SessionBook {
  readonly #jobs: Map<JobId, JobState>;
  readonly #gaps: Map<string, readonly GapEntry[]>;
  #sessionGap: GapEntry | undefined;
  #total: number | null;
  #growth: Growth;
  #version: number;
  /** Digest of what the newest row in `sessions` says. */
  #rowHash: string;
  #isComplete = false;
  #isTouched: boolean;
  #archived = 0;
  #settledHaveChanged = false;

  constructor(
    readonly userId: UserId,
    readonly session: Verbatim<SessionRecord>,
    readonly known: SessionState | undefined,
  ) {
    this.#jobs = new Map(known?.jobs);
    this.#gaps = groupBy(
      (known?.gaps ?? []).filter((gap) => gap.job !== null),
      (gap) => gap.job ?? '',
    );
    this.#total = known?.total ?? null;
    this.#growth = known?.growth ?? null;
    this.#version = known?.version ?? 0;
    this.#rowHash = known?.metaHash ?? NO_ROW;
    // one that was recorded as deleted or gone and is listed all the same is found again
    this.#isTouched = known === undefined || known.deleted || known.goneAt !== null;
  }

  get jobs(): ReadonlyMap<JobId, JobState> {
    return this.#jobs;
  }

  get growth(): Growth {
    return this.#growth;
  }

  /** Job versions written by this run. */
  get archived(): number {
    return this.#archived;
  }

  /** Whether a job that counted as settled has come with another content. */
  get settledHaveChanged(): boolean {
    return this.#settledHaveChanged;
  }

  get gaps(): readonly GapEntry[] {
    return [...(this.#sessionGap ? [this.#sessionGap] : []), ...[...this.#gaps.values()].flat()];
  }

  /** Whether the log must hear of the session. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  gapsOf(jobId: JobId): readonly GapEntry[] {
    return this.#gaps.get(jobId) ?? [];
  }

  /** A new version of a job is on its way into the archive. */
  jobWritten(jobId: JobId, state: JobState, gaps: readonly GapEntry[]): void {
    const before = this.#jobs.get(jobId);
    this.#settledHaveChanged ||= before?.settled === true && before.hash !== state.hash;
    this.jobNoted(jobId, state, gaps);
    this.#archived++;
  }

  /** A job's rows stand, but what is known of it has moved on. */
  jobNoted(jobId: JobId, state: JobState, gaps: readonly GapEntry[]): void {
    this.#jobs.set(jobId, state);
    if (gaps.length > 0) this.#gaps.set(jobId, gaps);
    else this.#gaps.delete(jobId);
    this.#isTouched = true;
  }

  /** The history was read as far as it could be. */
  historyRead(verdict: HistoryVerdict): void {
    const { total, growth, complete, gaps } = this.known ?? {};
    this.#total = verdict.totalItems;
    this.#growth = verdict.growth;
    this.#isComplete = verdict.gap === undefined;
    this.#sessionGap = verdict.gap && sessionGap('incomplete', verdict.gap.message);
    const hadSessionGap = gaps?.some((gap) => gap.job === null) ?? false;
    const isNews =
      this.#total !== total ||
      this.#growth !== growth ||
      this.#isComplete !== complete ||
      hadSessionGap !== (this.#sessionGap !== undefined);
    this.#isTouched ||= isNews;
  }

  /** Reading the history ended in an error. */
  historyFailed(reason: string): void {
    this.#isComplete = false;
    this.#sessionGap = sessionGap('failed', reason);
    this.#isTouched = true;
  }

  /** The new row for `sessions`, where it would say something new. Its version counts from here on. */
  nextRow({
    runId,
    exportedAt,
  }: {
    readonly runId: RunId;
    readonly exportedAt: bigint;
  }): TableRows | undefined {
    const jobCount = this.#jobs.size;
    const isComplete = this.#isComplete;
    const rowHash = sessionRowHash(this.session, jobCount, isComplete);
    if (rowHash === this.#rowHash) return undefined;
    this.#rowHash = rowHash;
    this.#version++;
    this.#isTouched = true;
    const row = sessionRow(
      {
        userId: this.userId,
        sessionVersion: this.#version,
        jobCount,
        isComplete,
        runId,
        exportedAt,
      },
      this.session,
    );
    return { table: sessionsTable, rows: archivableRows(sessionsTable, [row]).rows };
  }

  /** As the log should hear of it now; incomplete until the history is read. */
  readonly entry = (): SessionEntry => ({
    user: this.userId,
    session: this.session.value.id,
    version: this.#version,
    meta_hash: this.#rowHash,
    total: this.#total,
    archived: this.#jobs.size,
    complete: this.#isComplete,
    growth: this.#growth,
    gone_at: null,
    gaps: this.gaps,
  });
}

function sessionGap(status: string, reason: string): GapEntry {
  const place = { role: null, block_index: null, file_index: null };
  return { job: null, ...place, kind: null, status, reason };
}
