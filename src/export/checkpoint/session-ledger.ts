/** A run's knowledge of one session: from the archive at first, then with the run's own changes. */
import type { GapEntry, JobLine, SessionEntry } from '../../archive/log/commit.js';
import { type JobState, type SessionState } from '../../archive/state/user-state.js';
import { doubtsOf, isDoubt, stateOf } from '../../archive/state/archived-session.js';
import { messageOf } from '../../base/error.js';
import { canonicalJson } from '../../base/text/canonical-json.js';
import { groupBy } from '../../base/group-by.js';
import { redactText } from '../../base/text/redact.js';
import { sessionRowHash } from '../../flatten/content-hash.js';
import { sessionRow } from '../../flatten/record-rows.js';
import { type JobToFlatten, type TableRows } from '../../flatten/flatten-job.js';
import { archivableRows } from '../../flatten/archivable-rows.js';
import { timesIn } from '../../model/times/created-at.js';
import { asJobId, type JobId, type RunId, type UserId } from '../../model/ids.js';
import type { SessionRecord, Verbatim } from '../../model/records.js';
import { StaleAnswerError } from '../../service/service-errors.js';
import { sessionsTable } from '../../model/tables.js';
import type { Growth, HistoryVerdict } from '../history/changed-history.js';
import { wholeGap } from '../jobs/gap.js';
import { lostGap } from '../jobs/doubts.js';

/** A session's side of a checkpoint. */
export interface SessionBook {
  /** The session's log entry as of now; called when a commit is made. */
  readonly entry: SessionEntry;
}

/** The changes that one job makes to the archive; prepared ahead, applied in the order of the history. */
export interface PreparedJob {
  /** The job's entry in the log. */
  readonly line: JobLine;
  /** All gaps of the job as of now. */
  readonly gaps: readonly GapEntry[];
  /**
   * Turned into rows as late as possible, because rows are several times as large as the record.
   * Undefined if the archived rows stay and only the log changes.
   */
  readonly toWrite: JobToFlatten | undefined;
}

/** How the export of a session ended. Without verdict and failure, reading the history was stopped. */
export interface SessionEnd {
  readonly verdict: HistoryVerdict | undefined;
  /** Why the history may be that of another session, as it was read. */
  readonly doubts?: readonly GapEntry[];
  readonly failure: { readonly error: unknown } | undefined;
  readonly run: { readonly runId: RunId; readonly exportedAt: bigint };
}

/** A placeholder for the digest before there is a row. */
const NO_ROW = 'none';

export class SessionLedger implements SessionBook {
  readonly #jobs: Map<JobId, JobState>;
  readonly #withdrawn: Map<JobId, JobState>;
  readonly #gaps: Map<string, readonly GapEntry[]>;
  /** The gaps of the session as a whole; undefined while its history is being read. */
  #sessionGaps: readonly GapEntry[] | undefined;
  #total: number | null;
  #growth: Growth;
  #version: number;
  /** Digest of the newest row in `sessions`. */
  #rowHash: string;
  #isComplete = false;
  #isTouched: boolean;
  #archived = 0;
  #settledHaveChanged = false;
  /** Whether a job came that was archived before the run, or nothing can show that none did. */
  #hasComeBack: boolean;

