/**
 * Collects finished jobs and commits them: their rows, their files, and their log entries. All rows of a job are in one
 * checkpoint.
 */
import type {
  JobLine,
  UserEntry,
  Commit,
  CommitScope,
  SessionEntry,
} from '../../archive/log/commit.js';
import { commitOrWithdraw } from '../../archive/runs/commit-or-withdraw.js';
import { RowsToCommit } from '../../archive/runs/rows-to-commit.js';
import {
  sessionKey,
  type JobId,
  type SessionId,
  type UserId,
  type RunId,
} from '../../model/ids.js';
import type { FileFacts } from '../../flatten/file-facts.js';
import { type TableRows, flattenJob } from '../../flatten/flatten-job.js';
import { withdrawnRows } from '../../flatten/withdrawn-row.js';
import { addCounts } from '../../base/group-by.js';
import type { SessionBook, PreparedJob, SessionEnd, SessionLedger } from './session-ledger.js';
import type { Archive } from '../../archive/archive.js';
import { Mutex } from '../../base/concurrently.js';
import { isClockConfirmed } from '../../service/clock-gap.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { AfterCommit } from '../after-commit.js';
import type { PendingUsers } from '../users/pending-users.js';
import { ArtifactPool } from '../jobs/artifact-pool.js';
import { CheckpointTally } from './checkpoint-tally.js';
import { type TextsOfTables } from '../jobs/table-texts.js';

class CheckpointBatch {
  readonly tally = new CheckpointTally();
  readonly jobs: JobLine[] = [];
  readonly sessions = new Map<string, SessionBook>();
  readonly users: UserEntry[] = [];
  readonly files: string[] = [];
  readonly fileSet = new Set<string>();
  fileBytes = 0;
  /** How many of the files are new to the archive. */
  readonly put = { count: 0, bytes: 0 };
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

/**
 * Jobs that make a checkpoint due, however small they are: until their commit, the log line and the state of
 * each are in memory (half a kilobyte), and as much again while states are updated after it.
 */
const MOST_JOBS = 10_000;
/** So many files are one, too: each waits with a file of its own on the disk, or in memory, until it is published (3 KB). */
const MOST_FILES = 5000;

/** Further versions of jobs of one session, with all their rows. */
interface NextVersions {
  readonly jobs: readonly JobLine[];
  readonly tables: readonly TableRows[];
  /** How many files of a job are doubtful from now on. */
  readonly marked: (job: JobId) => number;
}

export interface CheckpointerOptions {
  readonly archive: Archive;
  readonly run: RunId;
  readonly day: string;
  readonly scope: () => CommitScope;
  /** The number of commits that the run has made. */
  readonly commitsBefore: number;
  /** Staged bytes (rows and files) that make a checkpoint due. */
  readonly sizeBytes: number;
  /** A test gives it. */
  readonly mostJobs?: number;
  /** A test gives it. */
  readonly mostFiles?: number;
  /** The newest commit before the run began. */
  readonly base: number;
  /** Knows which commit was read before the states on which uncommitted work depends. */
  readonly pending: Pick<PendingUsers, 'plannedFrom'>;
  /** Knows whether its `Date` has agreed with this machine's clock so far. */
  readonly service: Pick<ServiceClient, 'clockGapMs'>;
  /** Told the contents of each commit, before more can be added. */
  readonly after: Pick<AfterCommit, 'committed'>;
}

export class Checkpointer {
  readonly pool: ArtifactPool;
  readonly #mutex = new Mutex();
  #number: number;
  #batch: CheckpointBatch;
  #broken: { readonly error: unknown } | undefined;

  constructor(readonly options: CheckpointerOptions) {
    this.#number = options.commitsBefore;
    this.#batch = this.#newBatch();
    this.pool = new ArtifactPool(options.archive);
  }

  /** Whether nothing waits for a commit that has come or changed: at most which users were listed. */
  get hasOnlyListings(): boolean {
    return this.#batch.hasOnlyListings;
  }

