/** The contents of the next checkpoint. */
import type { JobLine, SessionEntry, UserEntry, GapEntry } from '../../archive/log/commit.js';
import type { RowsToCommit } from '../../archive/runs/rows-to-commit.js';
import { sessionKey, type SessionId, type UserId } from '../../model/ids.js';
import { isSuspicious, type FileFacts } from '../../flatten/file-references.js';
import type { FlattenedJob, TableRows, JobToFlatten } from '../../flatten/flatten-job.js';
import { addCounts } from '../../base/group-by.js';
import { noWork, type ExportSummary } from '../export-summary.js';

/** The counts that one checkpoint adds to the summary once it is committed. */

export class CheckpointTally {
  readonly #work = noWork();

  addJob({ tables, alteredTexts }: FlattenedJob, files: Iterable<FileFacts>): void {
    const { jobs, artifacts } = this.#work;
    jobs.archived++;
    this.#work.altered_texts += alteredTexts;
    tables.forEach((rows) => this.addRows(rows));
    for (const facts of files) {
      if (isSuspicious(facts)) artifacts.suspicious++;
      if (facts.status !== 'stored') artifacts[facts.status]++;
    }
  }

  addRows({ table, rows }: TableRows): void {
    addCounts(this.#work.rows, { [table.name]: rows.length });
  }

  /** @param newBytes the size of a file that is new to the archive; undefined otherwise */
  addStoredFile(newBytes: number | undefined): void {
    const counts = newBytes === undefined ? { reused: 1 } : { stored: 1, bytes: newBytes };
    addCounts(this.#work.artifacts, counts);
  }

  addTo(summary: ExportSummary): void {
    for (const name of ['jobs', 'rows', 'artifacts'] as const) {
      addCounts<string>(summary[name], this.#work[name]);
    }
    summary.altered_texts += this.#work.altered_texts;
  }
}

/** A session's side of a checkpoint. */
export interface SessionBook {
  /** The session's log entry as of now; called when a commit is made. */
  readonly entry: SessionEntry;
}

export class CheckpointBatch {
  readonly tally = new CheckpointTally();
  readonly jobs: JobLine[] = [];
  readonly sessions = new Map<string, SessionBook>();
  readonly users: UserEntry[] = [];
  readonly files: string[] = [];
  readonly fileSet = new Set<string>();
  fileBytes = 0;
  /** Rows that belong to no session. */
  hasOwnRows = false;

  readonly #changedUsers = new Set<UserId>();

  constructor(readonly parts: RowsToCommit) {}

  get isEmpty(): boolean {
    return this.users.length === 0 && this.hasOnlyListings;
  }

  /** Whether nothing has come or changed: it says at most which users were listed. */
  get hasOnlyListings(): boolean {
    return this.sessions.size === 0 && !this.hasOwnRows;
  }

  /** Whether a session of the user has changed. */
  changesUser(user: UserId): boolean {
    return this.#changedUsers.has(user);
  }

  setSession(user: UserId, session: SessionId, book: SessionBook): void {
    this.#changedUsers.add(user);
    this.sessions.set(sessionKey(user, session), book);
  }
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