  constructor(
    readonly userId: UserId,
    readonly session: Verbatim<SessionRecord>,
    readonly known: SessionState | undefined,
  ) {
    this.#jobs = new Map(known?.jobs);
    this.#withdrawn = new Map(known?.withdrawn);
    this.#gaps = groupBy(
      (known?.gaps ?? []).filter((gap) => gap.job !== null),
      (gap) => gap.job ?? '',
    );
    this.#hasComeBack = this.#jobs.size === 0;
    this.#total = known?.total ?? null;
    this.#growth = known?.growth ?? null;
    this.#version = known?.version ?? 0;
    this.#rowHash = known?.metaHash ?? NO_ROW;
    // a session recorded as deleted or gone that is listed again
    this.#isTouched = known === undefined || known.deleted || known.goneAt !== null;
  }

  get jobs(): ReadonlyMap<JobId, JobState> {
    return this.#jobs;
  }

  /** Jobs that were withdrawn from the session. */
  get withdrawn(): ReadonlyMap<JobId, JobState> {
    return this.#withdrawn;
  }

  get growth(): Growth {
    return this.#growth;
  }

  /** Job versions written by this run. */
  get archived(): number {
    return this.#archived;
  }

  /** Whether a settled job has come with other content. */
  get settledHaveChanged(): boolean {
    return this.#settledHaveChanged;
  }

  get gaps(): readonly GapEntry[] {
    return [...(this.#sessionGaps ?? this.#gapsSoFar()), ...[...this.#gaps.values()].flat()];
  }

  /** Above the numbers of all jobs that were archived before the run. */
  get firstNumber(): number {
    const known = [...(this.known?.jobs.values() ?? []), ...(this.known?.withdrawn.values() ?? [])];
    return known.reduce((next, { index }) => Math.max(next, index + 1), 0);
  }

  /** Whether the session must be in the next commit. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  gapsOf(jobId: JobId): readonly GapEntry[] {
    return this.#gaps.get(jobId) ?? [];
  }

  /** Notes jobs that the history has. */
  saw(ids: Iterable<string>): void {
    if (this.#hasComeBack || !this.known) return;
    this.#hasComeBack = [...ids].some((id) => this.known?.jobs.has(asJobId(id)) === true);
  }

  /** Applies a job's changes, while no commit can be made: a commit must have the rows of each of its jobs. */
  add({ line, gaps, toWrite }: PreparedJob): void {
    if (toWrite) {
      const before = this.#jobs.get(line.job);
      this.#settledHaveChanged ||= before?.settled === true && before.hash !== line.hash;
      this.#archived++;
    }
    this.#jobs.set(line.job, stateOf(line));
    this.#withdrawn.delete(line.job);
    if (gaps.length > 0) this.#gaps.set(line.job, gaps);
    else this.#gaps.delete(line.job);
    this.#isTouched = true;
  }

  /** Takes an archived job out of the session. @returns the line that says so */
  withdraw(job: JobId): JobLine | undefined {
    const known = this.#jobs.get(job);
    if (!known) return undefined;
    const counts = { gaps: 0, suspicious: 0, same_images: undefined };
    const state = stateOf({ ...known, ...counts, version: known.version + 1, withdrawn: true });
    this.#jobs.delete(job);
    this.#gaps.delete(job);
    this.#withdrawn.set(job, state);
    this.#isTouched = true;
    return { user: this.userId, session: this.session.value.id, job, ...state };
  }

  /** The session's new row, if it differs from the newest. */
  close({ verdict, doubts = [], failure, run }: SessionEnd): TableRows | undefined {
    if (verdict) this.#historyRead(verdict, doubts);
    if (failure) this.#historyFailed(redactText(messageOf(failure.error)));
    // a session that is already archived keeps its row
    const keepsRow = verdict === undefined && this.known !== undefined;
    return keepsRow ? undefined : this.#nextRow(run);
  }

  /** The history was read as far as possible. */
  #historyRead(verdict: HistoryVerdict, doubts: readonly GapEntry[]): void {
    const { total, growth, complete, gaps } = this.known ?? {};
    this.#total = verdict.totalItems;
    this.#growth = verdict.growth;
    this.#isComplete = verdict.gap === undefined && doubts.length === 0;
    this.#sessionGaps = [...doubts, ...gapsOf(verdict)];
    const before = gaps?.filter((gap) => gap.job === null) ?? [];
    const isNews =
      this.#total !== total ||
      this.#growth !== growth ||
      this.#isComplete !== complete ||
      gapsText(before) !== gapsText(this.#sessionGaps);
    this.#isTouched ||= isNews;
  }

  /** Reading the history ended in an error. A doubt stays: nothing has shown that it is over. */
  #historyFailed(reason: string): void {
    this.#isComplete = false;
    this.#sessionGaps = [...this.#doubtsSoFar(), wholeGap('failed', reason)];
    this.#isTouched = true;
  }

  #gapsSoFar(): readonly GapEntry[] {
    const doubts = this.#doubtsSoFar();
    if (doubts.length === 0) return [];
    return [...doubts, wholeGap('incomplete', 'its history has not been read to the end yet')];
  }

  /** A run that ends now must leave word of it if it has archived jobs, and they may be another session's. */
  #doubtsSoFar(): readonly GapEntry[] {
    const open = doubtsOf(this.known);
    const isLost = open.some(({ lost_below: below }) => below !== undefined);
    if (isLost || this.#hasComeBack || this.#archived === 0) return open;
    return [...open, lostGap(this.firstNumber)];
  }

  /** The new row for `sessions`, if it differs from the newest; its version counts from now on. */
  #nextRow({ runId, exportedAt }: SessionEnd['run']): TableRows | undefined {
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
        firstJobBefore: earliestTime(this.#jobs.keys()),
        runId,
        exportedAt,
      },
      this.session,
    );
    return { table: sessionsTable, rows: archivableRows(sessionsTable, [row]).rows };
  }

  /** The session's log entry as of now; incomplete until the history is read. */
  get entry(): SessionEntry {
    return {
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
    };
  }
}

function earliestTime(jobs: Iterable<JobId>): bigint | null {
  const times = timesIn([...jobs]).times.flatMap((time) => time?.micros ?? []);
  return times.reduce<bigint | null>((a, b) => (a === null || b < a ? b : a), null);
}

function gapsOf({ gap }: HistoryVerdict): GapEntry[] {
  const status = gap instanceof StaleAnswerError ? 'doubtful' : 'incomplete';
  return gap ? [wholeGap(status, gap.message)] : [];
}

/** Without the reasons, which may tell times and counts; those of doubts say what can be done now. */
function gapsText(gaps: readonly GapEntry[]): string {
  return canonicalJson(gaps.map((gap) => (isDoubt(gap) ? gap : { ...gap, reason: null })));
}