  /** Whether a change of one of the user's sessions waits for a commit. */
  changesUser(user: UserId): boolean {
    return this.#batch.changesUser(user);
  }

  /**
   * Resolves when the job is written and in the ledger, and a due checkpoint is committed.
   *
   * @throws {RangeError} the job cannot be flattened; only this job is left out
   */
  async addJob(ledger: SessionLedger, job: PreparedJob): Promise<void> {
    const { toWrite } = job;
    const flattened = toWrite && flattenJob(toWrite, await this.#textsOf(toWrite.files));
    await this.#alone(async () => {
      const batch = this.#batch;
      ledger.add(job);
      batch.setSession(job.line.user, job.line.session, ledger);
      batch.jobs.push(job.line);
      if (flattened) {
        batch.tally.addJob(job.line, flattened, toWrite.files.values());
        this.#useFiles(toWrite.files.values(), batch);
        for (const { table, rows } of flattened.tables) await batch.parts.write(table, rows);
      }
      if (this.#isDue(batch)) await this.#commitBatch();
    });
  }

  /** Takes archived jobs out of a session. */
  async withdrawJobs(
    ledger: SessionLedger,
    jobs: Iterable<JobId>,
    run: SessionEnd['run'],
  ): Promise<void> {
    await this.#alone(async () => {
      const lines = [...jobs].flatMap((job) => ledger.withdraw(job) ?? []);
      if (lines.length === 0) return;
      const rows = withdrawnRows(lines, run);
      this.#batch.jobs.push(...lines);
      this.#batch.setSession(ledger.userId, ledger.session.value.id, ledger);
      for (const line of lines) this.#batch.tally.addVersion(line);
      this.#batch.tally.addRows(rows);
      await this.#batch.parts.write(rows.table, rows.rows);
    });
  }

  /** The end of a session in this run. Returns whether a row was written. */
  async closeSession(ledger: SessionLedger, end: SessionEnd): Promise<boolean> {
    return this.#alone(async () => {
      const row = ledger.close(end);
      const { user, session } = ledger.entry;
      if (ledger.isTouched) this.#batch.setSession(user, session, ledger);
      if (!row) return false;
      this.#batch.tally.addRows(row);
      await this.#batch.parts.write(row.table, row.rows);
      return true;
    });
  }

  /** Adds a session that changes only in the log, without rows. */
  async addSessionEntry(entry: SessionEntry): Promise<void> {
    await this.#alone(() => {
      this.#batch.setSession(entry.user, entry.session, { entry });
      return Promise.resolve();
    });
  }

  /** A further version of archived jobs of one session, of which nothing but their rows has changed. */
  async addVersions(entry: SessionEntry, { jobs, tables, marked }: NextVersions): Promise<void> {
    await this.#alone(async () => {
      this.#batch.setSession(entry.user, entry.session, { entry });
      this.#batch.jobs.push(...jobs);
      for (const line of jobs) this.#batch.tally.addVersion(line, marked(line.job));
      for (const rows of tables) {
        this.#batch.tally.addRows(rows);
        await this.#batch.parts.write(rows.table, rows.rows);
      }
    });
  }

  /** Rows that belong to no session. */
  async addRows(rows: TableRows): Promise<void> {
    await this.#alone(async () => {
      this.#batch.hasOwnRows = true;
      this.#batch.tally.addRows(rows);
      await this.#batch.parts.write(rows.table, rows.rows);
    });
  }

  async addUser(entry: UserEntry): Promise<void> {
    await this.#alone(() => {
      this.#batch.users.push(entry);
      return Promise.resolve();
    });
  }

  /**
   * Commits the batch; an empty one only with `always`.
   *
   * @throws {CommitConflictError} another run has touched the same sessions; the batch is discarded
   */
  async commit(options: { readonly always: boolean } = { always: false }): Promise<void> {
    await this.#alone(async () => {
      if (options.always || !this.#batch.isEmpty) await this.#commitBatch();
    });
  }

  /** Discards everything that is not committed. */
  async discard(): Promise<void> {
    await this.#mutex.run(() => this.#discardBatch());
  }

  /** Discards everything that is not committed, and an earlier failure, and starts over. */
  async restart(): Promise<void> {
    await this.#mutex.run(async () => {
      await this.#discardBatch();
      this.#broken = undefined;
    });
  }

  /**
   * Runs one task at a time, and none after a failure: a job may be half written, and the last jobs of a
   * session must not be committed without its first ones.
   */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const alone = async () => {
      if (this.#broken) throw this.#broken.error;
      try {
        return await work();
      } catch (error) {
        this.#broken = { error };
        throw error;
      }
    };
    return this.#mutex.run(alone);
  }

  #isDue({ jobs, files, parts, fileBytes }: CheckpointBatch): boolean {
    const { sizeBytes, mostJobs = MOST_JOBS, mostFiles = MOST_FILES } = this.options;
    if (jobs.length >= mostJobs || files.length >= mostFiles) return true;
    return parts.pendingBytes + fileBytes >= sizeBytes;
  }

  async #commitBatch(): Promise<void> {
    const batch = this.#batch;
    try {
      const { number } = await this.#commitGathered(batch);
      const { tally, jobs, users } = batch;
      this.#batch = this.#newBatch();
      await this.options.after.committed({ number, tally, jobs, users });
    } catch (error) {
      if (this.#batch === batch) await this.#discardBatch();
      throw error;
    }
  }

  async #commitGathered(batch: CheckpointBatch): Promise<Commit> {
    const { archive } = this.options;
    const commit = await commitOrWithdraw({
      archive,
      publish: async () => {
        const published = await batch.parts.publish();
        await this.pool.publish(batch.files);
        return { ...this.#draftOf(batch), ...published };
      },
      withdraw: async () => {
        await batch.parts.withdraw();
        await this.pool.withdraw();
      },
    });
    this.pool.committed(batch.files);
    const { number } = commit;
    const { archivedJobs: versions } = batch.tally;
    archive.logger.info({ commit: number, versions }, 'checkpoint committed');
    return commit;
  }

  #draftOf({ sessions: books, jobs, users, put }: CheckpointBatch) {
    const { archive, base, pending, scope, service } = this.options;
    const sessions = [...books.values()].map((book) => book.entry);
    const back = archive.index.suppressions.backWith(sessions);
    return {
      kind: 'export' as const,
      base: pending.plannedFrom(Math.max(base, archive.index.through)),
      scope: scope(),
      ...(put.count > 0 && { artifacts: put }),
      sessions,
      jobs,
      users,
      ...(back.length > 0 && { suppressions: back }),
      ...(isClockConfirmed(service.clockGapMs) && { clock_confirmed: true as const }),
    };
  }

  async #textsOf(files: ReadonlyMap<string, FileFacts>): Promise<TextsOfTables> {
    const atHand = this.pool.textsAtHand(files.values());
    return atHand ?? this.#alone(() => this.pool.readTexts(files.values()));
  }

  /** The first job to use a file brings it into the checkpoint. */
  #useFiles(files: Iterable<FileFacts>, batch: CheckpointBatch): void {
    for (const { stored } of files) {
      if (!stored) continue;
      const { sha256 } = stored;
      const file = batch.fileSet.has(sha256) ? undefined : this.pool.get(sha256);
      const isNew = file !== undefined && file.putAtMs === undefined;
      batch.tally.addStoredFile(isNew ? file.bytes : undefined);
      if (isNew) addCounts(batch.put, { count: 1, bytes: file.bytes });
      if (!file) continue;
      batch.fileSet.add(sha256);
      batch.files.push(sha256);
      batch.fileBytes += file.bytes;
    }
  }

  async #discardBatch(): Promise<void> {
    const batch = this.#batch;
    this.#batch = this.#newBatch();
    await batch.parts.discard();
    await this.pool.discard();
  }

  #newBatch(): CheckpointBatch {
    const { archive, run, day } = this.options;
    const checkpoint = ++this.#number;
    return new CheckpointBatch(new RowsToCommit({ archive, run, day, checkpoint }));
  }
}
