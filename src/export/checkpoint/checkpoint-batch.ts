/** The contents of the next checkpoint. */
import type { JobLine, SessionEntry, UserEntry, GapEntry } from '../../archive/log/commit.js';
import type { PartSet } from '../../archive/parts/part-set.js';
import { sessionKey, type SessionId, type UserId } from '../../model/ids.js';
import type { ArtifactStatus } from '../../model/records.js';
import { isSuspicious, type FileFacts } from '../../flatten/file-references.js';
import type { FlattenedJob, TableRows, JobToFlatten } from '../../flatten/flatten-job.js';
import type { ExportSummary } from '../export-summary.js';

/** The counts that one checkpoint adds to the summary once it is committed. */

export class CheckpointTally {
  #jobs = 0;
  #alteredTexts = 0;
  #stored = 0;
  #reused = 0;
  #storedBytes = 0;
  #suspicious = 0;
  readonly #rows = new Map<string, number>();
  readonly #lost = new Map<Exclude<ArtifactStatus, 'stored'>, number>();

  addJob({ tables, alteredTexts }: FlattenedJob, files: Iterable<FileFacts>): void {
    this.#jobs++;
    this.#alteredTexts += alteredTexts;
    tables.forEach((rows) => this.addRows(rows));
    for (const facts of files) {
      const { status } = facts;
      if (isSuspicious(facts)) this.#suspicious++;
      if (status !== 'stored') this.#lost.set(status, (this.#lost.get(status) ?? 0) + 1);
    }
  }

  addRows({ table, rows }: TableRows): void {
    this.#rows.set(table.name, (this.#rows.get(table.name) ?? 0) + rows.length);
  }

  /** @param newBytes the size of a file that is new to the archive; undefined otherwise */
  addStoredFile(newBytes: number | undefined): void {
    if (newBytes === undefined) {
      this.#reused++;
    } else {
      this.#stored++;
      this.#storedBytes += newBytes;
    }
  }

  addTo(summary: ExportSummary): void {
    summary.jobs.archived += this.#jobs;
    summary.altered_texts += this.#alteredTexts;
    summary.artifacts.stored += this.#stored;
    summary.artifacts.reused += this.#reused;
    summary.artifacts.suspicious += this.#suspicious;
    summary.artifacts.bytes += this.#storedBytes;
    for (const [table, rows] of this.#rows) summary.rows[table] = (summary.rows[table] ?? 0) + rows;
    for (const [status, count] of this.#lost) summary.artifacts[status] += count;
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

  constructor(readonly parts: PartSet) {}

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
